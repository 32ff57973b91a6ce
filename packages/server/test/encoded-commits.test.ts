import { prefixes, StreamError } from '@ldes-live/rdf-stream';
import { expect, type MockInstance, test, vi } from 'vitest';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { type EncodedCommit, EncodedCommits, heldBytes, textBytes } from '../src/push/encoded-commits.ts';
import { ReplayMemory } from '../src/push/replay-memory.ts';
import { eventOf } from '../src/push/wire.ts';
import { turns } from './push-lines.ts';
import { EPOCH, fill, type TestServer, testServer, upsert } from './test-server.ts';

const MIB = 1024 * 1024;

const commitsOf = ({ log, description }: TestServer, limitBytes = MIB) =>
  new EncodedCommits(log, new MemberTexts(log, { description, prefixes }), limitBytes);
const extents = (commits: readonly EncodedCommit[]) => commits.map(({ after, last, id }) => [after, last, id]);
const extent = (after: number, last: number) => [after, last, `${EPOCH}-${last}`];
/** A commit that is too large to be encoded at once. */
const wide = (value = 1, members = 700) => Array.from({ length: members }, (_, number) => upsert(number, value));

/** How often more than one member was read: a single one tells where a commit begins. */
const wholeReads = (reads: MockInstance<TestServer['log']['read']>) =>
  reads.mock.calls.filter(([, limit]) => limit > 1).length;

/** All commits up to the head, read one after the other. */
async function readAll(source: EncodedCommits): Promise<EncodedCommit[]> {
  const commits: EncodedCommit[] = [];
  while ((commits.at(-1)?.last ?? 0) < source.head.sequence) {
    commits.push(...(await source.read(commits.at(-1)?.last ?? 0)));
  }
  return commits;
}

/** What a listener hears, with the head when it hears it. */
function heardFrom(source: EncodedCommits) {
  const heard: EncodedCommit[] = [];
  const heads: number[] = [];
  const leave = source.subscribe((commit) => {
    heard.push(commit);
    heads.push(source.head.sequence);
  });
  return { heard, heads, leave };
}

test('a commit is encoded once for all who listen, in the tick in which the head moves', async () => {
  const server = await testServer();
  const source = commitsOf(server);
  const [first, second] = [heardFrom(source), heardFrom(source)];
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  second.leave();
  await server.log.append([upsert(1, 2)]);
  expect(extents(first.heard)).toEqual([extent(0, 2), extent(2, 3)]);
  expect([second.heard.length, second.heard[0] === first.heard[0], first.heads]).toEqual([1, true, [2, 3]]);
  // What was pushed is read without the log.
  expect(source.read(0)).toEqual(first.heard);
  source.close();
  await server.log.append([upsert(1, 3)]);
  expect(first.heard).toHaveLength(2);
});

test('a large commit is written in slices: the head waits for it, and what comes meanwhile follows in order', async () => {
  const server = await testServer();
  const source = commitsOf(server);
  const { heard, heads } = heardFrom(source);
  await server.log.append(wide());
  expect([source.head.sequence, heard.length]).toEqual([0, 0]);
  await server.log.append([upsert(1, 2)]);
  await server.log.append([upsert(2, 2)]);
  // Who has read a document may ask for what follows on it.
  await source.caughtUp();
  expect(extents(heard)).toEqual([extent(0, 700), extent(700, 701), extent(701, 702)]);
  expect(heads).toEqual([700, 701, 702]);
  expect(source.head).toEqual(server.log.head.cursor);
  expect(source.read(0)).toEqual(heard);
  await server.log.append([upsert(3, 3)]);
  expect(heard.at(-1)?.last).toBe(703);
});

test('PUSH-64 who waits for a large commit waits for none that came after it', async () => {
  const server = await testServer();
  const source = commitsOf(server);
  heardFrom(source);
  await server.log.append(wide(1));
  const caughtUp = source.caughtUp().then(() => source.head.sequence);
  await Promise.all([server.log.append(wide(2)), server.log.append(wide(3))]);
  expect(await caughtUp).toBe(700);
});

