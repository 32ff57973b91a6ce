import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { SseParser } from '@ldes-live/codec';
import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import { describeStream, formatCursor } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { type LiveStreamsOptions, liveStreams } from '../src/index.ts';
import { PUBLIC_URL, upsert } from './test-server.ts';

const PATH = '/vehicles/events';

/** An app of somebody else that the streams are put into. */
async function within(
  app: FastifyInstance,
  push: LiveStreamsOptions['push'] = {},
): Promise<{ port: number; log: StreamLog }> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  const streams = [{ description, log, schedule: () => ({ kind: 'unknown' }) as const, sources: () => [] }];
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams, push });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
    await log.close();
  });
  return { port: (app.server.address() as AddressInfo).port, log };
}

/** The ids of the updates that come in a body. */
function idsIn(body: Readable, coding: string | undefined): string[] {
  const ids: string[] = [];
  const parser = new SseParser({ onEvent: ({ event, id }) => event === 'update' && ids.push(id) });
  const plain = coding === 'gzip' ? body.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })) : body;
  plain.on('data', (chunk: Buffer) => parser.push(chunk));
  // A stream has no end of its own.
  plain.on('error', () => undefined);
  return ids;
}

async function expectEach(log: StreamLog, ids: readonly string[]): Promise<void> {
  const expected: string[] = [];
  for (let value = 1; value <= 5; value += 1) {
    const commit = await log.append([upsert(1, value), upsert(2, value)]);
    expected.push(formatCursor((commit ?? log.head).cursor));
    await eventually(() => expect(ids).toEqual(expected), { forMs: 10_000, everyMs: 5 });
  }
}

test.each([undefined, 'gzip'])('PUSH-63 over HTTP/2 the stream is the same (%s)', async (coding) => {
  const { port, log } = await within(Fastify({ http2: true }) as unknown as FastifyInstance);
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const opened = [1, 2].map(() => session.request({ ':path': PATH, ...(coding && { 'accept-encoding': coding }) }));
  const read: string[][] = [];
  for (const stream of opened) {
    const [headers] = await once(stream, 'response');
    expect(headers).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream' });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers).not.toHaveProperty('connection');
    read.push(idsIn(stream, coding));
  }
  const [first, second] = read as [string[], string[]];
  await expectEach(log, first);
  expect(second).toEqual(first);
  // One of two streams on a connection ends, the other goes on.
  opened[0]?.close();
  const commit = await log.append([upsert(3, 1)]);
  await eventually(() => expect(second.at(-1)).toBe(formatCursor((commit ?? log.head).cursor)));
  expect(first).not.toContain(second.at(-1));
});

test.each([undefined, 'gzip'])('PUSH-63 over TLS the stream is the same (%s)', async (coding) => {
  const { port, log } = await within(Fastify({ https: certificate() }) as unknown as FastifyInstance);
  const headers = coding === undefined ? {} : { 'accept-encoding': coding };
  const request = secureRequest({ host: '127.0.0.1', port, path: PATH, headers, rejectUnauthorized: false });
  request.end();
  onTestFinished(() => void request.destroy());
  const [response] = await once(request, 'response');
  expect(response.headers['content-encoding']).toBe(coding);
  await expectEach(log, idsIn(response, coding));
});

test('PUSH-27 a response that an app has begun itself is no stream, and takes no place', async () => {
  const app = Fastify({ http2: true }) as unknown as FastifyInstance;
  app.addHook('preHandler', async ({ headers }, reply) => {
    if (headers['x-begun']) reply.raw.flushHeaders();
  });
  const { port } = await within(app, { limitConnections: 1 });
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const begun = session.request({ ':path': PATH, 'x-begun': '1' });
  begun.on('error', () => undefined);
  const whenClosed = once(begun, 'close');
  await once(begun, 'response');
  begun.close();
  await whenClosed;
  const [headers] = await once(session.request({ ':path': PATH }), 'response');
  expect(headers).toMatchObject({ ':status': 200 });
});

// Made anew for each run: one that lies here would expire.
function certificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ldes-live-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], { stdio: 'ignore' });
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return made;
}
