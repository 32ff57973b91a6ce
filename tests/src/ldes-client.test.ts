import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { publishedLog, valueDraft } from './support/published-log.ts';

const COMMAND = fileURLToPath(new URL('../../node_modules/ldes-client/dist/bin/cli.js', import.meta.url));

// The public package, unchanged; the members that it has printed, by their version IRIs.
function ldesClient(...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const members = () =>
    [...output.matchAll(/^<([^>]+)> <http:\/\/purl.org\/dc\/terms\/isVersionOf>/gm)].map(([, id]) => id as string);
  return { child, members, ended: once(child, 'close') };
}

test('DOC-1 DOC-2 DOC-5 DOC-20 the public ldes-client prints every member once, and ends', async () => {
  const published = await publishedLog({ clock: Date.now });
  const { log, publicUrl, url } = published;
  for (let commit = 0; commit < 13; commit += 1) {
    await log.append(Array.from({ length: 50 }, (_, index) => valueDraft(publicUrl, index, commit)));
  }
  await log.append([{ kind: 'delete', entity: `${publicUrl}vehicles/entities/7`, origin: 'test' }]);
  const expected = (await log.members(0, 1000)).map(({ id }) => id).sort();
  expect(expected).toHaveLength(651);
  const reader = ldesClient(url);
  const [code] = await reader.ended;
  expect(code).toBe(0);
  expect(reader.members().sort()).toEqual(expected);
  await published.close();
});

test('DOC-5 DOC-9 the public ldes-client that follows by polling sees new members, once', async () => {
  const published = await publishedLog({ clock: Date.now });
  const { log, publicUrl, url } = published;
  const append = (from: number, count: number) =>
    log.append(Array.from({ length: count }, (_, index) => valueDraft(publicUrl, from + index, from)));
  await append(0, 240);
  const reader = ldesClient(url, '--follow', '--poll-interval', '200');
  await vi.waitFor(() => expect(reader.members()).toHaveLength(240), { timeout: 30_000 });
  // Past the end of the page, so that a new one has to be found.
  await append(1000, 30);
  await append(2000, 30);
  await vi.waitFor(() => expect(reader.members()).toHaveLength(300), { timeout: 30_000 });
  expect(new Set(reader.members()).size).toBe(300);
  reader.child.kill();
  await reader.ended;
  await published.close();
});