test('a fault while commits are on their way is told to all who listen, and they begin anew at the head', async () => {
  const server = await testServer();
  const source = commitsOf(server);
  const faults: unknown[] = [];
  source.subscribe(
    () => undefined,
    (error) => faults.push(error),
  );
  await server.log.append(wide());
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
  const source = commitsOf(server);
  await fill(server, 6, 2);
  expect(source.bytesAfter(0)).toBeUndefined();
  const read = await source.read(0);
  expect(extents(read)).toEqual([extent(0, 2), extent(2, 4), extent(4, 6)]);
  // And then remembered.
  expect(source.read(0)).toEqual(read);
});

test('who goes on from any place within a commit is given the whole of it, which is read once for all', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 0)]);
  server.time.nowMs += 1000;
  await server.log.append(wide());
  const source = commitsOf(server);
  const reads = vi.spyOn(server.log, 'read');
  const [whole] = await source.read(1);
  for (const place of [2, 3, 350, 699, 700]) expect((await source.read(place))[0]).toBe(whole);
  expect(extents([whole as EncodedCommit])).toEqual([extent(1, 701)]);
  expect(wholeReads(reads)).toBe(1);
});

test('who goes on within a commit is given the rest of it where retention erases its beginning meanwhile', async () => {
  const server = await testServer();
  await server.log.append(wide());
  const source = commitsOf(server);
  const { read } = server.log;
  vi.spyOn(server.log, 'read').mockImplementation(async (after, limit) => {
    if (after < 300) throw new StreamError('ERR_MEMBERS_REMOVED', 'erased');
    return read.call(server.log, after, limit);
  });
  expect(extents(await source.read(300))).toEqual([extent(300, 700)]);
});

test('reads of the same at the same time are one, others wait for it, and one that fails is not shared later', async () => {
  const server = await testServer();
  await fill(server, 3, 1);
  const source = commitsOf(server, 1);
  let letThrough = () => {};
  const { read } = server.log;
  const gate = new Promise<void>((resolve) => (letThrough = resolve));
  const reads = vi.spyOn(server.log, 'read').mockImplementation(async (...range) => {
    await gate;
    return read.apply(server.log, range);
  });
  const reading = [0, 0, 1].map((position) => source.read(position));
  await turns();
  expect(reads).toHaveBeenCalledTimes(1);
  letThrough();
  const [first, second] = await Promise.all(reading);
  expect(second).toBe(first);
  expect(wholeReads(reads)).toBe(2);
  reads.mockRejectedValueOnce(new Error('disk'));
  await expect(source.read(0)).rejects.toThrow('disk');
  expect(extents(await source.read(0))).toEqual(extents(first ?? []));
});

test.each([999, 1000, 1001, 2500])(
  'PUSH-4 a commit of %d members is read whole, and none is cut by the end of a read',
  async (members) => {
    const server = await testServer();
    await server.log.append(wide(1, members));
    server.time.nowMs += 1000;
    await fill(server, 4, 2);
    const commits = await readAll(commitsOf(server, 1));
    expect(extents(commits)).toEqual([0, 2, 4].map((more) => extent(more && members + more - 2, members + more)));
  },
);

test('a commit that comes while the log is read is not cut, nor given in part', async () => {
  const server = await testServer();
  await fill(server, 1000, 1);
  const source = commitsOf(server, 1);
  const read = source.read(0);
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  const commits = [...(await read)];
  while (commits.at(-1)?.last !== 1002) commits.push(...(await source.read(commits.at(-1)?.last ?? 0)));
  expect(commits.map(({ after }) => after)).toEqual([...Array(1001).keys()]);
});

test('a log that gives nothing before its head is an error, and no loop', async () => {
  const server = await testServer();
  await fill(server, 2, 1);
  vi.spyOn(server.log, 'read').mockResolvedValue([]);
  await expect(commitsOf(server).read(0)).rejects.toThrow(RangeError);
});

