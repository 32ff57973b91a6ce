import { type Draft, prefixes } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { type EncodedCommit, membersAfter } from '../src/push/encoded-commits.ts';
import { type Snapshot, Snapshots } from '../src/push/snapshots.ts';
import { broadcasting, eventsOf, expectHistories, expectHistory, following, membersOf, turns } from './push-lines.ts';
import { listening } from './push-server.ts';
import { EPOCH, entityOf, fill, remove, type TestServer, testServer, upsert } from './test-server.ts';

const textsOf = ({ log, description }: TestServer) => new MemberTexts(log, { description, prefixes });
const statesOf = (server: TestServer) => new Snapshots(server.log, textsOf(server));

async function partsOf(state: Snapshot): Promise<EncodedCommit[]> {
  return Promise.all(Array.from({ length: state.length }, (_, index) => state.part(index)));
}

const told = (parts: readonly EncodedCommit[]) =>
  parts.flatMap(({ subjects }) => subjects).map(({ entity, kind }) => [kind, entity.slice(entityOf(0).length - 1)]);

test('PUSH-56 the whole state is the newest version of each living entity, by sequence', async () => {
  const server = await testServer();
  await fill(server, 6, 3);
  await server.log.append([remove(1)]);
  await server.log.append([upsert(0, 9)]);
  const state = await statesOf(server).after(0);
  expect([state.after, state.to, state.length]).toEqual([0, 8, 1]);
  const parts = await partsOf(state);
  expect(told(parts)).toEqual([
    ['upsert', '2'],
    ['upsert', '0'],
  ]);
  expect(parts[0]?.id).toBe(`${EPOCH}-8`);
});

test('PUSH-60 what changed after a position is told once each, ends included, by sequence', async () => {
  const server = await testServer();
  await fill(server, 3, 3);
  await server.log.append([upsert(0, 5), upsert(1, 5)]);
  await server.log.append([remove(1), upsert(3, 5)]);
  await server.log.append([upsert(0, 6)]);
  const state = await statesOf(server).after(4);
  expect([state.after, state.to]).toEqual([4, 8]);
  expect(told(await partsOf(state))).toEqual([
    ['delete', '1'],
    ['upsert', '3'],
    ['upsert', '0'],
  ]);
});

test('PUSH-60 DOC-76 of an entity that only got older versions since nothing is told, also after it ended and began', async () => {
  const server = await testServer();
  const own = (number: number, hour: number) =>
    ({ ...upsert(number, hour), versionTime: `2026-01-01T${hour}:00:00Z` }) as Draft;
  await server.log.append([own(0, 12), own(1, 12)]);
  await server.log.append([own(0, 11), remove(1)]);
  await server.log.append([own(1, 10)]);
  expect(told(await partsOf(await statesOf(server).after(2)))).toEqual([['upsert', '1']]);
  expect(server.log.latest.sequences()).toEqual([1, 5]);
});

test('PUSH-58, PUSH-60 it comes in parts, of which only the last one has an id', async () => {
  const server = await testServer();
  await server.log.append(Array.from({ length: 251 }, (_, index) => upsert(index, 1)));
  const states = statesOf(server);
  const two = await partsOf(await states.after(0));
  expect(two.map(({ id, subjects }) => [id, subjects.length])).toEqual([
    ['', 250],
    [`${EPOCH}-251`, 1],
  ]);
  const one = await partsOf(await states.after(1));
  expect(one.map(({ id, subjects }) => [id, subjects.length])).toEqual([[`${EPOCH}-251`, 250]]);
});

test('PUSH-60 those who ask at about the same time get the same one, and later ones a newer one', async () => {
  const server = await testServer();
  await fill(server, 300, 300);
  const states = statesOf(server);
  const [first, second] = await Promise.all([states.after(290), states.after(290)]);
  expect(second).toBe(first);
  expect(await first?.part(0)).toBe(await second?.part(0));
  const members = vi.spyOn(server.log, 'read');
  await server.log.append(Array.from({ length: 250 }, (_, index) => upsert(index, 7)));
  expect(await states.after(290)).toBe(first);
  expect(members).not.toHaveBeenCalled();
  await server.log.append([upsert(1, 8)]);
  const newer = await states.after(290);
  expect([first?.to, newer.to]).toEqual([300, 551]);
});

