import { hash } from 'node:crypto';
import { check, fc } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { fingerprint, MAPPING_VERSION, type RtReaderOptions } from '../../src/gtfs/feed.ts';
import type { FeedEntity, FeedMessage, Position } from '../../src/gtfs/generated/gtfs-realtime.ts';
import { type MessageName, UNKNOWN_FIELDS } from '../../src/gtfs/messages.ts';
import { decodeFeed, encodeFeed } from '../../src/gtfs/wire.ts';
import { arbitraryMessage, bus, detour, feedOf, publicUrl, snapshot, train } from './feeds.ts';

async function draftsOf(feed: FeedMessage, options: Partial<RtReaderOptions> = {}) {
  const said = await snapshot(feed, options);
  return { ...said, entities: said.drafts.map((draft) => draft.entity.slice(publicUrl.length)) };
}

const pathsOf = (all: string) => all.split(' ').flatMap((path) => (path ? [`vehicles/entities/${path}`] : []));

const trip = (id: string, start_time: string, delay: number): FeedEntity => ({
  id,
  trip_update: { trip: { trip_id: 't', start_date: '20240208', start_time }, delay },
});

test('a draft says where it comes from, and the time of the source in the draft and in the quads', async () => {
  const { drafts } = await draftsOf(feedOf([bus, train]));
  expect(drafts[0]).toMatchObject({ kind: 'upsert', origin: 'feed', versionTime: '2021-09-02T15:31:30Z' });
  expect(drafts[1]?.versionTime).toBeUndefined();
  const times = drafts.map(({ quads }) =>
    quads.filter((quad) => quad.predicate.value.endsWith('resultTime')).map((quad) => quad.object.value),
  );
  expect(times).toEqual([['2021-09-02T15:31:30Z'], []]);
});

test('the header says the time and whether absence says anything', async () => {
  expect(await draftsOf(feedOf([]))).toMatchObject({ differential: false, headerMs: 1_699_405_500_000, drafts: [] });
  const bare = { gtfs_realtime_version: '2.0', incrementality: 'DIFFERENTIAL' } as const;
  expect(await draftsOf({ header: bare })).toMatchObject({ differential: true, headerMs: undefined, findings: {} });
});

const at = (id: string, current_stop_sequence: number): FeedEntity => ({
  id,
  vehicle: { vehicle: { id: 'v' }, current_stop_sequence },
});
const onTrip: FeedEntity = { id: 'v', vehicle: { trip: { trip_id: 't', start_date: '20240208', start_time: '1' } } };
const unkeyed: FeedEntity[] = [
  { id: '1', vehicle: {} },
  { id: '2', trip_update: { trip: {} } },
  { id: '3', shape: {} },
];
const without = ['vehicle', 'trip_update', 'shape'].map((kind) => [`entity-without-key:${kind}`, 1]);
const several: FeedEntity[] = [
  { ...bus, ...train, ...detour, id: '0' },
  { id: '1', alert: {} },
];
const inKinds = 'trips/124/20231107/update vehicles/4382 alerts/0 alerts/1';
const T = 'trips/t/20240208/1';
const trips = [trip('a', '1', 1), trip('b', '1', 2), trip('c', '1', 3), trip('d', '2', 4)];
const inOrder = `${T}/update ${T}/~2/update ${T}/~3/update trips/t/20240208/2/update`;
const byTrip = { 'key-fallback:vehicle-by-trip': 1 };

test.each<[id: string, what: string, feed: FeedEntity[], entities: string, findings: object]>([
  ['GTFS-8', 'of each kind of content are told apart, whatever the ids are', several, inKinds, {}],
  ['GTFS-9', 'of a trip are told apart by their order', trips, inOrder, { 'key-collision:trip_update': 2 }],
  ['GTFS-9', 'of a vehicle are one', [at('a', 1), at('b', 2)], 'vehicles/v', { 'key-collision:vehicle': 1 }],
  ['GTFS-9', 'of an alert are one', [detour, detour], `alerts/${detour.id}`, { 'key-collision:alert': 1 }],
  ['GTFS-9', 'of two kinds do not collide', [...trips.slice(0, 1), onTrip], `${T}/update ${T}/vehicle`, byTrip],
  ['GTFS-8', 'without a key are left out', unkeyed, '', Object.fromEntries(without)],
  ['GTFS-8', 'without content are left out', [{ id: '4' }], '', { 'entity-without-content': 1 }],
])('%s entities %s', async (_, _what, feed, entities, findings) => {
  const drafted = await draftsOf(feedOf(feed));
  expect(drafted.entities).toEqual(pathsOf(entities));
  expect(drafted.findings).toEqual(findings);
  expect(new Set(drafted.drafts.map(({ fingerprint }) => fingerprint)).size).toBe(drafted.drafts.length);
});

