import { prefixes } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { expect, test, vi } from 'vitest';
import type { EncodedCommit } from '../src/push/encoded-commits.ts';
import { CommitEncoder, CommitMemory, EncodedCommits, textBytes } from '../src/push/encoded-commits.ts';
import { eventOf } from '../src/push/wire.ts';
import { EPOCH, fill, type TestServer, testServer, upsert } from './test-server.ts';

const MIB = 1024 * 1024;

const packetsOf = ({ log, description }: TestServer, limitBytes = MIB) =>
  new EncodedCommits(log, new CommitEncoder(log, { description, prefixes }), limitBytes);
const extents = (packets: readonly EncodedCommit[]) => packets.map(({ after, last, id }) => [after, last, id]);

test('PUSH-3 a commit is one packet for all who listen, in the tick in which the head moves', async () => {
  const server = await testServer();
  const source = packetsOf(server);
  const heard: EncodedCommit[][] = [[], []];
  const heads: number[] = [];
  const unsubscribe = heard.map((packets) =>
    source.subscribe((packet) => {
      packets.push(packet);
      heads.push(source.head.sequence);
    }),
  );
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  unsubscribe[1]?.();
  await server.log.append([upsert(1, 2)]);
  expect(extents(heard[0] as EncodedCommit[])).toEqual([
    [0, 2, `${EPOCH}-2`],
    [2, 3, `${EPOCH}-3`],
  ]);
  expect(heard[1]).toEqual([heard[0]?.[0]]);
  expect(heard[1]?.[0]).toBe(heard[0]?.[0]);
  expect(heads).toEqual([2, 2, 3]);
  // What was pushed is read without the log.
  expect(source.read(0)).toEqual(heard[0]);
  expect(source.bytesAfter(0)).toBeGreaterThan(source.bytesAfter(2) ?? Number.NaN);
  source.close();
  await server.log.append([upsert(1, 3)]);
  expect(heard[0]).toHaveLength(2);
});

test('PUSH-3 a large commit is written in slices: the head waits for it, and what comes meanwhile follows in order', async () => {
  const server = await testServer();
  const source = packetsOf(server);
  const heard: EncodedCommit[] = [];
  const heads: number[] = [];
  source.subscribe((packet) => {
    heard.push(packet);
    heads.push(source.head.sequence);
  });
  const wide = Array.from({ length: 700 }, (_, number) => upsert(number, 1));
  await server.log.append(wide);
  expect([source.head.sequence, heard.length]).toEqual([0, 0]);
  await server.log.append([upsert(1, 2)]);
  await server.log.append([upsert(2, 2)]);
  // Who has read a document may ask for what follows on it.
  await source.caughtUp();
  expect(extents(heard)).toEqual([
    [0, 700, `${EPOCH}-700`],
    [700, 701, `${EPOCH}-701`],
    [701, 702, `${EPOCH}-702`],
  ]);
  expect(heads).toEqual([700, 701, 702]);
  expect(source.head).toEqual(server.log.head.cursor);
  expect(source.read(0)).toEqual(heard);
  await server.log.append([upsert(3, 3)]);
  expect(heard.at(-1)?.last).toBe(703);
});

test('PUSH-64 who waits for a large commit waits for none that came after it', async () => {
  const server = await testServer();
  const source = packetsOf(server);
  source.subscribe(() => undefined);
  const wide = (value: number) => Array.from({ length: 700 }, (_, number) => upsert(number, value));
  await server.log.append(wide(1));
  const caughtUp = source.caughtUp().then(() => source.head.sequence);
  await Promise.all([server.log.append(wide(2)), server.log.append(wide(3))]);
  expect(await caughtUp).toBe(700);
});

test('a fault while commits are on their way is told to all who listen, and they begin anew at the head', async () => {
  const server = await testServer();
  const source = packetsOf(server);
  const faults: unknown[] = [];
  source.subscribe(
    () => undefined,
    (error) => faults.push(error),
  );
  await server.log.append(Array.from({ length: 700 }, (_, number) => upsert(number, 1)));
  await server.log.append([upsert(1, 2)]);
  expect(source.published.sequence).toBe(701);
  const fault = new Error('disk');
  server.log.read = () => Promise.reject(fault);
  await source.caughtUp();
  expect(faults).toEqual([fault]);
  expect(source.head).toEqual(server.log.head.cursor);
});

