import { isDeepStrictEqual } from 'node:util';
import { isStreamError, prefixes, type UpsertDraft } from '@ldes-live/rdf-stream';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { decodeFeed, encodeFeed } from '../../src/gtfs/wire.ts';
import { replay, snapshot } from './replay.ts';
import { publicUrl } from './turtle-tree.ts';

const entitiesOf = (path: string) => decodeFeed(recording(path)).feed.entity ?? [];
const draftsOf = async (path: string) => (await snapshot(recording(path))).drafts;
const values = (drafts: readonly UpsertDraft[], predicate: string) =>
  drafts.flatMap(({ quads }) =>
    quads.filter((quad) => quad.predicate.value.endsWith(predicate)).map((quad) => quad.object.value),
  );

describeRecordings('any recording', () => {
  const folders = ['nyct-ace-sequence', 'mbta', 'bustang', 'raba', 'barcelona', 'aomori', 'samples'];

  test('GTFS-1 reads as a whole, and reads the same after it was written', () => {
    for (const path of folders.flatMap(recordings)) {
      const { feed, skippedEntities } = decodeFeed(recording(path));
      expect(skippedEntities).toEqual([]);
      // Told by expect, equal feeds of thousands of entities take ten times as long.
      expect(isDeepStrictEqual(decodeFeed(encodeFeed(feed)).feed, feed), path).toBe(true);
    }
  });

  test('GTFS-11 names each of its entities by an IRI of its own', async () => {
    for (const path of folders.flatMap(recordings)) {
      const iris = (await draftsOf(path)).map((draft) => draft.entity);
      expect(new Set(iris).size).toBe(iris.length);
      for (const iri of iris) expect(new URL(iri).href).toBe(iri);
    }
  });
});

