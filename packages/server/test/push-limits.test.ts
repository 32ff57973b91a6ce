import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type Draft, HEARTBEAT_MS, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Literal } from '@rdfjs/types';
import { expect, test, vi } from 'vitest';
import { listening } from './push-server.ts';
import { entityOf, upsert } from './test-server.ts';
import { watchedLiteral } from './watched-literal.ts';

const MIB = 1024 * 1024;

// A draft that says one literal.
function saying(said: Literal): Draft {
  const quads = [quad(namedNode(entityOf(1)), namedNode('http://example.org/value'), said)];
  return { ...upsert(1, 1), quads } as Draft;
}

test('PUSH-3 a commit is encoded once for all connections that are up to date: they get the same bytes', async () => {
  const server = await listening();
  // How often a commit's content is read, with so many readers.
  const readsFor = async () => {
    const { term, count } = watchedLiteral('x');
    await server.log.append([saying(term)]);
    return count.reads;
  };
  const unread = await readsFor();
  const first = await server.readBytes();
  await vi.waitFor(async () => expect(await server.connections()).toBe(1));
  const forOne = await readsFor();
  expect(forOne).toBeGreaterThan(unread);
  await vi.waitFor(() => expect(first.ids()).toEqual([server.cursor(2)]));

  const others = await Promise.all([server.readBytes(), server.readBytes(), server.readBytes()]);
  await vi.waitFor(async () => expect(await server.connections()).toBe(4));
  expect(await readsFor()).toBe(forOne);
  await vi.waitFor(() => {
    for (const reader of [first, ...others]) expect(reader.ids().at(-1)).toBe(server.cursor(3));
  });
  const frames = [first, ...others].map((reader) =>
    reader.content().slice(reader.content().lastIndexOf('event: update')),
  );
  expect(new Set(frames).size).toBe(1);
});

test('PUSH-8 something is sent at once, and again while there are no events', async () => {
  const server = await listening({ heartbeatMs: 20 });
  const reader = await server.read();
  await vi.waitFor(() => expect(reader.comments.length).toBeGreaterThan(3));
});

test('PUSH-8 something is sent every 15 seconds unless it is configured', async () => {
  expect(HEARTBEAT_MS).toBe(15_000);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const server = await listening();
    const reader = await server.read();
    // Not waitFor, which would let the faked time pass.
    const comments = async (count: number) => {
      while (reader.comments.length < count) await setImmediate();
      expect(reader.comments).toHaveLength(count);
    };
    await comments(1);
    for (const count of [2, 3, 4]) {
      vi.advanceTimersByTime(15_000);
      await comments(count);
    }
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['1 MiB unless configured', {}, MIB],
  ['64 KiB where configured', { limitQueueBytes: 64 * 1024 }, 64 * 1024],
])(
  'PUSH-9 what waits for a slow reader is bounded, %s; one that is cut resumes by its cursor',
  async (_name, options, limitBytes) => {
    const server = await listening(options);
    const responses: ServerResponse[] = [];
    server.app.server.on('request', (_request, response) => responses.push(response));
    const reader = await server.read();
    const slow = await server.readBytes();
    const response = responses.at(-1) as ServerResponse;
    await vi.waitFor(async () => expect(await server.connections()).toBe(2));
    slow.pause();

    // More than the operating system keeps for a reader, in steps that are small beside the limit.
    const stepBytes = 16 * 1024;
    const waiting: number[] = [];
    while (!response.destroyed && waiting.length < 5000) {
      // Nothing leaves between here and the write, which is in the same turn of the event loop.
      waiting.push(response.writableLength);
      await server.log.append([saying(literal('x'.repeat(stepBytes)))]);
      while (reader.events.length < waiting.length) await setImmediate();
    }
    const [cutAt, ...kept] = waiting.reverse();
    expect(response.destroyed).toBe(true);
    expect(cutAt).toBeGreaterThan(limitBytes);
    expect(cutAt).toBeLessThan(limitBytes + 2 * stepBytes);
    expect(Math.max(...kept)).toBeLessThanOrEqual(limitBytes);
    expect(reader.state.ended).toBe(false);

    slow.resume();
    await slow.closed;
    const got = slow.ids();
    expect(got.length).toBeLessThan(waiting.length);
    const resumed = await server.read('', { 'last-event-id': got.at(-1) ?? server.cursor(0) });
    await resumed.count(waiting.length - got.length);
    const all = waiting.map((_, index) => server.cursor(index + 1));
    expect([...got, ...resumed.events.map(({ id }) => id)]).toEqual(all);
  },
);