test('PUSH-60 readers at many positions share one state, and it tells each what changed after its own', async () => {
  const server = await testServer();
  await fill(server, 2000, 400);
  const states = statesOf(server);
  const members = vi.spyOn(server.log, 'read');
  const positions = Array.from({ length: 1000 }, (_, index) => 1999 - index);
  const given = await Promise.all(positions.map((position) => states.after(position)));
  expect(new Set(given).size).toBe(1);
  expect(members.mock.calls.length).toBeLessThan(5);
  for (const [index, position] of positions.entries()) {
    if (index % 100 > 0) continue;
    const parts = await partsOf(given[index] as Snapshot);
    const later = parts.flatMap((part) => {
      const chosen = membersAfter(part, position);
      return part.subjects.filter((_, member) => part.last > position && (chosen?.includes(member) ?? true));
    });
    const changed = new Set((await server.log.read(position, 2000)).map(({ entity }) => entity));
    expect(later.map(({ entity }) => entity).sort()).toEqual([...changed].sort());
  }
});

test('PUSH-60 a part that is kept no more is read again, the same as it was, whatever was committed and erased since', async () => {
  const server = await testServer();
  await server.log.append(Array.from({ length: 600 }, (_, index) => upsert(index, 1)));
  const states = new Snapshots(server.log, textsOf(server), 1);
  const state = await states.after(0);
  const before = await partsOf(state);
  await server.log.append([upsert(599, 2)]);
  await server.log.unlink({ first: 1, last: 250 });
  await server.log.erase({ first: 1, last: 250 });
  const after = await partsOf(state);
  expect(after).toEqual(before);
  expect(after[0]).not.toBe(before[0]);
});

test('PUSH-60 what is made for those further behind and erased meanwhile is made again for those who can be told', async () => {
  const server = await testServer();
  await fill(server, 600, 10);
  const states = statesOf(server);
  await server.log.unlink({ first: 1, last: 250 });
  const { read } = server.log;
  let erased: Promise<void> | undefined;
  server.log.read = async (...range) => {
    erased ??= server.log.erase({ first: 1, last: 250 });
    await erased;
    return read.apply(server.log, range);
  };
  const [behind, further] = await Promise.allSettled([states.after(300), states.after(100)]);
  expect(behind).toMatchObject({ status: 'fulfilled', value: { to: 600 } });
  expect(further).toMatchObject({ status: 'rejected', reason: { code: 'ERR_MEMBERS_REMOVED' } });
});

test('PUSH-60 it is as of the head, whatever is committed while it is read', async () => {
  const server = await testServer();
  await fill(server, 2500, 500);
  const reading = statesOf(server).after(100);
  const whole = statesOf(server).after(0);
  await server.log.append([upsert(3, 9), remove(4)]);
  for (const state of [await reading, await whole]) {
    expect(state.to).toBe(2500);
    const parts = await partsOf(state);
    expect(parts.at(-1)?.last).toBe(2500);
    expect(told(parts)).toHaveLength(500);
  }
});

