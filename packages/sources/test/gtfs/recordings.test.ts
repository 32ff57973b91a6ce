import { isDeepStrictEqual } from 'node:util';
import { isStreamError, type UpsertDraft } from '@ldes-live/rdf-stream';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { decodeFeed, encodeFeed } from '../../src/gtfs/wire.ts';
import { snapshot } from './feeds.ts';

const values = (drafts: readonly UpsertDraft[], predicate: string) =>
  drafts.flatMap(({ quads }) =>
    quads.filter((quad) => quad.predicate.value.endsWith(predicate)).map((quad) => quad.object.value),
  );

describeRecordings('any recording', () => {
  test('GTFS-1 GTFS-11 reads as a whole and the same once written, and each of its entities has an IRI', async () => {
    const folders = ['nyct-ace-sequence', 'mbta', 'bustang', 'raba', 'barcelona', 'aomori', 'samples'];
    for (const path of folders.flatMap(recordings)) {
      const { feed, skippedEntities } = decodeFeed(recording(path));
      expect(skippedEntities).toEqual([]);
      // Told by expect, equal feeds of thousands of entities take ten times as long.
      expect(isDeepStrictEqual(decodeFeed(encodeFeed(feed)).feed, feed), path).toBe(true);
      const iris = (await snapshot(recording(path))).entities.map(({ entity }) => entity);
      expect(new Set(iris).size).toBe(iris.length);
      for (const iri of iris) expect(new URL(iri).href).toBe(iri);
    }
  });
});

/** How many entities the first poll has by kind, how many the others create, change and end, and how many are left. */
function replay(polls: readonly { readonly entities: readonly { entity: string; fingerprint: string }[] }[]) {
  const counts: Record<string, number> = {};
  const count = (entity: string, what: string) => {
    const name = `${what} ${entity.slice(entity.lastIndexOf('/') + 1)}`;
    counts[name] = (counts[name] ?? 0) + 1;
  };
  let latest = new Map<string, string>();
  for (const [index, { entities }] of polls.entries()) {
    const present = new Map(entities.map(({ entity, fingerprint }) => [entity, fingerprint]));
    for (const [entity, fingerprint] of present) {
      if (index === 0) count(entity, 'first');
      else if (!latest.has(entity)) count(entity, 'created');
      else if (latest.get(entity) !== fingerprint) count(entity, 'changed');
    }
    for (const entity of latest.keys()) if (!present.has(entity)) count(entity, 'deleted');
    latest = present;
  }
  return { ...counts, living: latest.size };
}

describeRecordings('New York, twelve polls of three lines', () => {
  const FIRST = 'nyct-ace-sequence/1707397157.ace.pb';
  const polls = (keys?: string[]) =>
    Promise.all(
      recordings('nyct-ace-sequence').map((path) => snapshot(recording(path), keys && { keys: { trip: keys } })),
    );
  const counts = (created: number, changed: readonly [update: number, vehicle: number], deleted: number) => ({
    ...{ 'first update': 160, 'created update': created, 'changed update': changed[0], 'deleted update': deleted },
    ...{ 'first vehicle': 160, 'created vehicle': created, 'changed vehicle': changed[1], 'deleted vehicle': deleted },
    living: 306,
  });
  const byTrain = counts(21, [689, 614], 28);

  test('GTFS-9 GTFS-15 by trip, the trip of two trains is two entities, and polls change what has changed', async () => {
    const all = await polls();
    for (const { findings, entities } of all) {
      expect(findings).toMatchObject({ 'key-collision:trip_update': 1, 'key-collision:vehicle': 1 });
      const doubled = entities.filter(({ entity }) => entity.includes('/044200_A..N/20240208/'));
      const ends = ['/update', '/vehicle', '/~2/update', '/~2/vehicle'].map((end) => `07%3A22%3A00${end}`);
      expect(doubled.map(({ entity }) => entity.slice(entity.indexOf('07%3A22%3A00')))).toEqual(ends);
    }
    expect(all[0]?.findings['key-fallback:vehicle-by-trip']).toBe(160);
    // One trip update of the reference's 690 changes in its extension alone, which is not published.
    expect(replay(all)).toEqual(byTrain);
  });

  // By train alone, ten trains go on under another trip id: one entity that changes instead of two that end and begin.
  test.each([
    ['trip and train', ['trip_id', 'start_date', 'start_time', '1001.1'], byTrain],
    ['train alone', ['1001.1'], counts(11, [699, 624], 18)],
  ])('GTFS-10 by %s, the trains are told apart without their order', async (_, keys, replayed) => {
    const all = await polls(keys);
    for (const { findings } of all) expect(Object.keys(findings).filter((name) => /collision/.test(name))).toEqual([]);
    expect(replay(all)).toEqual(replayed);
  });

  test('the extensions are counted and kept, and where no position is sent none is published', async () => {
    const { feed, unknownFields } = decodeFeed(recording(FIRST));
    const extensions = { 'FeedHeader.1001': 1, 'TripDescriptor.1001': 320, 'StopTimeUpdate.1001': 2862 };
    expect(unknownFields).toEqual(extensions);
    expect(Buffer.compare(encodeFeed(feed), recording(FIRST))).toBe(0);
    expect(values((await snapshot(recording(FIRST))).drafts, 'hasGeometry')).toEqual([]);
  });
});

