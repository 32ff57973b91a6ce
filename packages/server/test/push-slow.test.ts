import { once } from 'node:events';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type Draft, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { seededBytes } from '@ldes-live/test-support/properties';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { liveStreams } from '../src/index.ts';
import { expectHistory } from './expect-history.ts';
import { bodyOf, broadcasting, eventsOf, type OpenLine, settled } from './push-lines.ts';
import { listening } from './push-server.ts';
import { EPOCH, emptyStream, entityOf, PUBLIC_URL, remove, upsert } from './test-server.ts';

const MIB = 1024 * 1024;

/** A draft of so many bytes about an entity. */
function saying(entity: number, characters: number): Draft {
  const quads = [
    quad(namedNode(entityOf(entity)), namedNode('http://example.org/text'), literal('x'.repeat(characters))),
  ];
  return { ...upsert(entity, 1), quads } as Draft;
}

type World = Awaited<ReturnType<typeof broadcasting>>;

const everything = () => true;
const isHeldUp = ({ line }: OpenLine) => line.writableLength > 0;

test('PUSH-59 a connection whose bytes have not left is given nothing more, and goes on in order when they have', async () => {
  const world = await broadcasting();
  const reader = world.open();
  reader.line.hold();
  await world.log.append([upsert(1, 1)]);
  await settled(world.push, () => isHeldUp(reader));
  const heldBytes = reader.line.writableLength;
  for (let value = 2; value <= 20; value += 1) {
    await world.log.append([upsert(value, value)]);
    await setImmediate();
    expect(reader.line.writableLength).toBe(heldBytes);
  }
  expect(world.push.counters.catchingUp + world.push.counters.live).toBe(0);
  world.push.tick(3000);
  expect(world.push.counters).toMatchObject({ catchingUp: 1, live: 0, queueBytes: world.commits.bytesAfter(1) });
  reader.line.release();
  await settled(world.push, () => reader.events().length === 20);
  const members = await world.log.read(0, 100);
  expect(expectHistory(reader.events(), 0, { epoch: EPOCH, members, wants: everything })).toBe(20);
  expect(reader.events().map(({ event }) => event)).not.toContain('conflated');
});

test.each([
  ['the next commit', async (world: World) => void (await world.log.append([upsert(1, 2)]))],
  ['the next heartbeat', async (world: World) => world.push.tick(3000)],
])(
  'PUSH-61 a reader who hangs up and does not take what was written before is cut soon after %s',
  async (_name, next) => {
    const world = await broadcasting();
    const reader = world.open();
    reader.line.hold();
    await world.log.append([upsert(1, 1)]);
    await settled(world.push, () => isHeldUp(reader));
    // As a socket of HTTP/1 ends whose other end is closed.
    reader.line.end();
    await next(world);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    world.time.nowMs += 1999;
    world.push.tick(3000);
    await setImmediate();
    expect(world.push.size).toBe(1);
    world.time.nowMs += 1;
    world.push.tick(3000);
    await settled(world.push, () => world.push.size === 0);
    expect(world.push.counters.closed).toMatchObject({ reader: 1, slow: 0, shutdown: 0 });
  },
);

