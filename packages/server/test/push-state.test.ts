import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { expectHistory } from './expect-history.ts';
import { broadcasting, eventsOf, settled } from './push-lines.ts';
import { listening } from './push-server.ts';
import { EPOCH, entityOf, fill, remove, upsert } from './test-server.ts';

const everything = () => true;

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
  const members = vi.spyOn(server.log, 'latestMembers');
  const second = await server.read('?from=latest');
  await second.count(3);
  expect(members).not.toHaveBeenCalled();
  expect(second.events.map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['update', server.cursor(3)],
    ['update', server.cursor(4)],
  ]);
});

test('PUSH-5 Last-Event-ID wins over ?from=latest, and means a cursor only', async () => {
  const server = await listening();
  await fill(server, 5, 1);
  const reader = await server.read('?from=latest', { 'last-event-id': server.cursor(4) });
  await reader.count(1);
  expect(reader.events.map(({ event, id }) => [event, id])).toEqual([['update', server.cursor(5)]]);
  const response = await fetch(`${server.base}/vehicles/events`, { headers: { 'last-event-id': 'latest' } });
  expect(response.status).toBe(400);
});

test('PUSH-58, PUSH-60 a state of many parts has an id at its end only, and commits meanwhile come after it', async () => {
  const server = await listening();
  await server.log.append(Array.from({ length: 1100 }, (_, index) => upsert(index, 1)));
  const reader = await server.read('?from=latest');
  for (let value = 2; value < 30; value += 1) {
    await server.log.append([upsert(value, value), upsert(value + 1, value)]);
    await new Promise(setImmediate);
  }
  const head = server.log.head.cursor.sequence;
  await eventually(() => expect(reader.events.at(-1)?.id).toBe(server.cursor(head)));
  const sequences = (data: string) => [...data.matchAll(/live:sequence":(\d+)/g)].map(([, number]) => Number(number));
  const got = reader.events.map((event) => ({ ...event, sequences: sequences(event.data) }));
  expect(got.filter(({ id }) => id === '').length).toBeGreaterThanOrEqual(5);
  const members = [...(await server.log.members(0, 1000)), ...(await server.log.members(1000, 1000))];
  expect(expectHistory(got, 0, { epoch: EPOCH, members, wants: everything })).toBe(head);
});

test('PUSH-60 where nothing of a conflation concerns the reader, it ends with an id alone', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const reader = world.open({ isState: true, query: `entity=${encodeURIComponent(entityOf(2))}` });
  await settled(world.broadcast, () => reader.events().length === 2);
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
  await settled(world.broadcast, () => readers.every(({ connection }) => connection.stalledSinceMs === 0));
  for (let value = 2; value < 9; value += 1) await world.log.append([upsert(1, value), upsert(value, value)]);
  for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
  for (const { line } of readers) line.release();
  const head = `${EPOCH}-${world.source.head.sequence}`;
  await settled(world.broadcast, () => readers.every((reader) => reader.events().at(-1)?.id === head));
  const members = await world.log.members(0, 100);
  for (const reader of readers) {
    expect(expectHistory(reader.events(), 0, { epoch: EPOCH, members, wants: everything })).toBe(members.length);
    expect(reader.events().map(({ event }) => event)).toContain('conflated');
  }
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
  await new Promise(setImmediate);
  reader.line.release();
  await settled(world.broadcast, () => reader.events().at(-1)?.id === `${EPOCH}-602`);
  // Whatever byte it breaks off at, the id is one up to which it has everything.
  const content = reader.content();
  const members = [...(await world.log.members(0, 1000))];
  for (let cut = 0; cut < content.length; cut += 997) {
    const events = eventsOf(content.slice(0, cut));
    const id = events.at(-1)?.id ?? '';
    const arrived = expectHistory(events, 1, { epoch: EPOCH, members, wants: everything });
    expect(id === '' ? 1 : Number(id.slice(EPOCH.length + 1))).toBe(arrived);
  }
});