describeRecordings('others', () => {
  const noDate = (count: number) => ({ 'key-fallback:trip-without-start-date': count });

  const ALERTS = { '/temporal': 2069, '#startDate': 2069, '#endDate': 2045, '#informedEntity': 275, '/page': 0 };

  /** How many drafts there are, what is odd, and how many values there are by predicate. */
  test.each<[id: string, path: string, drafts: number, findings: object, has: object]>([
    ['GTFS-9', 'mbta/VehiclePositions-live.pb', 785, { 'key-collision:vehicle': 1 }, { '#speed': 31 }],
    ['GTFS-14', 'mbta/tripupdates.pb', 49, {}, {}],
    ['GTFS-20', 'mbta/vehiclepositions.pb', 48, {}, { '#label': 47 }],
    ['GTFS-16', 'mbta/tripupdates_with_tripproperties.pb', 4, {}, { '#headsign': 3 }],
    ['GTFS-16', 'mbta/alerts.pb', 51, {}, ALERTS],
    ['GTFS-8', 'bustang/bustang.pb', 6, noDate(6), { '#stopTimeUpdate': 30, '#tripInstance': 0 }],
    ['GTFS-7', 'raba/raba-vehicle-positions.pb', 22, {}, { '#bearing': 2, '#trip': 1 }],
    ['GTFS-16', 'raba/raba-trip-updates.pb', 9, {}, {}],
    // No time is invented.
    ['GTFS-16', 'aomori/TripUpdate.pb', 35, noDate(35), { '#departureDelay': 35, '/departureTime': 0 }],
    ['GTFS-23', 'aomori/VehiclePosition.pb', 37, {}, { '#licensePlate': 0 }],
    ['GTFS-12', 'barcelona/tripupdates.pb', 38, {}, { '#stopTimeUpdate': 432 }],
    ['GTFS-8', 'samples/no-trip-id.pb', 153, { 'key-fallback:trip-by-route': 153 }, { '#stopTimeUpdate': 4776 }],
  ])('%s %s has %s drafts, with the findings %j, and the values %j', async (_, path, drafts, findings, has) => {
    const read = await snapshot(recording(path));
    expect(read.drafts).toHaveLength(drafts);
    expect(read).toMatchObject({ deleted: [], differential: false });
    expect(read.findings).toEqual(findings);
    const counted = Object.keys(has).map((name) => [name, values(read.drafts, name).length]);
    expect(Object.fromEntries(counted)).toEqual(has);
  });
});

describeRecordings('feeds of one defect each', () => {
  const refused: Readonly<Record<string, string>> = {
    '13-truncated.pb': 'ERR_FEED_MALFORMED',
    '14-empty-file.pb': 'ERR_FEED_EMPTY',
    '27-stale-unknown-version.pb': 'ERR_FEED_VERSION',
  };
  const found: Readonly<Record<string, object>> = {
    '01-empty-trip.pb': { 'entity-without-key:trip_update': 1 },
    '02-unknown-ids.pb': { 'key-fallback:trip-without-start-date': 1 },
    '03-route-mismatch.pb': { 'key-fallback:trip-without-start-date': 1 },
    '11-out-of-range-times.pb': { 'unusable-time': 1 },
    '12-duplicate-of-11.pb': { 'unusable-time': 1 },
    '21-duplicate-vehicle.pb': { 'key-collision:vehicle': 1 },
    '22-crossfeed-many.pb': { 'key-collision:trip_update': 45 },
    '23-duplicate-of-22.pb': { 'key-collision:trip_update': 45 },
  };
  const outcome = async (path: string) => {
    try {
      const { findings, drafts } = await snapshot(recording(path));
      for (const { quads } of drafts) expect(quads.length).toBeGreaterThan(0);
      return findings;
    } catch (error) {
      return isStreamError(error) ? error.code : error;
    }
  };

  test('GTFS-1 each is read with what is odd counted, or refused by name', async () => {
    const paths = recordings('malformed/one-defect');
    expect(paths).toHaveLength(32);
    for (const path of paths) {
      const file = path.slice(path.lastIndexOf('/') + 1);
      expect([path, await outcome(path)]).toEqual([path, refused[file] ?? found[file] ?? {}]);
    }
  });
});
