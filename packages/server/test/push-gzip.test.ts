import { once } from 'node:events';
import { connect } from 'node:http2';
import * as zlib from 'node:zlib';
import { SharedDeflate } from '@ldes-live/rdf-stream/push';
import { eventually } from '@ldes-live/test-support/eventually';
import { seededBytes } from '@ldes-live/test-support/properties';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { liveStreams } from '../src/index.ts';
import {
  bodyOf,
  broadcasting,
  commentsOf,
  eventsOf,
  expectHistories,
  type OpenLine,
  type PushWorld,
  turns,
} from './push-lines.ts';
import { EPOCH, emptyStream, PUBLIC_URL, upsert } from './test-server.ts';

const inGroup = ({ subscriber }: OpenLine) => subscriber.inGroup;
const open = ({ open: openLine }: PushWorld) => openLine({ encoding: 'gzip', isChunked: true });

/** Commits something, and resolves when all have it. */
async function commit(world: PushWorld, lines: readonly OpenLine[]): Promise<void> {
  const { sequence } = world.commits.head;
  await world.log.append([upsert(1, sequence), upsert(2, sequence)]);
  await world.arrived(lines, sequence + 2);
}

const expectEach = (world: PushWorld, lines: readonly OpenLine[]) =>
  expectHistories(world, lines, world.commits.head.sequence);

test('PUSH-15 the stream is one gzip member without an end, and each event can be read when its last byte is there', async () => {
  const world = await broadcasting();
  const line = open(world);
  for (let commits = 0; commits < 5; commits += 1) {
    await commit(world, [line]);
    expect(line.events()).toHaveLength(commits + 1);
  }
  const body = line.line.taken;
  // The header is the first chunk, or begins it; no other member follows.
  expect(bodyOf(body, { encoding: 'identity', chunked: true }).subarray(0, 3).toString('hex')).toBe('1f8b08');
  expect(() => zlib.gunzipSync(bodyOf(body, { encoding: 'identity', chunked: true }))).toThrow(
    'unexpected end of file',
  );
});

test('the group is sent one block, smaller than one that refers to nothing, and the others theirs', async () => {
  const world = await broadcasting();
  const members = Array.from({ length: 20 }, () => open(world));
  await commit(world, members);
  expect(members.every(inGroup)).toBe(true);
  await commit(world, members);
  const late = open(world);
  await commit(world, [...members, late]);
  expect(inGroup(late)).toBe(false);
  const blocks = new Set(members.map(({ line }) => line.writes.at(-1)));
  expect(blocks.size).toBe(1);
  const [block] = blocks;
  expect(block?.length).toBeLessThan((late.line.writes.at(-1)?.length ?? 0) / 2);
  await expectEach(world, [...members, late]);
});

test('a newcomer joins at a restart, which comes when those outside have taken as much as there are members', async () => {
  const world = await broadcasting();
  const members = Array.from({ length: 4 }, () => open(world));
  await commit(world, members);
  const late = open(world);
  const joinedAt: boolean[] = [];
  for (let commits = 0; commits < 5; commits += 1) {
    await commit(world, [...members, late]);
    joinedAt.push(inGroup(late));
  }
  expect(joinedAt).toEqual([false, false, false, true, true]);
  // From there on the same for all.
  expect(members.every(({ line }) => line.writes.at(-1) === late.line.writes.at(-1))).toBe(true);
  // Two outside take twice as much.
  const two = [open(world), open(world)];
  for (const expected of [false, false, true]) {
    await commit(world, [...members, late, ...two]);
    expect(two.map(inGroup)).toEqual([expected, expected]);
  }
  await expectEach(world, [...members, late, ...two]);
});

test('commits that go out in one write count each', async () => {
  const world = await broadcasting();
  const members = Array.from({ length: 4 }, () => open(world));
  await commit(world, members);
  const late = open(world);
  // While the first is compressed, the others come.
  for (let value = 1; value <= 4; value += 1) await world.log.append([upsert(1, 100 + value)]);
  await world.arrived([...members, late], 6);
  expect(late.line.writes.length).toBeLessThan(5);
  expect(inGroup(late)).toBe(true);
  await expectEach(world, [...members, late]);
});

