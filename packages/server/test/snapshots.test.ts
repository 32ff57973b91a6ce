import { type Draft, prefixes } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { type EncodedCommit, membersAfter } from '../src/push/encoded-commits.ts';
import { type Snapshot, Snapshots } from '../src/push/snapshots.ts';
import { broadcasting, eventsOf, expectHistories, expectHistory, following, membersOf, turns } from './push-lines.ts';
import { EPOCH, entityOf, fill, remove, type TestServer, testServer, upsert } from './test-server.ts';

const textsOf = ({ log, description }: TestServer) => new MemberTexts(log, { description, prefixes });
const snapshotsOf = (server: TestServer) => new Snapshots(server.log, textsOf(server));
const partsOf = (snapshot: Snapshot) =>
  Promise.all(Array.from({ length: snapshot.length }, (_, index) => snapshot.part(index)));
const toldBy = (parts: readonly EncodedCommit[]) =>
  parts
    .flatMap(({ subjects }) => subjects)
    .map(({ entity, kind }) => `${kind} ${entity.slice(entityOf(0).length - 1)}`);
const wide = (count: number, value = 1) => Array.from({ length: count }, (_, number) => upsert(number, value));
const own = (number: number, hour: number) =>
  ({ ...upsert(number, hour), versionTime: `2026-01-01T${hour}:00:00Z` }) as Draft;

const SNAPSHOTS: [string, Draft[][], number, string[]][] = [
  [
    'PUSH-56 the whole state is the newest version of each living entity, by sequence',
    [wide(3), wide(3, 2), [remove(1)], [upsert(0, 9)]],
    0,
    ['upsert 2', 'upsert 0'],
  ],
  [
    'PUSH-60 what changed after a position is told once each, ends included, by sequence',
    [wide(3), [upsert(0, 5)], [remove(1), upsert(3, 5), remove(2)], [upsert(2, 6)]],
    4,
    ['delete 1', 'upsert 3', 'upsert 2'],
  ],
  [
    'PUSH-60, DOC-76 of an entity that only got older versions since nothing is told, also after it ended and began',
    [[own(0, 12), own(1, 12)], [own(0, 11), remove(1)], [own(1, 10)]],
    2,
    ['upsert 1'],
  ],
];

test.each(SNAPSHOTS)('%s', async (_name, commits, position, told) => {
  const server = await testServer();
  for (const drafts of commits) await server.log.append(drafts);
  const { sequence } = server.log.head.cursor;
  const snapshot = await snapshotsOf(server).after(position);
  expect(snapshot.to).toBe(sequence);
  expect(toldBy(await partsOf(snapshot))).toEqual(told);
});

test('PUSH-58, PUSH-60 it comes in parts, of which only the last one has an id', async () => {
  const server = await testServer();
  await server.log.append(wide(251));
  const snapshots = snapshotsOf(server);
  const extents = async (position: number) =>
    (await partsOf(await snapshots.after(position))).map(({ id, subjects }) => [id, subjects.length]);
  expect(await extents(0)).toEqual([
    ['', 250],
    [`${EPOCH}-251`, 1],
  ]);
  expect(await extents(1)).toEqual([[`${EPOCH}-251`, 250]]);
});

test('PUSH-60 those who ask at about the same time get the same one, and later ones a newer one', async () => {
  const server = await testServer();
  await fill(server, 300, 300);
  const snapshots = snapshotsOf(server);
  const [first, second] = await Promise.all([snapshots.after(290), snapshots.after(290)]);
  expect(second).toBe(first);
  expect(await first?.part(0)).toBe(await second?.part(0));
  const read = vi.spyOn(server.log, 'read');
  await server.log.append(wide(250, 7));
  expect(await snapshots.after(290)).toBe(first);
  // It was made for those a little further behind too.
  expect(await snapshots.after(284)).toBe(first);
  expect(read).not.toHaveBeenCalled();
  await server.log.append([upsert(1, 8)]);
  const newer = await snapshots.after(290);
  expect([first?.to, newer.to]).toEqual([300, 551]);
});

test('PUSH-60 readers at many positions share one, and it tells each what changed after its own', async () => {
  const server = await testServer();
  await fill(server, 2000, 400);
  const snapshots = snapshotsOf(server);
  const read = vi.spyOn(server.log, 'read');
  const positions = Array.from({ length: 1000 }, (_, index) => 1999 - index);
  const given = await Promise.all(positions.map((position) => snapshots.after(position)));
  expect(new Set(given).size).toBe(1);
  expect(read.mock.calls.length).toBeLessThan(5);
  for (const position of [1999, 1500, 1000]) {
    const later = (await partsOf(given[0] as Snapshot)).flatMap((part) => {
      const chosen = membersAfter(part, position);
      return part.subjects.filter((_, member) => part.last > position && (chosen?.includes(member) ?? true));
    });
    const changed = new Set((await server.log.read(position, 2000)).map(({ entity }) => entity));
    expect(later.map(({ entity }) => entity).sort()).toEqual([...changed].sort());
  }
});

