import { type Draft, httpFields, literal, namedNode, prefixes, quad, rdf } from '@ldes-live/rdf-stream';
import type { EventReader } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { seeded } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { EncodedCommit, EncodedCommits } from '../../src/push/encoded-commits.ts';
import { broadcasting, eventsOf, following, turns } from '../push-lines.ts';
import { listening } from '../push-server.ts';
import { entityOf, fill, remove, upsert } from '../test-server.ts';
import { packetOf, at as placeAt, upsert as subject } from './packets.ts';

type Server = Awaited<ReturnType<typeof listening>>;

/** What readers were told: the number and the kind of the entities, event by event. */
function told({ events }: EventReader): string[][] {
  return events.map(({ data }) => {
    const document = JSON.parse(data);
    return (document['tree:member'] as Record<string, unknown>[]).map((member) => {
      const number = String(member['dct:isVersionOf']).slice(entityOf('' as unknown as number).length);
      return String(member['@type']).endsWith('Delete') ? `-${number}` : number;
    });
  });
}

const query = (values: Record<string, string | readonly string[]>) =>
  `?${Object.entries(values)
    .flatMap(([name, all]) => [all].flat().map((value) => `${name}=${encodeURIComponent(value)}`))
    .join('&')}`;

function at(entity: number, longitude: number, latitude: number): Draft {
  const subject = namedNode(entityOf(entity));
  const quads = [
    quad(subject, namedNode(rdf.type), namedNode('http://example.org/Vehicle')),
    quad(subject, namedNode(`${prefixes.wgs}lat`), literal(String(latitude))),
    quad(subject, namedNode(`${prefixes.wgs}long`), literal(String(longitude))),
  ];
  return { kind: 'upsert', entity: entityOf(entity), origin: 'feed', fingerprint: `${longitude} ${latitude}`, quads };
}

const open = (server: Server, count: number) => eventually(async () => expect(await server.connections()).toBe(count));
const last = (server: Server) => server.cursor(server.log.head.cursor.sequence);

test('PUSH-20, PUSH-21 a narrowed stream has the members of its entities only, with the cursor of their commit', async () => {
  const server = await listening();
  const one = await server.read(query({ entity: entityOf(1) }));
  const two = await server.read(query({ entity: [entityOf(1), entityOf(3)] }));
  await open(server, 2);
  await server.log.append([upsert(0, 1), upsert(1, 1), upsert(2, 1)]);
  await server.log.append([upsert(3, 1), upsert(2, 2)]);
  await server.log.append([upsert(2, 3)]);
  await server.log.append([remove(1), upsert(3, 2)]);
  await two.count(3);
  await one.count(2);
  expect(told(one)).toEqual([['1'], ['-1']]);
  expect(told(two)).toEqual([['1'], ['3'], ['-1', '3']]);
  expect(one.events.map(({ id }) => id)).toEqual([server.cursor(3), server.cursor(8)]);
});

test('PUSH-20 by type and entity together, both have to fit', async () => {
  const server = await listening();
  const other = await server.read(query({ type: 'http://example.org/Bus' }));
  const vehicles = await server.read(query({ type: ['http://example.org/Vehicle', 'http://example.org/Bus'] }));
  const both = await server.read(query({ type: 'http://example.org/Vehicle', entity: entityOf(2) }));
  await open(server, 3);
  await server.log.append([upsert(1, 1), upsert(2, 1)]);
  await server.log.append([remove(1)]);
  await server.log.append([upsert(2, 2)]);
  await eventually(() => expect(told(vehicles)).toEqual([['1', '2'], ['-1'], ['2']]));
  await eventually(() => expect(told(both)).toEqual([['2'], ['2']]));
  // A delete says no type.
  await eventually(() => expect(told(other)).toEqual([['-1']]));
});

test('PUSH-24 by place it is told of what comes, moves and leaves, and not of what was never there', async () => {
  const server = await listening();
  await server.log.append([at(1, 3, 51), at(2, 10, 10), at(3, 3.5, 51.5)]);
  const reader = await server.read(query({ bbox: '3,51,4,52' }));
  await open(server, 1);
  // It has to know where all are.
  const random = seeded('elsewhere');
  await eventually(async () => {
    await server.log.append([at(4, 20, 20)]);
    await server.log.append([at(4, 21, 21)]);
    const before = reader.events.length;
    await server.log.append([at(2, 10 + random(), 10)]);
    await turns(1);
    expect(reader.events).toHaveLength(before);
  });
  const from = reader.events.length;
  await server.log.append([at(2, 3.2, 51.2), at(4, 22, 22)]);
  await server.log.append([at(2, 3.3, 51.2)]);
  await server.log.append([at(2, 5, 51.2)]);
  await server.log.append([at(2, 6, 51.2)]);
  await server.log.append([at(1, 30, 30)]);
  await server.log.append([at(3, 3.6, 51.5)]);
  await eventually(() => expect(told(reader).slice(from)).toEqual([['2'], ['2'], ['2'], ['1'], ['3']]));
});

test('PUSH-22 where nothing concerns it, a narrowed stream gets the cursor, so that its reader can resume', async () => {
  const server = await listening({ push: { heartbeatMs: 50 } });
  const reader = await server.readBytes(query({ entity: entityOf(1) }));
  await open(server, 1);
  await fill(server, 30, 3);
  const events = () => eventsOf(reader.content()).filter(({ sequences }) => sequences.length > 0);
  await eventually(() => expect(events()).toHaveLength(10));
  await server.log.append([upsert(2, 99)]);
  await eventually(() => {
    const got = eventsOf(reader.content()).at(-1);
    expect([got?.event, got?.id]).toEqual(['id', last(server)]);
  });
  expect(events()).toHaveLength(10);
  const resumed = await server.read(query({ entity: entityOf(1) }), { 'last-event-id': last(server) });
  expect(resumed.response.headers.get(httpFields.cursor)).toBe(last(server));
  await server.log.append([upsert(1, 100)]);
  await resumed.count(1);
  expect([told(resumed), resumed.events[0]?.id]).toEqual([[['1']], last(server)]);
});