test.each([
  ['as many bytes as the limit', 0, false],
  ['one byte more', -1, true],
  ['more than is remembered', 0, true, 1],
])(
  'PUSH-9, PUSH-60 a reader who is %s behind, by a limit of %d beside it, gets the newest state: %s',
  async (_name, beside, isConflated, limitFrameBytes = MIB) => {
    // What so much is, in a world of its own.
    const run = async (limits: { limitQueueBytes: number; limitFrameBytes?: number }) => {
      const world = await broadcasting(limits);
      const reader = world.open();
      reader.line.hold();
      await world.log.append([upsert(1, 1)]);
      await settled(world.push, () => isHeldUp(reader));
      for (let value = 2; value <= 9; value += 1) await world.log.append([upsert(value % 3, value), upsert(5, value)]);
      await world.log.append([remove(0)]);
      await setImmediate();
      const lacksBytes = world.commits.bytesAfter(1) ?? Number.POSITIVE_INFINITY;
      world.push.tick(3000);
      // Past the limit the newest state takes the place of what waits.
      expect(world.push.counters.queueBytes).toBe(Math.min(lacksBytes, limits.limitQueueBytes));
      reader.line.release();
      await settled(world.push, () => reader.events().at(-1)?.id === `${EPOCH}-18`);
      const members = await world.log.read(0, 100);
      expect(expectHistory(reader.events(), 0, { epoch: EPOCH, members, wants: everything })).toBe(18);
      return { lacksBytes, conflations: world.push.counters.conflations, events: reader.events() };
    };
    const { lacksBytes } = await run({ limitQueueBytes: MIB });
    const { conflations, events } = await run({ limitQueueBytes: lacksBytes + beside, limitFrameBytes });
    expect(conflations).toBe(isConflated ? 1 : 0);
    if (!isConflated) return;
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['update', `${EPOCH}-1`],
      ['conflated', `${EPOCH}-1`],
      ['update', `${EPOCH}-18`],
    ]);
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({ from: `${EPOCH}-1`, to: `${EPOCH}-18` });
    // Each entity once, the end of one included.
    expect(events[2]?.sequences).toEqual([12, 14, 17, 18]);
  },
);

test('PUSH-60 who falls behind from the very beginning gets on, whatever state of nothing was given before', async () => {
  const world = await broadcasting({ limitQueueBytes: 1 });
  const first = world.open({ isState: true });
  await settled(world.push, () => first.events().length === 2 && first.subscriber.slot >= 0);
  const second = world.open();
  for (const { line } of [first, second]) line.hold();
  world.time.nowMs += 15_000;
  world.push.tick(3000);
  await settled(world.push, () => isHeldUp(first) && isHeldUp(second));
  await world.log.append([upsert(1, 1)]);
  await world.log.append([upsert(1, 2), upsert(2, 1)]);
  for (const { line } of [first, second]) line.release();
  await settled(world.push, () => [first, second].every((each) => each.events().at(-1)?.id === `${EPOCH}-3`));
  const members = await world.log.read(0, 100);
  for (const each of [first, second]) {
    expect(expectHistory(each.events(), 0, { epoch: EPOCH, members, wants: everything })).toBe(3);
    expect(each.line.writes.length).toBeLessThan(10);
  }
});

test('PUSH-9, PUSH-59 what waits for a reader over HTTP is bounded; when it reads on it gets the newest state', async () => {
  const limitQueueBytes = 64 * 1024;
  const server = await listening({ push: { limitQueueBytes } });
  const sockets: Socket[] = [];
  server.app.server.on('connection', (socket) => sockets.push(socket));
  const slow = await server.readBytes();
  const socket = sockets.at(-1) as Socket;
  const quick = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(2));
  slow.pause();
  let commits = 0;
  const commit = async (characters: number) => {
    commits += 1;
    await server.log.append([saying(commits % 10, characters)]);
    while (quick.events.length < commits) await setImmediate();
  };
  // More than the system keeps for a reader, then in steps that are small beside the limit.
  while (socket.writableLength === 0) await commit(256 * 1024);
  await commit(256 * 1024);
  const held = socket.writableLength;
  const waiting: number[] = [];
  for (let steps = 0; steps < 20; steps += 1) {
    await commit(16 * 1024);
    waiting.push(socket.writableLength);
  }
  // One write of shared bytes, to which nothing is added.
  expect(Math.max(...waiting)).toBeLessThanOrEqual(held);
  expect(held).toBeLessThan(2 * 256 * 1024);
  slow.resume();
  await eventually(() => expect(slow.ids().at(-1)).toBe(server.cursor(commits)), { forMs: 20_000 });
  const events = eventsOf(slow.content());
  expect(events.map(({ event }) => event)).toContain('conflated');
  const members = await readAll(server.log);
  expect(expectHistory(events, 0, { epoch: EPOCH, members, wants: everything })).toBe(commits);
  // And then each commit again.
  await server.log.append([upsert(1, 1)]);
  await eventually(() => expect(slow.ids().at(-1)).toBe(server.cursor(commits + 1)));
  expect(quick.events.map(({ event }) => event)).not.toContain('conflated');
});