test('PUSH-60 a part that is kept no more is read again, the same as it was, whatever was committed and erased since', async () => {
  const server = await testServer();
  await server.log.append(wide(600));
  const snapshot = await new Snapshots(server.log, textsOf(server), 1).after(0);
  const { readMembers } = server.log;
  const active = { now: 0, most: 0 };
  server.log.readMembers = async (sequences) => {
    active.now += 1;
    active.most = Math.max(active.most, active.now);
    await turns(1);
    return readMembers.call(server.log, sequences).finally(() => (active.now -= 1));
  };
  const before = await partsOf(snapshot);
  // Whoever asks, one at a time.
  expect(active.most).toBe(1);
  await server.log.append([upsert(599, 2)]);
  await server.log.unlink({ first: 1, last: 250 });
  await server.log.erase({ first: 1, last: 250 });
  const after = await partsOf(snapshot);
  expect(after).toEqual(before);
  expect(after[0]).not.toBe(before[0]);
});

test('PUSH-60 what is erased while it is made is made again for those who can be told, and not for others', async () => {
  const server = await testServer();
  await fill(server, 600, 10);
  const snapshots = snapshotsOf(server);
  await server.log.unlink({ first: 1, last: 250 });
  const { read } = server.log;
  let erased: Promise<void> | undefined;
  server.log.read = async (...range) => {
    erased ??= server.log.erase({ first: 1, last: 250 });
    await erased;
    return read.apply(server.log, range);
  };
  const [behind, further] = await Promise.allSettled([snapshots.after(300), snapshots.after(100)]);
  expect(behind).toMatchObject({ status: 'fulfilled', value: { to: 600 } });
  expect(further).toMatchObject({ status: 'rejected', reason: { code: 'ERR_MEMBERS_REMOVED' } });
  // Nor later, and as far back as it can.
  await expect(snapshots.after(5)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  expect((await snapshotsOf(server).after(250)).to).toBe(600);
});

test('PUSH-60 it is as of the head, whatever is committed while it is read', async () => {
  const server = await testServer();
  await fill(server, 2500, 500);
  const making = [100, 0].map((position) => snapshotsOf(server).after(position));
  await server.log.append([upsert(3, 9), remove(4)]);
  for (const snapshot of await Promise.all(making)) {
    const parts = await partsOf(snapshot);
    expect([snapshot.to, parts.at(-1)?.last, toldBy(parts).length]).toEqual([2500, 2500, 500]);
  }
});

test('PUSH-56 ?from=latest begins with the state of what is asked for, and goes on from there', async () => {
  const world = await broadcasting();
  for (const drafts of [wide(4), [remove(1)], [upsert(2, 99)]]) await world.log.append(drafts);
  const readers = [world.open({ isState: true }), world.open({ isState: true, query: following(2) })];
  // Where nothing of it concerns the reader, it ends with an id alone (PUSH-60).
  const none = world.open({ isState: true, query: following(1) });
  await world.arrived([...readers, none], 6);
  await world.log.append([upsert(2, 100)]);
  await world.arrived(readers, 7);
  const data = `{"from":"${EPOCH}-0","to":"${EPOCH}-6"}`;
  const begun = { event: 'conflated', id: '', data, sequences: [] };
  for (const [reader, sequences] of [
    [readers[0], [1, 4, 6]],
    [readers[1], [6]],
  ] as const) {
    expect(reader?.events()).toMatchObject([
      begun,
      { event: 'update', id: `${EPOCH}-6`, sequences },
      { event: 'update', id: `${EPOCH}-7`, sequences: [7] },
    ]);
  }
  expect(none.events()).toEqual([begun, { event: 'id', id: `${EPOCH}-6`, data: '', sequences: [] }]);
  expect(world.push.counters).toMatchObject({ conflations: 0, gaps: 0, replays: 3 });
});

test.each([
  ['none ever did', []],
  ['all have ended', [[upsert(1, 1)], [remove(1)]]],
])(
  'PUSH-56 where no entity lives (%s) it begins at the head, and a state of nothing is not all there is',
  async (_name, commits) => {
    const world = await broadcasting();
    for (const drafts of commits) await world.log.append(drafts);
    const head = world.log.head.cursor.sequence;
    const first = world.open({ isState: true });
    await world.arrived([first], head);
    expect(first.events().flatMap(({ sequences }) => sequences)).toEqual([]);
    await world.log.append([upsert(2, 1)]);
    const readers = [first, world.open({ isState: true })];
    await world.arrived(readers, head + 1);
    for (const reader of readers) expect(reader.events().flatMap(({ sequences }) => sequences)).toEqual([head + 1]);
  },
);

test('PUSH-56 a state that was made a moment ago is given again, and what came since follows it', async () => {
  const world = await broadcasting();
  await world.log.append(wide(3));
  await world.arrived([world.open({ isState: true })], 3);
  await world.log.append([upsert(0, 9)]);
  const read = vi.spyOn(world.log, 'readMembers');
  const second = world.open({ isState: true });
  await world.arrived([second], 4);
  expect(read).not.toHaveBeenCalled();
  expect(second.events().map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['update', `${EPOCH}-3`],
    ['update', `${EPOCH}-4`],
  ]);
});