test('PUSH-25 a narrowed stream resumes by its cursor: what it wants of what it lacks, once and in order', async () => {
  const server = await listening();
  await fill(server, 60, 3);
  const narrowed = query({ entity: entityOf(2) });
  const reader = await server.read(narrowed, { 'last-event-id': server.cursor(30) });
  await reader.count(10);
  await server.log.append([upsert(1, 1)]);
  await server.log.append([upsert(2, 1)]);
  await reader.count(11);
  expect(told(reader)).toEqual(Array.from({ length: 11 }, () => ['2']));
  expect(reader.events.map(({ id }) => id)).toEqual(
    [33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 62].map((sequence) => server.cursor(sequence)),
  );
});

test('PUSH-56 ?from=latest of a narrowed stream is the state of what it is about', async () => {
  const server = await listening();
  await server.log.append([at(1, 3.1, 51.1), at(2, 10, 10), at(3, 3.5, 51.5)]);
  await server.log.append([at(1, 50, 50)]);
  const reader = await server.read(`${query({ bbox: '3,51,4,52' })}&from=latest`);
  await reader.count(2);
  expect(reader.events.map(({ event, id }) => [event, id])).toEqual([
    ['conflated', ''],
    ['update', server.cursor(4)],
  ]);
  expect(told({ ...reader, events: reader.events.slice(1) })).toEqual([['3']]);
});

test.each(['identity', 'gzip'] as const)(
  'PUSH-23 those who ask for the same are sent the same bytes (%s)',
  async (encoding) => {
    const world = await broadcasting();
    const asked = query({ entity: [entityOf(1), entityOf(2)] });
    const lines = Array.from({ length: 3 }, () => world.open({ encoding, query: asked }));
    await world.log.append([upsert(0, 1), upsert(1, 1)]);
    await world.until(() => lines.every((line) => line.events().length === 1));
    expect(lines.map((line) => line.events()[0]?.sequences)).toEqual([[2], [2], [2]]);
    // Made once, and not merely equal.
    expect(new Set(lines.map(({ line }) => line.writes.at(-1))).size).toBe(1);
  },
);

test.each([
  ['ERR_NARROWING_LIMIT', query({ entity: [1, 2, 3].map(entityOf) })],
  ['ERR_NARROWING_MALFORMED', '?bbox=1,2,3'],
  ['ERR_NARROWING_MALFORMED', '?entity=relative'],
  ['ERR_QUERY_UNKNOWN', '?near=here'],
])('PUSH-12, PUSH-26 what cannot be is refused: %s for %s', async (code, asked) => {
  const server = await listening({ push: { limitNarrowing: 2 } });
  const response = await fetch(`${server.base}/vehicles/events${asked}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code });
  expect(
    (await fetch(`${server.base}/vehicles/events${query({ entity: [1, 2].map(entityOf) })}`, { method: 'HEAD' }))
      .status,
  ).toBe(200);
});

const FAR_BYTES = 2 * 1024 * 1024;

test('PUSH-24, PUSH-25 after a conflation a reader of a place is told of what leaves it, wherever that was before', async () => {
  const [inside, outside] = [placeAt(1, 1), placeAt(50, 50)];
  const packets = [outside, inside, outside].map((where, after) => packetOf(after, [subject(1, where)]));
  const head = { epoch: 'e', sequence: packets.length };
  const commits = {
    head,
    subscribe: () => () => {},
    remembered: () => undefined,
    read: async (after: number) => [packets[after] as EncodedCommit],
    bytesAfter: (position: number) => (position === 1 ? FAR_BYTES : 1),
  } as unknown as EncodedCommits;
  // As of the next packet, which has all that has changed.
  const part = (after: number) => async () => packets[after] as EncodedCommit;
  const snapshots = { after: async (after: number) => ({ after, to: after + 1, length: 1, part: part(after) }) };
  const { push, open: openLine, until } = await broadcasting({}, { commits, snapshots });
  const { line, subscriber } = openLine({ after: 0, query: 'bbox=0,0,2,2' });
  subscriber.wasLive = true;
  // The first one as it is, the second one as the newest state, and the third one as it is again.
  await until(() => subscriber.slot >= 0);
  expect(push.counters.conflations).toBe(1);
  expect(line.taken.toString().match(/^(?:event|id): .*$/gm)).toEqual([
    ...['event: update', 'id: e-1'],
    'event: conflated',
    ...['event: update', 'id: e-2'],
    ...['event: update', 'id: e-3'],
  ]);
});

test.each([
  ['a small event is not compressed', 1, true],
  ['a large one is', 10_000, false],
])('PUSH-15, PUSH-25 of what one reader of a part alone is sent again %s', async (_name, characters, isStored) => {
  const world = await broadcasting();
  const text = 'x'.repeat(characters);
  const first = world.open();
  await world.log.append([upsert(1, 1, text), upsert(2, 1, text)]);
  const reader = world.open({ after: 0, encoding: 'gzip', query: following(2) });
  await world.until(() => reader.events().length === 1 && first.events().length === 1);
  expect(reader.events()[0]?.sequences).toEqual([2]);
  expect(reader.line.taken.includes('event: update')).toBe(isStored);
});