test('the event of a commit is made once, also of some of its members', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  const [commit] = (await commitsOf(server).read(0)) as [EncodedCommit];
  expect(eventOf(commit)).toBe(eventOf(commit));
  expect(eventOf(commit, [0, 1])).toBe(eventOf(commit));
  // Those who want the same are given the same array.
  const chosen = [1];
  expect(eventOf(commit, chosen)).toBe(eventOf(commit, chosen));
  expect(eventOf(commit, chosen)).toEqual(eventOf(commit, [1]));
  expect(eventOf(commit, chosen)).not.toEqual(eventOf(commit, [0]));
});

test('what readers hold is counted once however many hold it, and is full at the limit', async () => {
  const server = await testServer();
  await fill(server, 2, 1);
  const commits = await commitsOf(server).read(0);
  const bytes = commits.reduce((sum, commit) => sum + textBytes(commit), 0);
  for (const [limitBytes, expected] of [
    [bytes, true],
    [bytes + 1, false],
  ] as const) {
    const memory = new ReplayMemory(limitBytes, () => 0);
    const ends: (() => void)[] = [];
    const hold = () => memory.holding(commits, () => new Promise<void>((resolve) => ends.push(resolve)));
    const held = [hold(), hold()];
    expect(memory.isFull).toBe(expected);
    ends[0]?.();
    await held[0];
    expect(memory.isFull).toBe(expected);
    ends[1]?.();
    await held[1];
    expect(memory.isFull).toBe(false);
  }
});

// A log of commits of one member each, of which those before `heard` came while nobody listened; all are as large.
async function remembering(limitCommits: number, { commits = 3, heard = 0, less = 0 } = {}) {
  const server = await testServer();
  const append = async (value: number) => void (await server.log.append([upsert(1, 1000 + value)]));
  const probe = commitsOf(server);
  for (let value = 0; value < Math.max(1, heard); value += 1) await append(value);
  const [probed] = (await probe.read(0)) as [EncodedCommit];
  const bytes = textBytes(probed);
  probe.close();
  const source = commitsOf(server, limitCommits * heldBytes(probed) - less);
  heardFrom(source);
  for (let value = Math.max(1, heard); value < commits; value += 1) await append(value);
  const remembered = (position: number) => {
    const read = source.read(position);
    return read instanceof Promise ? undefined : read;
  };
  const inCommits = (after: number | undefined) => after && after / bytes;
  const behind = () => Array.from({ length: commits + 2 }, (_, position) => inCommits(source.bytesAfter(position)));
  return { source, remembered, behind };
}

test('what is remembered is the same object each time, as many commits at once as are given', async () => {
  const { source, remembered } = await remembering(1000, { commits: 150 });
  const known = remembered(1)?.[0];
  const first = await source.read(0);
  expect(extents(first.slice(0, 1))).toEqual([extent(0, 1)]);
  // Also what was remembered when it was read again.
  expect(first[1]).toBe(known);
  expect(remembered(0)?.[0]).toBe(first[0]);
  expect(remembered(0)).toHaveLength(100);
  expect(remembered(140)?.map(({ last }) => last)).toEqual([141, 142, 143, 144, 145, 146, 147, 148, 149, 150]);
});

test.each([
  ['as many as the limit has room for are kept', 3, 0, [false, true, true, true]],
  ['the oldest makes room', 3, 1, [false, false, true, true]],
  ['one is kept however large it is', 1, 1, [false, false, false, true]],
])('of what is remembered %s', async (_name, limit, less, expected) => {
  const { remembered } = await remembering(limit, { commits: 4, less });
  // The newest first: what is read from the log takes the place of others.
  const kept = [3, 2, 1, 0].map((position) => remembered(position) !== undefined);
  expect(kept.reverse()).toEqual(expected);
});

test('PUSH-59 how far behind a reader is is known as far back as the limit, whatever is read again for others', async () => {
  expect((await remembering(2, { commits: 4 })).behind()).toEqual([undefined, undefined, 2, 1, 0, undefined]);
  const { source, remembered, behind } = await remembering(3, { commits: 6, heard: 3 });
  const known = [undefined, undefined, undefined, 3, 2, 1, 0, undefined];
  expect(behind()).toEqual(known);
  const before = remembered(3)?.[0];
  await source.read(0);
  expect(remembered(3)?.[0]).not.toBe(before);
  expect(behind()).toEqual(known);
});
