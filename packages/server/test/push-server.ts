import { formatCursor, type StreamError } from '@ldes-live/rdf-stream';
import { type EventReader, readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished } from 'vitest';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { writeProblem } from '../src/http/problem.ts';
import {
  createLiveServer,
  type LiveServerOptions,
  type LiveStream,
  type LiveStreamsOptions,
  type PushOptions,
} from '../src/index.ts';
import { RepeatedLines } from '../src/logging.ts';
import { pushSettings } from '../src/options.ts';
import { EncodedCommits } from '../src/push/encoded-commits.ts';
import { PushEndpoint } from '../src/push/endpoint.ts';
import { Snapshots } from '../src/push/snapshots.ts';
import { keptLines } from './kept-lines.ts';
import { emptyStream, PUBLIC_URL, testServer } from './test-server.ts';

/** Reads the events at a URL until the test has ended. */
async function readUntilFinished(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await readEvents(url, headers);
  onTestFinished(() => reader.close());
  return reader;
}

const readerOf =
  (base: string) =>
  (query = '', headers: Record<string, string> = {}) =>
    readUntilFinished(`${base}/vehicles/events${query}`, headers);

/** A test server on a port, with readers of its push endpoint that are closed after the test. */
export async function listening(options: Partial<LiveStreamsOptions> = {}) {
  const server = await testServer(options);
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.app.close());
  return { ...server, base, read: readerOf(base) };
}

/** A server of its own over an empty stream, on a port. */
export async function liveServer(options: Partial<LiveServerOptions> = {}, more: Partial<LiveStream> = {}) {
  const stream = { ...(await emptyStream()), ...more };
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream], ...options });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  return { ...stream, server, port, base, read: readerOf(base) };
}

/** Push over HTTP whose clock a test sets: what it would wait for comes when the test says so. */
export async function steppedPush(push: PushOptions = {}, random: () => number = () => 0) {
  const { log, description } = await testServer();
  const settings = pushSettings(push);
  const texts = new MemberTexts(log, { description, prefixes: {} });
  const commits = new EncodedCommits(log, texts, settings.limitFrameBytes);
  const time = { nowMs: 1 };
  const clock = () => time.nowMs;
  const { lines, logger } = keptLines();
  const endpoint = new PushEndpoint({ settings, random, clock, logger, lines: new RepeatedLines(logger, clock) });
  const snapshots = new Snapshots(log, texts);
  const stream = { description, breakEvenSeconds: 10, contextUrls: [], isPrivate: false, commits, snapshots };
  endpoint.open(stream);
  const { url, close } = await httpServer(async (request, response) => {
    try {
      await endpoint.serve('vehicles', { request, response });
    } catch (error) {
      writeProblem(response, error as StreamError);
    }
  });
  onTestFinished(async () => {
    endpoint.close();
    commits.close();
    await close();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
  const base = url.slice(0, -1);
  const waiting = (count: number) => eventually(() => expect(endpoint.admission.waiting).toBe(count));
  const cursor = (sequence: number) => formatCursor({ ...log.head.cursor, sequence });
  return { log, time, endpoint, base, read: readerOf(base), waiting, lines, stream, cursor };
}