describeRecordings('New York, twelve polls of three lines', () => {
  const made = new Map<string, Promise<Awaited<ReturnType<typeof snapshot>>[]>>();
  const polls = (keys?: string[]) => {
    const by = String(keys);
    const options = keys ? { keys: { trip: keys } } : {};
    const all =
      made.get(by) ?? Promise.all(recordings('nyct-ace-sequence').map((path) => snapshot(recording(path), options)));
    made.set(by, all);
    return all;
  };

  test('GTFS-9 by trip, the trip of two trains is two entities in every poll', async () => {
    for (const { findings, drafts } of await polls()) {
      expect(findings['key-collision:trip_update']).toBe(1);
      expect(findings['key-collision:vehicle']).toBe(1);
      const doubled = drafts.map(({ entity }) => entity).filter((entity) => entity.includes('/044200_A..N/20240208/'));
      expect(doubled.map((entity) => entity.slice(entity.indexOf('07%3A22%3A00')))).toEqual([
        '07%3A22%3A00/update',
        '07%3A22%3A00/vehicle',
        '07%3A22%3A00/~2/update',
        '07%3A22%3A00/~2/vehicle',
      ]);
    }
  });

  const counts = (created: number, changed: readonly [update: number, vehicle: number], deleted: number) => ({
    update: { created, changed: changed[0], deleted },
    vehicle: { created, changed: changed[1], deleted },
  });
  const byTrain = { first: { update: 160, vehicle: 160 }, later: counts(21, [689, 614], 28), living: 306 };

  // One trip update of the reference's 690 changes in its extension alone, which is not published.
  test('GTFS-15 by trip, the deltas rebuild every poll and are as few as the content that changed', async () => {
    expect(replay((await polls()).map(({ drafts }) => drafts))).toEqual({ ...byTrain, rebuilt: Array(12).fill(true) });
  });

  // The two trains of one trip as one entity: what a key alone, without their order, would make of them.
  test('GTFS-15 by trip with the last train winning, the figures are those without extensions', async () => {
    const withoutOrder = (drafts: readonly UpsertDraft[]) => {
      const keyed = drafts.map((draft): [string, UpsertDraft] => {
        const entity = draft.entity.replace(/\/~\d+\//, '/');
        return [entity, { ...draft, entity }];
      });
      return [...new Map(keyed).values()];
    };
    const first = { update: 159, vehicle: 159 };
    const later = counts(21, [679, 612], 28);
    expect(replay((await polls()).map(({ drafts }) => withoutOrder(drafts)))).toMatchObject({
      first,
      later,
      living: 304,
    });
  });

  // By train alone, ten trains go on under another trip id: one entity that changes instead of two that end and begin.
  test.each([
    ['trip and train', ['trip_id', 'start_date', 'start_time', '1001.1'], byTrain],
    ['train alone', ['1001.1'], { later: counts(11, [699, 624], 18), living: 306 }],
  ])('GTFS-10 by %s, the trains are told apart without their order', async (_, keys, replayed) => {
    const all = await polls(keys);
    for (const { findings } of all) expect(Object.keys(findings).filter((name) => /collision/.test(name))).toEqual([]);
    expect(replay(all.map(({ drafts }) => drafts))).toMatchObject(replayed);
  });

  test('GTFS-5 the extensions are counted and kept', () => {
    const path = 'nyct-ace-sequence/1707397157.ace.pb';
    expect(decodeFeed(recording(path)).unknownFields).toEqual({
      'FeedHeader.1001': 1,
      'TripDescriptor.1001': 320,
      'StopTimeUpdate.1001': 2862,
    });
    expect(Buffer.compare(encodeFeed(decodeFeed(recording(path)).feed), recording(path))).toBe(0);
  });

  test('GTFS-13 without vehicle ids, that positions are keyed by trip is said', async () => {
    expect((await polls())[0]?.findings['key-fallback:vehicle-by-trip']).toBe(160);
  });

  test('GTFS-16 without positions, none are published, and future times are', async () => {
    const drafts = await draftsOf('nyct-ace-sequence/1707397157.ace.pb');
    expect(values(drafts, 'hasGeometry')).toEqual([]);
    expect(values(drafts, 'hasFeatureOfInterest')).toEqual([]);
    const header = Date.parse('2024-02-08T12:59:15Z');
    const future = values(drafts, 'resultTime').filter((time) => Date.parse(time) > header);
    expect(future.length).toBeGreaterThanOrEqual(74);
    expect(new Set(values(drafts, '#departureOccupancyStatus'))).toEqual(new Set([`${prefixes.rt}NoDataAvailable`]));
  });
});

describeRecordings('others', () => {
  const PLATES = 'aomori/VehiclePosition.pb';
  const noDate = (count: number) => ({ 'key-fallback:trip-without-start-date': count });

  /** How many drafts there are, what is odd, how many values there are by predicate, and how many are of a kind. */
  test.each<[id: string, path: string, drafts: number, findings: object, has: object, kinds?: Record<string, number>]>([
    ['GTFS-9', 'mbta/VehiclePositions-live.pb', 785, { 'key-collision:vehicle': 1 }, { '#speed': 31 }, { Added: 57 }],
    ['GTFS-14', 'mbta/tripupdates.pb', 49, {}, {}, { Added: 35 }],
    ['GTFS-20', 'mbta/vehiclepositions.pb', 48, {}, { '#label': 47 }],
    ['GTFS-16', 'mbta/tripupdates_with_tripproperties.pb', 4, {}, { '#headsign': 3 }],
    ['GTFS-16', 'mbta/alerts.pb', 51, {}, { '/temporal': 2069, '#informedEntity': 275, '/page': 0 }],
    ['GTFS-13', 'bustang/bustang.pb', 6, noDate(6), { '#stopTimeUpdate': 30, '#tripInstance': 0 }],
    ['GTFS-7', 'raba/raba-vehicle-positions.pb', 22, {}, { '#bearing': 2, '#trip': 1 }],
    ['GTFS-16', 'raba/raba-trip-updates.pb', 9, {}, {}, { Skipped: 40 }],
    // No time is invented.
    ['GTFS-16', 'aomori/TripUpdate.pb', 35, noDate(35), { '#departureDelay': 35, '/departureTime': 0 }],
    ['GTFS-23', PLATES, 37, {}, { '#licensePlate': 0 }],
    ['GTFS-12', 'barcelona/tripupdates.pb', 38, {}, { '#stopTimeUpdate': 432 }],
    ['GTFS-8', 'samples/no-trip-id.pb', 153, { 'key-fallback:trip-by-route': 153 }, { '#stopTimeUpdate': 4776 }],
  ])(
    '%s %s has %s drafts, with the findings %j, and the values %j',
    async (_, path, drafts, findings, has, kinds = {}) => {
      const read = await snapshot(recording(path));
      expect(read.drafts).toHaveLength(drafts);
      expect(read).toMatchObject({ deleted: [], differential: false });
      expect(read.findings).toEqual(findings);
      const counted = Object.keys(has).map((name) => [name, values(read.drafts, name).length]);
      expect(Object.fromEntries(counted)).toEqual(has);
      const relations = values(read.drafts, '#scheduleRelationship');
      for (const [kind, count] of Object.entries(kinds)) {
        expect([kind, relations.filter((iri) => iri.endsWith(`#${kind}`)).length]).toEqual([kind, count]);
      }
    },
  );

  test('GTFS-9 of a vehicle that comes twice the last counts, and no speed is 0 that was not sent', async () => {
    const drafts = await draftsOf('mbta/VehiclePositions-live.pb');
    const twice = drafts.filter((draft) => draft.entity.endsWith('/545168B8'));
    expect(values(twice, '#currentStopSequence')).toEqual(['140']);
    expect(values(drafts, '#speed')).not.toContain('0');
    expect(
      values(await draftsOf('raba/raba-vehicle-positions.pb'), '#speed').filter((speed) => speed === '0'),
    ).toHaveLength(17);
  });

  test('GTFS-14 is_deleted that is false deletes nothing', () => {
    expect(entitiesOf('mbta/tripupdates.pb').every((entity) => entity.is_deleted === false)).toBe(true);
  });

  test('GTFS-20 positions are printed short, and name the trips of updates', async () => {
    const drafts = await draftsOf('mbta/vehiclepositions.pb');
    expect(values(drafts, '#lat')).toContain('42.34006');
    expect(Math.max(...values(drafts, '#lat').map((text) => text.length))).toBeLessThanOrEqual(10);
    const trips = new Set(values(await draftsOf('mbta/tripupdates.pb'), '#tripInstance'));
    expect(values(drafts, '#tripInstance').filter((trip) => !trips.has(trip))).toEqual([]);
  });

  test('GTFS-16 alerts keep their periods and their language', async () => {
    const drafts = await draftsOf('mbta/alerts.pb');
    expect(values(drafts, '#startDate').length - values(drafts, '#endDate').length).toBe(24);
    expect(drafts.filter((draft) => values([draft], '/description').length > 0)).toHaveLength(51 - 13);
    const titles = drafts.flatMap(({ quads }) => quads.filter((quad) => quad.predicate.value.endsWith('/title')));
    expect(titles.every(({ object }) => object.termType === 'Literal' && object.language === 'en')).toBe(true);
  });

  test('GTFS-12 Barcelona has bars in its trip ids, which IRIs have percent-encoded', async () => {
    const ids = entitiesOf('barcelona/tripupdates.pb').map((entity) => entity.trip_update?.trip.trip_id as string);
    expect(ids.every((id) => id.includes('|'))).toBe(true);
    const iris = (await draftsOf('barcelona/tripupdates.pb')).map(({ entity }) => entity.slice(publicUrl.length));
    expect(iris.map((iri) => decodeURIComponent(iri.split('/')[3] as string))).toEqual(ids);
  });

  test('GTFS-23 Aomori sends licence plates: each is published where that is configured', async () => {
    const plates = entitiesOf(PLATES).map((entity) => entity.vehicle?.vehicle?.license_plate as string);
    const asked = await snapshot(recording(PLATES), { publishLicensePlates: true });
    expect(values(asked.drafts, '#licensePlate')).toEqual(plates);
    const trips = new Set(values(await draftsOf('aomori/TripUpdate.pb'), '#trip'));
    expect(values(await draftsOf(PLATES), '#trip').filter((trip) => trips.has(trip))).toHaveLength(21);
  });

  test('GTFS-8 trips without ids are keyed by route, direction, date and time, without a collision', async () => {
    const path = 'samples/no-trip-id.pb';
    const days = values(await draftsOf(path), '#startDate');
    expect(['20200223', '20200224'].map((day) => days.filter((one) => one === day).length)).toEqual([145, 8]);
    expect(
      values(await draftsOf(path), '#startTime')
        .sort()
        .at(-1),
    ).toBe('25:14:00');
    const withoutDirection = await snapshot(recording(path), {
      keys: { trip: ['route_id', 'start_date', 'start_time'] },
    });
    expect(withoutDirection.findings).toEqual({ 'key-collision:trip_update': 5 });
  });

  test('GTFS-15 two samples that differ by one field that is set differ by it alone', async () => {
    const name = (end: string) => `samples/vehicle-position-pre-occupancy-defaults-${end}.pb`;
    const [unset, set] = [await draftsOf(name('no-occupancy')), await draftsOf(name('with-occupancy-status'))];
    expect(set[0]?.entity).toBe(unset[0]?.entity);
    expect(set[0]?.fingerprint).not.toBe(unset[0]?.fingerprint);
    expect(set[0]?.quads.length).toBe((unset[0]?.quads.length ?? 0) + 1);
    expect(values(set, '#occupancyStatus')).toEqual([`${prefixes.rt}FewSeatsAvailable`]);
    expect((await snapshot(recording(name('no-occupancy')))).headerMs).toBeUndefined();
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

  test('GTFS-14 what one of them marks as deleted is named', async () => {
    const { drafts, deleted } = await snapshot(recording('malformed/one-defect/bullrunner/26-header-v2.pb'));
    expect(drafts).toEqual([]);
    expect(deleted).toEqual([`${publicUrl}vehicles/entities/trips/1/20160101/07%3A00%3A00/update`]);
  });
});