test('what was erased cannot be told any more, and is told so to each who asks', async () => {
  const server = await testServer();
  await fill(server, 600, 10);
  await server.log.unlink({ first: 1, last: 250 });
  await server.log.erase({ first: 1, last: 250 });
  const states = statesOf(server);
  for (let count = 0; count < 2; count += 1) {
    await expect(states.after(5)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  }
  expect((await states.after(250)).to).toBe(600);
});

test('PUSH-60 a state from before anything changed is not given again', async () => {
  const server = await testServer();
  const states = statesOf(server);
  const empty = await states.after(0);
  expect([empty.to, empty.length]).toEqual([0, 0]);
  await server.log.append([upsert(1, 1)]);
  expect(await states.after(0)).toMatchObject({ to: 1, length: 1 });
});

test('PUSH-56 ?from=latest begins with the newest version of every living entity, and goes on from there', async () => {
  const server = await listening();
  await fill(server, 12, 4);
  await server.log.append([remove(1)]);
  await server.log.append([upsert(2, 99)]);
  const reader = await server.read('?from=latest');
  expect(reader.response.headers.get('ldes-cursor')).toBe(server.cursor(0));
  await reader.count(2);
  expect(reader.events.map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['update', server.cursor(14)],
  ]);
  expect(JSON.parse(reader.events[0]?.data ?? '')).toEqual({ from: server.cursor(0), to: server.cursor(14) });
  const members = JSON.parse(reader.events[1]?.data ?? '')['tree:member'] as { 'dct:isVersionOf': string }[];
  expect(members.map((member) => member['dct:isVersionOf'])).toEqual([entityOf(0), entityOf(3), entityOf(2)]);
  await server.log.append([upsert(7, 1)]);
  await reader.count(3);
  expect(reader.events[2]).toMatchObject({ event: 'update', id: server.cursor(15) });
});

test.each([
  ['none ever did', 0],
  ['all have ended', 2],
])('PUSH-56 where no entity lives (%s) it begins at the head', async (_name, head) => {
  const server = await listening();
  if (head > 0) {
    await server.log.append([upsert(1, 1)]);
    await server.log.append([remove(1)]);
  }
  const reader = await server.readBytes('?from=latest');
  const events = () => eventsOf(reader.content());
  await eventually(() => expect(events().at(-1)?.id).toBe(server.cursor(head)));
  expect(events().flatMap(({ sequences }) => sequences)).toEqual([]);
  await server.log.append([upsert(2, 1)]);
  await eventually(() => expect(events().at(-1)).toMatchObject({ event: 'update', id: server.cursor(head + 1) }));
});

test('PUSH-56 a state that was made a moment ago is given again, and what came since follows it', async () => {
  const server = await listening();
  await fill(server, 3, 3);
  const first = await server.read('?from=latest');
  await first.count(2);
  await server.log.append([upsert(0, 9)]);
  const members = vi.spyOn(server.log, 'readMembers');
  const second = await server.read('?from=latest');
  await second.count(3);
  expect(members).not.toHaveBeenCalled();
  expect(second.events.map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['update', server.cursor(3)],
    ['update', server.cursor(4)],
  ]);
});

test('PUSH-58, PUSH-60 a state of many parts has an id at its end only, and commits meanwhile come after it', async () => {
  const server = await listening();
  await server.log.append(Array.from({ length: 1100 }, (_, index) => upsert(index, 1)));
  const reader = await server.read('?from=latest');
  for (let value = 2; value < 30; value += 1) {
    await server.log.append([upsert(value, value), upsert(value + 1, value)]);
    await turns(1);
  }
  const head = server.log.head.cursor.sequence;
  await eventually(() => expect(reader.events.at(-1)?.id).toBe(server.cursor(head)));
  const sequences = (data: string) => [...data.matchAll(/live:sequence":(\d+)/g)].map(([, number]) => Number(number));
  const got = reader.events.map((event) => ({ ...event, sequences: sequences(event.data) }));
  expect(got.filter(({ id }) => id === '').length).toBeGreaterThanOrEqual(5);
  await expectHistories(server, [{ after: 0, events: () => got }], head);
});

test('PUSH-60 where nothing of a conflation concerns the reader, it ends with an id alone', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const reader = world.open({ isState: true, query: following(2) });
  await world.until(() => reader.events().length === 2);
  expect(reader.events().map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['id', `${EPOCH}-1`],
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
  await world.log.append(Array.from({ length: 600 }, (_, index) => upsert(index, 2)));
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
