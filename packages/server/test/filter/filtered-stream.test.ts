import { type Draft, literal, namedNode, prefixes, quad, rdf } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import type { EncodedCommit, EncodedCommits } from '../../src/push/encoded-commits.ts';
import { broadcasting, following, type OpenLine, turns } from '../push-lines.ts';
import { EPOCH, entityOf, remove, upsert } from '../test-server.ts';
import { packetOf, at as placeAt, upsert as subject } from './packets.ts';

function at(entity: number, longitude: number, latitude: number): Draft {
  const iri = namedNode(entityOf(entity));
  const quads = [
    quad(iri, namedNode(rdf.type), namedNode('http://example.org/Vehicle')),
    quad(iri, namedNode(`${prefixes.wgs}lat`), literal(String(latitude))),
    quad(iri, namedNode(`${prefixes.wgs}long`), literal(String(longitude))),
  ];
  return { kind: 'upsert', entity: entityOf(entity), origin: 'feed', fingerprint: `${longitude} ${latitude}`, quads };
}

/** The number of the cursor and those of the members, event by event. */
const got = (line: OpenLine) =>
  line.events().map(({ id, sequences }) => [Number(id.slice(EPOCH.length + 1)), ...sequences]);

test('PUSH-20, PUSH-21 a narrowed stream has the members of its entities only, with the cursor of their commit', async () => {
  const world = await broadcasting();
  const [one, two] = [world.open({ query: following(1) }), world.open({ query: `${following(1)}&${following(3)}` })];
  for (const drafts of [
    [upsert(0, 1), upsert(1, 1), upsert(2, 1)],
    [upsert(3, 1), upsert(2, 2)],
    [upsert(2, 3)],
    [remove(1), upsert(3, 2)],
  ]) {
    await world.log.append(drafts);
  }
  await world.arrived([one, two], 8);
  expect([got(one), got(two)]).toEqual([
    [
      [3, 2],
      [8, 7],
    ],
    [
      [3, 2],
      [5, 4],
      [8, 7, 8],
    ],
  ]);
});

test('PUSH-22 where nothing concerns it, a narrowed stream gets the cursor, so that its reader can resume', async () => {
  const world = await broadcasting();
  const line = world.open({ query: following(1) });
  await world.beat(8000);
  await world.log.append([upsert(1, 1)]);
  await world.log.append([upsert(2, 1)]);
  await world.arrived([line], 1);
  // Something was sent 8 s after its beginning.
  for (const [passedMs, expected] of [
    [10_999, [[1, 1]]],
    [1, [[1, 1], [2]]],
    [10_999, [[1, 1], [2]]],
  ] as const) {
    await world.beat(passedMs);
    expect(got(line)).toEqual(expected);
  }
  expect(line.events().at(-1)?.event).toBe('id');
  expect(world.push.counters.heartbeats).toBe(1);
});

test('PUSH-24, PUSH-56 by place it has what is there, and is told of what comes and leaves, not of what was never there', async () => {
  const world = await broadcasting();
  await world.log.append([at(1, 3.1, 51.1), at(2, 10, 10), at(3, 3.5, 51.5), at(4, 20, 20)]);
  await world.log.append([at(1, 50, 50)]);
  const line = world.open({ isState: true, query: 'bbox=3,51,4,52' });
  await world.arrived([line], 5);
  // It learns where all are.
  await turns();
  for (const draft of [at(4, 21, 21), at(2, 3.2, 51.2), at(2, 5, 51.2), at(2, 6, 51.2), at(3, 3.6, 51.5)]) {
    await world.log.append([draft]);
  }
  await world.arrived([line], 10);
  expect(got(line)).toEqual([[0], [5, 3], [7, 7], [8, 8], [10, 10]]);
});

test('`positions failed` is said where entities cannot be looked for: a reader of a place is sent more until they can', async () => {
  const world = await broadcasting();
  await world.log.append([at(1, 10, 10), at(2, 10, 10)]);
  const failing = vi.spyOn(world.log.latest, 'sequences').mockImplementation(() => {
    throw new Error('disk');
  });
  const line = world.open({ query: 'bbox=0,0,1,1' });
  const failed = () => world.lines.filter(({ event }) => event === 'positions failed');
  await world.until(() => failed().length > 0);
  expect(failed()).toMatchObject([{ level: 'warn', err: { message: 'disk' } }]);
  failing.mockRestore();
  await world.log.append([at(1, 11, 11)]);
  await world.arrived([line], 3);
  // It is tried again as time passes.
  await world.beat(3000);
  await world.log.append([at(2, 11, 11)]);
  await turns();
  expect(got(line)).toEqual([[3, 3]]);
});

test.each(['identity', 'gzip'] as const)(
  'those who ask for the same are sent the same bytes (%s)',
  async (encoding) => {
    const world = await broadcasting();
    const lines = Array.from({ length: 3 }, () => world.open({ encoding, query: `${following(1)}&${following(2)}` }));
    await world.log.append([upsert(0, 1), upsert(1, 1)]);
    await world.until(() => lines.every((line) => line.events().length === 1));
    expect(lines.map((line) => line.events()[0]?.sequences)).toEqual([[2], [2], [2]]);
    // Made once, and not merely equal.
    expect(new Set(lines.map(({ line }) => line.writes.at(-1))).size).toBe(1);
  },
);

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