test('while nobody listens nothing is written, and it is read from the log', async () => {
  const server = await testServer();
  const source = packetsOf(server);
  await fill(server, 6, 2);
  expect(source.bytesAfter(0)).toBeUndefined();
  const read = await source.read(0);
  expect(extents(read)).toEqual([
    [0, 2, `${EPOCH}-2`],
    [2, 4, `${EPOCH}-4`],
    [4, 6, `${EPOCH}-6`],
  ]);
  // And then remembered.
  expect(source.read(0)).toEqual(read);
  // Within a commit: the rest of it.
  expect(extents(await source.read(3))).toEqual([
    [3, 4, `${EPOCH}-4`],
    [4, 6, `${EPOCH}-6`],
  ]);
});

test('reads of the same at the same time are one, and one that fails is not shared with those who come later', async () => {
  const server = await testServer();
  await fill(server, 3, 1);
  const source = packetsOf(server, 1);
  const members = vi.spyOn(server.log, 'read');
  const [first, second] = await Promise.all([source.read(0), source.read(0), source.read(1)]);
  expect(second).toBe(first);
  expect(members).toHaveBeenCalledTimes(2);
  members.mockRejectedValueOnce(new Error('disk'));
  await expect(source.read(0)).rejects.toThrow('disk');
  expect(extents(await source.read(0))).toEqual(extents(first));
});

test.each([999, 1000, 1001, 2500])(
  'PUSH-4 a commit of %d members is read whole, and none is cut by the end of a read',
  async (members) => {
    const server = await testServer();
    await server.log.append(Array.from({ length: members }, (_, index) => upsert(index, 1)));
    server.time.nowMs += 1000;
    await fill(server, 4, 2);
    const source = packetsOf(server, 1);
    const packets: EncodedCommit[] = [];
    while ((packets.at(-1)?.last ?? 0) < source.head.sequence)
      packets.push(...(await source.read(packets.at(-1)?.last ?? 0)));
    expect(extents(packets).map(([after, last]) => [after, last])).toEqual([
      [0, members],
      [members, members + 2],
      [members + 2, members + 4],
    ]);
  },
);

test('a commit that comes while the log is read is not cut, nor given in part', async () => {
  const server = await testServer();
  await fill(server, 1000, 1);
  const source = packetsOf(server, 1);
  const read = source.read(0);
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  const packets = [...(await read)];
  while ((packets.at(-1) as EncodedCommit).last < 1002)
    packets.push(...(await source.read((packets.at(-1) as EncodedCommit).last)));
  expect(packets.at(-1)).toMatchObject({ after: 1000, last: 1002 });
  expect(packets.map(({ after }) => after)).toEqual([...Array(1001).keys()]);
});

test('a log that gives nothing before its head is an error, and no loop', async () => {
  const server = await testServer();
  await fill(server, 2, 1);
  vi.spyOn(server.log, 'read').mockResolvedValue([]);
  await expect(packetsOf(server).read(0)).rejects.toThrow(RangeError);
});

test('PUSH-3 the event of a packet is made once, also of some of its members', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  const [packet] = (await packetsOf(server).read(0)) as [EncodedCommit];
  expect(eventOf(packet)).toBe(eventOf(packet));
  expect(eventOf(packet, [0, 1])).toBe(eventOf(packet));
  // Those who want the same are given the same array.
  const chosen = [1];
  expect(eventOf(packet, chosen)).toBe(eventOf(packet, chosen));
  expect(eventOf(packet, chosen)).toEqual(eventOf(packet, [1]));
  expect(eventOf(packet, chosen)).not.toEqual(eventOf(packet, [0]));
});

test('PUSH-3 readers that come back together cost the log no more reads than one of them', async () => {
  const server = await testServer();
  await fill(server, 500, 50);
  const members = vi.spyOn(server.log, 'read');
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const url = `${base}/vehicles/events?from=${server.log.head.cursor.epoch}-0`;
  const readers = await Promise.all(Array.from({ length: 20 }, () => readEvents(url)));
  for (const reader of readers) await reader.count(10);
  for (const { events } of readers) expect(events).toEqual(readers[0]?.events);
  expect(members).toHaveBeenCalledTimes(1);
  for (const reader of readers) reader.close();
  await server.app.close();
});

