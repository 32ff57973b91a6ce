import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { WireBytes } from '../../src/follow/wire-bytes.ts';
import { main } from '../../src/index.ts';
import { fakeProcess } from '../fake-process.ts';

/** A server of one compressed LDES that never changes, and what it wrote. */
async function compressed() {
  const sockets = new Set<Socket>();
  const server = await httpServer(({ socket, headers }, response) => {
    sockets.add(socket);
    const url = `http://${headers.host}/`;
    const text = `@prefix tree: <https://w3id.org/tree#> . <${url}#s> tree:view <${url}> ; tree:member <${url}#m> .
      <${url}#m> <urn:text> "${'long '.repeat(2_000)}" .`;
    // In parts, so that nothing says how long it is.
    response.writeHead(200, { 'content-type': 'text/turtle', 'content-encoding': 'gzip' });
    response.write(gzipSync(text).subarray(0, 20));
    response.end(gzipSync(text).subarray(20));
  });
  onTestFinished(() => server.close());
  return { url: server.url, written: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) };
}

test('MAL-109 what connections bring counts as it comes, from the beginning on and after their end', async () => {
  const { url, written } = await compressed();
  const wire = new WireBytes();
  expect(wire.received).toBe(0);
  for (let requests = 1; requests <= 3; requests += 1) {
    const headers = requests === 3 ? { connection: 'close' } : {};
    const { length } = await (await fetch(url, { headers })).text();
    expect(wire.received).toBe(written());
    expect(wire.received).toBeLessThan((length * requests) / 5);
  }
  wire.stop();
  await (await compressed().then((other) => fetch(other.url))).text();
  expect(wire.received).toBe(written());
});

test('MAL-109 follow tells the bytes that came over the wire', async () => {
  const { url, written } = await compressed();
  const process = fakeProcess(['follow', url, '--mal', '60', '--count', '1']);
  expect(await main(process)).toBe(0);
  expect(process.stderr.text).toMatch(new RegExp(`1 request, ${written()} bytes on the wire; `));
});
