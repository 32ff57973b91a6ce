import { prefixes } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { expect, test, vi } from 'vitest';
import { MemberTexts } from '../src/documents/member-texts.ts';
import type { EncodedCommit } from '../src/push/encoded-commits.ts';
import { EncodedCommits, textBytes } from '../src/push/encoded-commits.ts';
import { eventOf } from '../src/push/wire.ts';
import { EPOCH, fill, type TestServer, testServer, upsert } from './test-server.ts';

const MIB = 1024 * 1024;

const packetsOf = ({ log, description }: TestServer, limitBytes = MIB) =>
  new EncodedCommits(log, new MemberTexts(log, { description, prefixes }), limitBytes);
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

// A log of commits of one member each, of which those before `heard` came while nobody listened; all are as large.
async function remembering(limitCommits: number, { commits = 3, heard = 0, less = 0 } = {}) {
  const server = await testServer();
  const append = async (value: number) => void (await server.log.append([upsert(1, 1000 + value)]));
  const probe = packetsOf(server);
  for (let value = 0; value < Math.max(1, heard); value += 1) await append(value);
  const bytes = textBytes((await probe.read(0))[0] as EncodedCommit);
  probe.close();
  const source = packetsOf(server, limitCommits * bytes - less);
  source.subscribe(() => {});
  for (let value = Math.max(1, heard); value < commits; value += 1) await append(value);
  const remembered = (position: number) => {
    const read = source.read(position);
    return read instanceof Promise ? undefined : read;
  };
  const inCommits = (after: number | undefined) => after && after / bytes;
  const behind = () => Array.from({ length: commits + 2 }, (_, position) => inCommits(source.bytesAfter(position)));
  return { source, remembered, behind };
}

test('PUSH-3 what is remembered is the same object each time, as many commits at once as are given', async () => {
  const { source, remembered } = await remembering(1000, { commits: 150 });
  const first = await source.read(0);
  expect(extents(first.slice(0, 1))).toEqual([[0, 1, `${EPOCH}-1`]]);
  expect(remembered(0)?.[0]).toBe(first[0]);
  expect(remembered(0)).toHaveLength(100);
  expect(remembered(1)?.[0]).toBe(remembered(0)?.[1]);
  expect(remembered(140)?.map(({ last }) => last)).toEqual([141, 142, 143, 144, 145, 146, 147, 148, 149, 150]);
});

test.each([
  ['as many as the limit has room for are kept', 3, 0, [false, true, true, true]],
  ['the oldest makes room', 3, 1, [false, false, true, true]],
  ['one is kept however large it is', 1, 1, [false, false, false, true]],
])('PUSH-3 of what is remembered %s', async (_name, limit, less, expected) => {
  const { remembered } = await remembering(limit, { commits: 4, less });
  // The newest first: what is read from the log takes the place of others.
  const kept = [3, 2, 1, 0].map((position) => remembered(position) !== undefined);
  expect(kept.reverse()).toEqual(expected);
});

test('PUSH-59 how far behind a reader is does not depend on what is read again for others', async () => {
  const { source, remembered, behind } = await remembering(3, { commits: 6, heard: 3 });
  expect(behind().slice(3, 7)).toEqual([3, 2, 1, 0]);
  const before = remembered(3);
  await source.read(0);
  expect(remembered(3)?.[0]).not.toBe(before?.[0]);
  expect(behind().slice(3, 7)).toEqual([3, 2, 1, 0]);
});

test('PUSH-9 how much follows a position is known as far back as the limit, and not of what was read from the log', async () => {
  expect((await remembering(2, { commits: 4 })).behind()).toEqual([undefined, undefined, 2, 1, 0, undefined]);
  const { source, behind } = await remembering(10, { commits: 3 });
  await source.read(0);
  expect(behind()).toEqual([undefined, 2, 1, 0, undefined]);
});
