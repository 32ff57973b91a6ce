import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { afterEach, expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { fakeProcess } from './fake-process.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serving(push: string) {
  const feed = '{ gtfsRt: "http://127.0.0.1:1/", every: 1h }';
  const config = `publicUrl: http://live.example/\nstore: memory\npush: ${push}\nstreams: { a: { source: ${feed} } }\n`;
  const folder = await temporaryFolder({ 'config.yml': config });
  const process = fakeProcess(['serve', join(folder, 'config.yml'), '--port', '0']);
  const ended = main(process);
  const [, address] = await process.stdout.until(/listens on ([\d.]+:\d+)/);
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  closing.push(() => agent.destroy());
  const read = async (path: string) => {
    const [response] = (await once(get(`http://${address}${path}`, { agent }), 'response')) as [IncomingMessage];
    return response.resume();
  };
  return { process, ended, read };
}

test('PUSH-32, PUSH-34 serve sends its readers away in order when it is told to stop, and says so where they are many', async () => {
  const { process, ended, read } = await serving('{ connections: 101, grace: 2s }');
  const readers = await Promise.all(Array.from({ length: 101 }, () => read('/a/events')));
  expect((await read('/a/events')).statusCode).toBe(503);
  const left = readers.map((response) => once(response, 'end'));
  expect((await read('/health')).statusCode).toBe(200);

  process.signal('SIGTERM');
  await process.stderr.until(/^Stopping: 101 readers are sent away one after the other\./m);
  expect((await read('/health')).statusCode).toBe(503);
  expect((await read('/a/latest')).statusCode).toBe(200);
  await Promise.all(left);
  expect(readers.map(({ complete }) => complete)).toEqual(readers.map(() => true));
  expect(await ended).toBe(0);
  // A second signal meets no listener, so that it ends a process at once.
  expect(process.signal('SIGTERM')).toBe(false);
}, 20_000);

test('serve stops without a word where nobody reads', async () => {
  const { process, ended } = await serving('{ grace: 1h }');
  process.signal('SIGINT');
  expect(await ended).toBe(0);
  expect(process.stderr.text).not.toContain('Stopping');
}, 20_000);
