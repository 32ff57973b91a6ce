import { StreamError } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, createWorkerServer, hashToken, type ToOwner, type ToWorker } from '../src/index.ts';
import { EPOCH, fill, testServer } from './test-server.ts';
import { channelPair } from './workers/channel-pair.ts';

/** A server of its own over a log that fails, with the lines that it logs. */
async function failingServer() {
  const { description, log, ...server } = await testServer();
  await fill({ ...server, description, log }, 3, 1);
  const lines: Record<string, unknown>[] = [];
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } };
  const ingest = { tokenHashes: [hashToken('token')] };
  const live = await createLiveServer({
    publicUrl: description.publicUrl,
    streams: [{ description, log, sources: () => [], ingest }],
    logger,
  });
  onTestFinished(() => live.close());
  const base = `http://127.0.0.1:${await live.listen({ host: '127.0.0.1', port: 0 })}`;
  const fail = () => Promise.reject(new Error('disk sdb1'));
  Object.assign(log, { readLatest: fail, read: fail, readMembers: fail, append: fail });
  return { live, base, lines, logger, log };
}

test('ERR-2 what fails on this side leaves a line with the error and the path, and what is refused leaves none', async () => {
  const { base, lines } = await failingServer();
  expect((await fetch(`${base}/vehicles/nonsense`)).status).toBe(404);
  expect((await fetch(`${base}/vehicles/latest`, { headers: { accept: 'image/png' } })).status).toBe(406);
  expect(lines).toEqual([]);
  expect((await fetch(`${base}/vehicles/latest?token=secret`)).status).toBe(500);
  expect(lines).toMatchObject([
    { level: 50, msg: 'request failed', method: 'GET', path: '/vehicles/latest', err: { message: 'disk sdb1' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test.each([
  [new Error('disk sdb1'), 500, { level: 50, msg: 'request failed' }],
  [new StreamError('ERR_STORE_WRITE', 'disk sdb1'), 503, { level: 40, msg: 'post failed' }],
])('ING-26 a post that fails by %s is answered by %d, and leaves a line', async (error, status, line) => {
  const { base, lines, log } = await failingServer();
  log.append = () => Promise.reject(error);
  const headers = { authorization: 'Bearer token', 'content-type': 'application/n-quads' };
  const body = '<http://city.example/1> <http://city.example/level> "1" .';
  expect((await fetch(`${base}/vehicles`, { method: 'POST', body, headers })).status).toBe(status);
  expect(lines).toMatchObject([{ ...line, path: '/vehicles', err: { message: 'disk sdb1' } }]);
});

test('a push stream that fails leaves a line, in the process that has the log and in a worker', async () => {
  const { live, base, lines, logger } = await failingServer();
  const { left, right } = channelPair<ToWorker, ToOwner>();
  live.attachWorker(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: base, logger: { ...logger, name: 'worker-1' } });
  onTestFinished(() => worker.close());
  const workerBase = `http://127.0.0.1:${await worker.listen({ host: '127.0.0.1', port: 0 })}`;
  for (const at of [base, workerBase]) {
    const reader = await readEvents(`${at}/vehicles/events?from=${EPOCH}-0`);
    await eventually(() => expect(reader.state.ended).toBe(true));
  }
  expect(lines.at(0)).toMatchObject({ level: 50, msg: 'push failed', err: { message: 'disk sdb1' } });
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'push failed', name: 'worker-1' });
});