test('an entity that is too large may be one that seems absent', async () => {
  const { entities, findings, unnamedRecords } = await draftsOf(feedOf([bus, detour]), {
    limits: { limitEntityBytes: 100 },
  });
  expect({ entities, findings, unnamedRecords }).toEqual({
    entities: ['vehicles/entities/vehicles/4382'],
    findings: { 'skipped-entity:limitEntityBytes': 1 },
    unnamedRecords: 1,
  });
});

test('a large feed is read in slices', async () => {
  const entities = Array.from({ length: 8000 }, (_, number): FeedEntity => ({ ...bus, id: `${number}` }));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await snapshot(feedOf(entities));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('GTFS-9 of two states of a vehicle the last counts', async () => {
  const { drafts } = await draftsOf(feedOf([at('a', 130), at('a', 140)]));
  expect(drafts[0]?.quads.map(({ object }) => object.value)).toContain('140');
});

describe('what is odd is counted', () => {
  test('GTFS-6 unknown fields, and entities that lack a required one, are findings', async () => {
    const position = {} as Position;
    const lacking = ['a', 'b'].map((id): FeedEntity => ({ id, vehicle: { trip: unknown, position } }));
    const { findings } = await draftsOf(feedOf([...lacking, { id: 'c', vehicle: { trip: unknown } }]));
    expect(findings).toEqual({
      'unknown-field:TripDescriptor.1001': 3,
      'skipped-entity:Position.latitude': 2,
      'entity-without-key:vehicle': 1,
    });
  });

  test('GTFS-6 an entity that lacks a required field is recognised by its key, if that is whole', async () => {
    const position = { latitude: 1 } as Position;
    const keyed = { id: 'a', vehicle: { vehicle: { id: '4382' }, position } };
    const lacking = [
      keyed,
      { vehicle: { position } },
      { id: 'b', trip_update: {} },
      { id: 'c', is_deleted: true, trip_update: {} },
    ];
    const { unreadable } = await draftsOf(feedOf(lacking as FeedEntity[]));
    expect(unreadable).toEqual([`${publicUrl}vehicles/entities/vehicles/4382`]);
  });

  test('GTFS-19 times, numbers, language tags and links that cannot be published are findings', async () => {
    const position = { latitude: Number.NaN, longitude: 1 };
    const vehicle: FeedEntity = { id: 'v', vehicle: { vehicle: { id: 'v' }, timestamp: 1_699_405_500_000, position } };
    const alert: FeedEntity['alert'] = {
      active_period: [{ start: 0, end: 5 }],
      url: { translation: [{ text: 'www.a.example' }] },
      header_text: { translation: [{ text: 'x', language: 'en_US' }] },
      image: { localized_image: [{ url: 'x', media_type: 'image/png' }] },
    };
    const { findings, drafts } = await draftsOf(feedOf([vehicle, { id: 'a', alert }]));
    expect(findings).toEqual({ 'unusable-time': 2, 'unusable-number': 1, 'unusable-language': 1, 'unusable-url': 2 });
    expect(drafts[0]?.versionTime).toBeUndefined();
    expect(JSON.stringify(drafts[0]?.quads)).not.toContain('resultTime');
  });
});

const deletedBus = { ...bus, is_deleted: true };

/** What is deleted, and what of it is drafted and named. */
test.each<[what: string, feed: FeedEntity[], drafted: string, deleted: string, findings: object]>([
  ['by its key', [deletedBus, train], 'trips/124/20231107/update', 'vehicles/4382', {}],
  ['not where it says false', [{ ...bus, is_deleted: false }], 'vehicles/4382', '', {}],
  ['by id alone', [{ id: 'x', is_deleted: true }], '', 'alerts/x trip-modifications/x', { 'deleted-by-id-only': 1 }],
  ['not where it is stated as well', [{ ...deletedBus, id: 'old' }, bus], 'vehicles/4382', '', {}],
])('GTFS-14 what is marked as deleted is named %s', async (_, feed, drafted, deleted, findings) => {
  const { entities, deleted: gone, findings: found } = await draftsOf(feedOf(feed));
  expect(entities).toEqual(pathsOf(drafted));
  expect(gone).toEqual(pathsOf(deleted).map((path) => publicUrl + path));
  expect(found).toEqual(findings);
});

test('GTFS-10 GTFS-11 keys and IRIs are configurable for the feed', async () => {
  const options = { keys: { trip: ['start_time', 'trip_id'] }, iris: { tripUpdate: '{+base}own{/key*}' } };
  expect((await draftsOf(feedOf([trip('a', '1', 1)]), options)).entities).toEqual(['own/1/t']);
});

const print = (kind: MessageName, content: object, licensePlates = false) =>
  fingerprint(kind, content, { licensePlates });

const encoder = new TextEncoder();

/** A length-delimited field of a number below 16. */
const field = (number: number, content: Uint8Array) => [number * 8 + 2, content.length, ...content];

test('GTFS-15 the order of fields on the wire does not count, nor that of parts', () => {
  const trip = new Uint8Array([...field(1, encoder.encode('t')), ...field(3, encoder.encode('20240208'))]);
  const [id, date] = [trip.subarray(0, 3), trip.subarray(3)];
  const stop = new Uint8Array([0x08, 1, ...field(4, encoder.encode('s'))]);
  const turned = new Uint8Array([...stop.subarray(2), ...stop.subarray(0, 2)]);
  const printOf = (...update: number[][]) => {
    const entity = new Uint8Array([...field(1, encoder.encode('e')), ...field(3, new Uint8Array(update.flat()))]);
    const bytes = [...encodeFeed({ header: { gtfs_realtime_version: '2.0' } }), ...field(2, entity)];
    const read = decodeFeed(new Uint8Array(bytes)).feed.entity?.[0]?.trip_update;
    expect(read).toEqual({
      trip: { trip_id: 't', start_date: '20240208' },
      stop_time_update: [{ stop_sequence: 1, stop_id: 's' }],
    });
    return print('TripUpdate', read as object);
  };
  const inOrder = printOf(field(1, trip), field(2, stop));
  expect(printOf(field(2, stop), field(1, trip))).toBe(inOrder);
  expect(printOf(field(1, new Uint8Array([...date, ...id])), field(2, turned))).toBe(inOrder);
  expect(printOf(field(1, date), field(2, stop), field(1, id))).toBe(inOrder);
});

test('GTFS-15 other bytes of content have another fingerprint, the same bytes the same', () => {
  const bytes = (content: object) => encodeFeed(feedOf([{ id: 'a', vehicle: content }])).toString();
  const position = arbitraryMessage('VehiclePosition').map((content) => {
    // -0 and 0 are published alike, and so are all that is no number, and an empty string and none.
    const text = JSON.stringify(content, (_, value) => (value === 0 ? 0 : value === '' ? undefined : value));
    return JSON.parse(text.replaceAll('null', '0')) as object;
  });
  check(
    fc.property(position, position, (left, right) => {
      expect(print('VehiclePosition', left, true) === print('VehiclePosition', right, true)).toBe(
        bytes(left) === bytes(right),
      );
    }),
  );
});

const place = { latitude: 1, longitude: 2 };
const of = (trip_id: string, start_time: string) => ({ trip_id, start_time });
const plated = (license_plate: string) => ({ vehicle: { id: '1', license_plate } });
const unknown = { [UNKNOWN_FIELDS]: [{ number: 1001, wireType: 0, bytes: new Uint8Array([1]) }] };

test.each<[what: string, kind: MessageName, left: object, right: object, same: boolean, plates?: boolean]>([
  ['a default that is set', 'VehiclePosition', { position: { ...place, speed: 0 } }, { position: place }, false],
  ['a text like an end', 'TripDescriptor', of('a","start_time":"b', 'c'), of('a', 'b","start_time":"c'), false],
  ['the time of a trip update', 'TripUpdate', { trip: {}, timestamp: 1 }, { trip: {}, timestamp: 2 }, true],
  ['the time of a vehicle position', 'VehiclePosition', { timestamp: 1 }, { timestamp: 2 }, false],
  ['an unknown field', 'TripUpdate', { trip: { trip_id: 'a', ...unknown } }, { trip: { trip_id: 'a' } }, true],
  [
    'empty strings',
    'VehiclePosition',
    { stop_id: '', vehicle: { id: '1', label: '' } },
    { vehicle: { id: '1' } },
    true,
  ],
  ['an empty text in a list', 'TripModifications', { start_times: ['', '1'] }, { start_times: ['1'] }, true],
  ['a licence plate', 'VehiclePosition', plated('a'), plated('b'), true],
  ['a licence plate that is published', 'VehiclePosition', plated('a'), plated('b'), false, true],
])('GTFS-15 with %s content of %s is the same, or is not', (_, kind, left, right, same, plates) => {
  expect(print(kind, left, plates) === print(kind, right, plates)).toBe(same);
});

test('GTFS-15 the version of the mapping counts', () => {
  const expected = hash('sha256', `${MAPPING_VERSION} {"trip":{"trip_id":"a"}}`, 'base64url').slice(0, 22);
  expect(print('TripUpdate', { trip: { trip_id: 'a' } })).toBe(expected);
});