test('PUSH-58, PUSH-60 a state of many parts has an id at its end only, and commits meanwhile come after it', async () => {
  const world = await broadcasting();
  await world.log.append(wide(1100));
  const reader = world.open({ isState: true });
  // What it wants is in a part that is not the last one.
  const one = world.open({ isState: true, query: following(600) });
  for (let value = 2; value < 30; value += 1) {
    await world.log.append([upsert(value, value), upsert(value + 1, value)]);
    await turns(1);
  }
  const { sequence } = world.log.head.cursor;
  await world.arrived([reader], sequence);
  expect(reader.events().filter(({ id }) => id === '').length).toBeGreaterThanOrEqual(5);
  await expectHistories(world, [reader], sequence);
  await world.until(() => one.events().length === 3);
  expect(one.events().map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['update', ''],
    ['id', `${EPOCH}-1100`],
  ]);
});

test('PUSH-60 two readers who fall behind at the same place are given the same bytes', async () => {
  const world = await broadcasting({ limitQueueBytes: 1 });
  const readers = [world.open(), world.open()];
  for (const { line } of readers) line.hold();
  await world.log.append([upsert(1, 1)]);
  await world.until(() => readers.every(({ subscriber }) => subscriber.stalledSinceMs === 0));
  for (let value = 2; value < 9; value += 1) await world.log.append([upsert(1, value), upsert(value, value)]);
  await turns();
  for (const { line } of readers) line.release();
  const { sequence } = world.commits.head;
  await world.arrived(readers, sequence);
  await expectHistories(world, readers, sequence);
  for (const reader of readers) expect(reader.events().map(({ event }) => event)).toContain('conflated');
  const [first, second] = readers.map(({ line }) => line.writes.at(-1)?.buffer);
  expect(first).toBe(second);
});

test('PUSH-58 wherever a stream breaks off, its last id is one up to which the reader has everything', async () => {
  const world = await broadcasting({ limitQueueBytes: 1 });
  await world.log.append([upsert(0, 0)]);
  const reader = world.open();
  reader.line.hold();
  await world.log.append([upsert(0, 1)]);
  await world.log.append(wide(600, 2));
  await turns(1);
  reader.line.release();
  await world.arrived([reader], 602);
  // Whatever byte it breaks off at, the id is one up to which it has everything.
  const content = reader.content();
  const members = await membersOf(world.log);
  for (let cut = 0; cut < content.length; cut += 997) {
    const events = eventsOf(content.slice(0, cut));
    const id = events.at(-1)?.id ?? '';
    const arrived = expectHistory(events, 1, members);
    expect(id === '' ? 1 : Number(id.slice(EPOCH.length + 1))).toBe(arrived);
  }
});

test('PUSH-60 who falls behind from the very beginning gets on, whatever state of nothing was given before', async () => {
  const world = await broadcasting({ limitQueueBytes: 1 });
  const first = world.open({ isState: true });
  await world.until(() => first.events().length === 2 && first.subscriber.slot >= 0);
  const both = [first, world.open()];
  for (const { line } of both) line.hold();
  await world.beat(15_000);
  expect(both.map(({ line }) => line.writableLength > 0)).toEqual([true, true]);
  await world.log.append([upsert(1, 1)]);
  await world.log.append([upsert(1, 2), upsert(2, 1)]);
  for (const { line } of both) line.release();
  await world.arrived(both, 3);
  await expectHistories(world, both, 3);
  for (const { line } of both) expect(line.writes.length).toBeLessThan(10);
});