test('the group is sent the same comments, and what comes after can be read', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world)];
  await commit(world, members);
  await world.beat(5000);
  await commit(world, members);
  // What was sent to the group last was that.
  await world.beat(10_999);
  expect(members.map(commentsOf)).toEqual([1, 1]);
  const late = open(world);
  await world.beat(1);
  await world.until(() => members.every((line) => commentsOf(line) === 2));
  expect(world.push.counters.heartbeats).toBe(2);
  expect(members[0]?.line.writes.at(-1)).toBe(members[1]?.line.writes.at(-1));
  for (let commits = 0; commits < 4; commits += 1) await commit(world, [...members, late]);
  expect([...members, late].every(inGroup)).toBe(true);
  await expectEach(world, [...members, late]);
});

test('who falls behind leaves the group, gets what it lacks beside it, and joins again', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world), open(world)];
  const [slow, ...quick] = members as [OpenLine, ...OpenLine[]];
  await commit(world, members);
  slow.line.hold();
  for (let commits = 0; commits < 3; commits += 1) await commit(world, quick);
  expect(inGroup(slow)).toBe(false);
  expect(quick.every(inGroup)).toBe(true);
  slow.line.release();
  await world.arrived([slow], 8);
  await commit(world, members);
  expect(inGroup(slow)).toBe(false);
  await commit(world, members);
  await commit(world, members);
  expect(inGroup(slow)).toBe(true);
  await expectEach(world, members);
});

test('where compression for the group fails, its members get blocks of their own, and join again', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world)];
  const write = vi.spyOn(SharedDeflate.prototype, 'write');
  const fail = () => write.mockRejectedValueOnce(new Error('no memory'));
  await commit(world, members);
  fail();
  await commit(world, members);
  expect(members.some(inGroup)).toBe(false);
  await commit(world, members);
  expect(members.every(inGroup)).toBe(true);
  fail();
  await world.beat(15_000);
  expect(members.some(inGroup)).toBe(false);
  await commit(world, members);
  await expectEach(world, members);
});

test('a group that all have left begins anew with who is there', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world)];
  await commit(world, members);
  for (const { line } of members) line.destroy();
  const late = open(world);
  await world.until(() => world.push.size === 1);
  await commit(world, [late]);
  expect(inGroup(late)).toBe(true);
  const beside = world.open();
  late.line.destroy();
  await world.until(() => world.push.size === 1);
  // Nothing is compressed for nobody.
  await commit(world, [beside]);
  const last = open(world);
  await commit(world, [beside, last]);
  await expectEach(world, [beside, last]);
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
      const response = session.request({ ':path': '/vehicles/events', 'accept-encoding': encoding });
      await once(response, 'response');
      const chunks: Buffer[] = [];
      const read = () => void response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
      const events = () => eventsOf(bodyOf(Buffer.concat(chunks), { encoding, chunked: false }).toString());
      return { read, events, after: 0 };
    };
    const [slow, quick] = [await open(), await open()];
    quick.read();
    await log.append([upsert(1, 1)]);
    await eventually(() => expect(quick.events()).toHaveLength(1));
    // What hardly compresses, and more than the window of a stream.
    for (let commits = 0; commits < 100; commits += 1) {
      const text = seededBytes(`text ${commits}`, 1950).toString('base64');
      await log.append([upsert(commits % 7, commits, text), upsert(10 + (commits % 3), commits, text)]);
      await turns(1);
    }
    for (const reader of [quick, slow]) {
      if (reader === slow) slow.read();
      await eventually(() => expect(reader.events().at(-1)?.id).toBe(`${EPOCH}-201`), { forMs: 10_000 });
    }
    await expectHistories({ log }, [slow, quick], 201);
    expect(slow.events().map(({ event }) => event)).toContain('conflated');
  },
);