const BYTES = 100;

/** A packet of a hundred bytes of text. */
function packetOf(first: number, last = first): EncodedCommit {
  const nodes = Array.from({ length: last - first + 1 }, () => '');
  nodes[0] = 'x'.repeat(BYTES);
  const members = nodes.map((node) => ({ node, others: '' }));
  const pieces = { context: '', head: [], stream: '', link: '', members };
  return { after: first - 1, last, id: `e-${last}`, subjects: [], pieces };
}

/** A memory with packets of one member each, the first of sequence 1. */
function memoryOf(packets: number, limitBytes: number): CommitMemory {
  const memory = new CommitMemory(limitBytes);
  for (let first = 1; first <= packets; first += 1) memory.append(packetOf(first));
  return memory;
}

test('PUSH-3 what is remembered is the same object each time, and what is left of a commit is another', () => {
  const memory = new CommitMemory(10 * BYTES);
  const [whole, rest] = [packetOf(1, 2), packetOf(2)];
  memory.append(whole);
  expect(memory.keep(rest)).toBe(rest);
  expect(memory.keep(packetOf(1, 2))).toBe(whole);
  expect([1, 2, 3].map((sequence) => memory.startingAt(sequence))).toEqual([whole, rest, undefined]);
});

test('PUSH-3 the oldest make room at the limit, and one is kept however large it is', () => {
  const held = (memory: CommitMemory) => [1, 2, 3].filter((sequence) => memory.startingAt(sequence));
  expect(textBytes(packetOf(1))).toBe(BYTES);
  expect(held(memoryOf(3, 3 * BYTES))).toEqual([1, 2, 3]);
  expect(held(memoryOf(3, 3 * BYTES - 1))).toEqual([2, 3]);
  expect(held(memoryOf(3, 1))).toEqual([3]);
});

test('a commit that is appended takes the place of what was read of it, and room once', () => {
  const memory = new CommitMemory(2 * BYTES);
  memory.keep(packetOf(1));
  memory.append(packetOf(1));
  memory.append(packetOf(2));
  expect([1, 2].map((sequence) => memory.startingAt(sequence)?.last)).toEqual([1, 2]);
  expect(memory.bytesAfter(0)).toBe(2 * BYTES);
});

test('what follows a position is given without gaps, up to so many', () => {
  const memory = memoryOf(3, 10 * BYTES);
  memory.append(packetOf(5, 6));
  const following = (position: number, most: number) => memory.following(position, most).map(({ last }) => last);
  expect(following(0, 10)).toEqual([1, 2, 3]);
  expect(following(0, 2)).toEqual([1, 2]);
  expect(following(3, 10)).toEqual([]);
  expect(following(4, 10)).toEqual([6]);
  expect(following(5, 10)).toEqual([]);
});

test('PUSH-59 how far behind a reader is does not depend on what is read again for others', () => {
  const memory = memoryOf(3, 3 * BYTES);
  for (const first of [-30, -20, -10]) memory.keep(packetOf(first));
  expect([1, 2, 3].map((sequence) => memory.startingAt(sequence))).toEqual([undefined, undefined, undefined]);
  expect([0, 1, 2, 3].map((position) => memory.bytesAfter(position))).toEqual([3 * BYTES, 2 * BYTES, BYTES, 0]);
});

test('PUSH-9 how much follows a position is known as far back as the limit', () => {
  const memory = memoryOf(3, 2 * BYTES);
  expect([0, 1, 2, 3, 4].map((position) => memory.bytesAfter(position))).toEqual([
    undefined,
    2 * BYTES,
    BYTES,
    0,
    undefined,
  ]);
  // Of what was read from the log it is not.
  const read = new CommitMemory(10 * BYTES);
  read.keep(packetOf(1));
  read.append(packetOf(2));
  expect([0, 1, 2].map((position) => read.bytesAfter(position))).toEqual([undefined, BYTES, 0]);
});
