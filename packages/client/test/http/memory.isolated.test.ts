import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { httpServer } from '@ldes-live/test-support/net';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, onTestFinished, test } from 'vitest';

const READER = `
  import { createLiveClient } from '@ldes-live/client';
  const codes = [];
  for (const path of ['keys', 'lines', 'endless']) {
    const follower = createLiveClient({ mal: 1 }).follow(process.argv[1] + path);
    codes.push(await follower.run().catch(({ code }) => code));
  }
  console.log(JSON.stringify({ codes, peakMib: process.resourceUsage().maxRSS / 1024 }));
`;

const MIB = 2 ** 20;
const numbered = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, i) => text(i));

/** An answer that is within the limits or past them, and costs the most of its kind. */
const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/keys': (response) => {
    response.setHeader('content-type', 'application/ld+json');
    response.end(`{${numbered((6 * MIB) / 23, (i) => `"urn:${String(i).padStart(15, '0')}":1`).join()}}`);
  },
  '/lines': (response) => {
    response.setHeader('content-type', 'application/n-quads');
    response.end(numbered(499_000, (i) => `<http://a.example/s${i}> <http://a.example/p> "x" .\n`).join(''));
  },
  '/endless': (response) => {
    response.setHeader('content-type', 'application/ld+json');
    response.write('[');
    const go = () => {
      while (!response.destroyed && response.write('{},'.repeat(20_000)));
    };
    response.on('drain', go);
    go();
  },
};

test('a document takes less than 512 MiB of memory, whatever is in it', async () => {
  const server = await httpServer(({ url = '' }, response) => answers[url]?.(response));
  onTestFinished(() => server.close());
  const child = spawn(process.execPath, [...FROM_SOURCES, '--input-type=module', '--eval', READER, server.url]);
  child.stderr.pipe(process.stderr);
  const [written] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const { codes, peakMib } = JSON.parse(written) as { codes: string[]; peakMib: number };
  expect(codes).toEqual(['ERR_RDF_TOO_MANY', 'ERR_TREE_VIEW_MISSING', 'ERR_RESPONSE_TOO_LARGE']);
  expect(peakMib).toBeLessThan(512);
});