test('PUSH-58, PUSH-61 a reader over HTTP that takes nothing is cut, and resumes without gap or double', async () => {
  // Long enough for a busy machine to serve the quick reader.
  const server = await listening({ push: { limitStallMs: 1000, heartbeatMs: 100 } });
  const [[socket], slow] = await Promise.all([once(server.app.server, 'connection'), server.readBytes()]);
  const quick = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(2));
  slow.pause();
  let commits = 0;
  // More than the system keeps for a reader, who may be cut by then.
  while ((socket as Socket).writableLength === 0 && !(socket as Socket).destroyed) {
    commits += 1;
    await server.log.append([saying(commits % 10, 256 * 1024)]);
    while (quick.events.length < commits && !quick.state.ended) await setImmediate();
  }
  await eventually(async () => expect(await server.connections()).toBe(1));
  expect(quick.state.ended).toBe(false);
  slow.resume();
  await slow.closed;
  const got = slow.ids().filter((id) => id !== '');
  expect(got.length).toBeLessThan(commits);
  const resumed = await server.read('', { 'last-event-id': got.at(-1) ?? server.cursor(0) });
  await resumed.count(commits - got.length);
  expect([...got, ...resumed.events.map(({ id }) => id)]).toEqual(
    Array.from({ length: commits }, (_, index) => server.cursor(index + 1)),
  );
});

test.each(['identity', 'gzip'] as const)(
  'PUSH-59, PUSH-60 a stream of HTTP/2 that is not read holds up no other, and goes on by the newest state (%s)',
  async (encoding) => {
    const stream = await emptyStream();
    const { log } = stream;
    const app = Fastify({ http2: true }) as unknown as FastifyInstance;
    await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [stream], push: { limitQueueBytes: 100_000 } });
    const session = connect(await app.listen({ host: '127.0.0.1', port: 0 }));
    onTestFinished(async () => {
      session.destroy();
      await app.close();
    });
    const open = async () => {
      const stream = session.request({ ':path': '/vehicles/events', 'accept-encoding': encoding });
      await once(stream, 'response');
      const chunks: Buffer[] = [];
      const read = () => void stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
      const events = () => eventsOf(bodyOf(Buffer.concat(chunks), { encoding, chunked: false }).toString());
      return { read, events };
    };
    const [slow, quick] = [await open(), await open()];
    quick.read();
    await log.append([upsert(1, 1)]);
    await eventually(() => expect(quick.events()).toHaveLength(1));
    // What hardly compresses, and more than the window of a stream.
    for (let commits = 0; commits < 100; commits += 1) {
      const text = seededBytes(`text ${commits}`, 1950).toString('base64');
      await log.append([upsert(commits % 7, commits, text), upsert(10 + (commits % 3), commits, text)]);
      await setImmediate();
    }
    const head = `${EPOCH}-201`;
    await eventually(() => expect(quick.events().at(-1)?.id).toBe(head), { forMs: 10_000 });
    slow.read();
    await eventually(() => expect(slow.events().at(-1)?.id).toBe(head), { forMs: 10_000 });
    const members = await readAll(log);
    for (const { events } of [slow, quick]) {
      expect(expectHistory(events(), 0, { epoch: EPOCH, members, wants: everything })).toBe(201);
    }
    expect(slow.events().map(({ event }) => event)).toContain('conflated');
  },
);

async function readAll(log: Awaited<ReturnType<typeof listening>>['log']) {
  const members = [];
  while (members.length < log.head.cursor.sequence) members.push(...(await log.read(members.length, 500)));
  return members;
}
