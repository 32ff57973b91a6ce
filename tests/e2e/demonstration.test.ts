import { type Format, formats, parseQuads } from '@ldes-live/codec';
import { expect, test, vi } from 'vitest';
import { freePort } from '../support/published-log.ts';
import { answers, startCommand } from './support/serve-process.ts';

test('DOC-7 the demonstration is served as Linked Data in five formats that say the same, and followed by push and by pull', async () => {
  const port = await freePort();
  const url = `http://localhost:${port}/vehicles`;
  const server = startCommand(['serve', '--demo', '--port', String(port)]);
  await answers(`${url}/latest`, server);
  expect(server.output()).toContain(url);

  const tight = startCommand(['follow', url, '--mal', '1', '--count', '60']);
  const loose = startCommand(['follow', url, '--mal', '60', '--count', '5']);
  await vi.waitFor(async () => expect(new Set(await sameInAllFormats(url)).size).toBe(1), { timeout: 30_000 });

  expect(await tight.ended).toBe(0);
  expect(tight.output()).toMatch(/push: MAL 1 s is below the break-even of 10 s/);
  expect(tight.output()).toMatch(/push .*changed.* lag \d+/);
  expect(await loose.ended).toBe(0);
  await vi.waitFor(() => expect(loose.output()).toMatch(/pull/));

  const stays = startCommand(['follow', url, '--mal', '60']);
  await vi.waitFor(() => expect(stays.output()).toMatch(/pull: MAL 60 s is not below the break-even of 10 s/), {
    timeout: 30_000,
  });
  stays.child.kill('SIGINT');
  expect(await stays.ended).toBe(0);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

// What each format says, blank node labels apart; a commit in between makes a difference.
async function sameInAllFormats(url: string): Promise<string[]> {
  return Promise.all(
    (Object.keys(formats) as Format[]).map(async (format) => {
      const response = await fetch(`${url}/latest`, { headers: { accept: formats[format].mediaType } });
      expect(response.headers.get('content-type')?.split(';')[0]).toBe(formats[format].mediaType);
      const quads = await parseQuads(await response.text(), format, url);
      const vehicles = quads.filter(({ predicate }) => predicate.value === 'https://w3id.org/tree#member');
      expect(vehicles.length, format).toBeGreaterThan(10);
      const plain = quads.map(({ subject, predicate, object }) =>
        [subject, predicate, object].map((term) => (term.termType === 'BlankNode' ? '_' : term.value)).join(' '),
      );
      return plain.sort().join('\n');
    }),
  );
}
