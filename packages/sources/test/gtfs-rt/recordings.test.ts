import { isDeepStrictEqual } from 'node:util';
import { isStreamError, type UpsertDraft } from '@ldes-live/rdf-stream';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { decodeFeed } from '../../src/gtfs-rt/decode-feed.ts';
import { encodeFeed } from '../../src/gtfs-rt/encode-feed.ts';
import type { EntityDrafts } from '../../src/gtfs-rt/entity-drafts.ts';
import type { FeedEntity } from '../../src/gtfs-rt/feed-message.ts';
import { replay, snapshot } from './replay.ts';
import { publicUrl } from './turtle-tree.ts';

const entitiesOf = (path: string) => decodeFeed(recording(path)).feed.entity ?? [];
const draftsOf = (path: string) => snapshot(recording(path)).drafts;
const values = (drafts: readonly UpsertDraft[], predicate: string) =>
  drafts.flatMap(({ quads }) =>
    quads.filter((quad) => quad.predicate.value.endsWith(predicate)).map((quad) => quad.object.value),
  );
const stops = (entities: readonly FeedEntity[]) =>
  entities.flatMap((entity) => entity.trip_update?.stop_time_update ?? []);
const entityIris = (path: string) => draftsOf(path).map((draft) => draft.entity.slice(publicUrl.length));

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

  test('GTFS-11 names each of its entities by an IRI of its own', () => {
    for (const path of folders.flatMap(recordings)) {
      const iris = draftsOf(path).map((draft) => draft.entity);
      expect(new Set(iris).size).toBe(iris.length);
      for (const iri of iris) expect(new URL(iri).href).toBe(iri);
    }
  });
});

describeRecordings('New York, twelve polls of three lines', () => {
  const made = new Map<string, readonly EntityDrafts[]>();
  const polls = (keys?: string[]): readonly EntityDrafts[] => {
    const by = String(keys);
    const options = keys ? { keys: { trip: keys } } : {};
    const all = made.get(by) ?? recordings('nyct-ace-sequence').map((path) => snapshot(recording(path), options));
    made.set(by, all);
    return all;
  };

  test('GTFS-9 by trip, the trip of two trains is two entities in every poll', () => {
    for (const { findings, drafts } of polls()) {
      expect(findings['key-collision:trip_update']).toBe(1);
      expect(findings['key-collision:vehicle']).toBe(1);
      const doubled = drafts.map(({ entity }) => entity).filter((entity) => entity.includes('/044200_A..N/20240208/'));
      expect(doubled.map((entity) => entity.slice(entity.indexOf('07%3A22%3A00')))).toEqual([
        '07%3A22%3A00/update',
        '07%3A22%3A00/position',
        '07%3A22%3A00/~2/update',
        '07%3A22%3A00/~2/position',
      ]);
    }
  });

  // One trip update of the reference's 690 changes in its extension alone, which is not published.
  test('GTFS-15 by trip, the deltas rebuild every poll and are as few as the content that changed', () => {
    expect(replay(polls().map(({ drafts }) => drafts))).toEqual({
      first: { update: 160, position: 160 },
      later: {
        update: { created: 21, changed: 689, deleted: 28 },
        position: { created: 21, changed: 614, deleted: 28 },
      },
      living: 306,
      rebuilt: Array(12).fill(true),
    });
  });

  // The two trains of one trip as one entity: what a key alone, without their order, would make of them.
  test('GTFS-15 by trip with the last train winning, the figures are those without extensions', () => {
    const withoutOrder = (drafts: readonly UpsertDraft[]) => {
      const keyed = drafts.map((draft): [string, UpsertDraft] => {
        const entity = draft.entity.replace(/\/~\d+\//, '/');
        return [entity, { ...draft, entity }];
      });
      return [...new Map(keyed).values()];
    };
    expect(replay(polls().map(({ drafts }) => withoutOrder(drafts)))).toMatchObject({
      first: { update: 159, position: 159 },
      later: {
        update: { created: 21, changed: 679, deleted: 28 },
        position: { created: 21, changed: 612, deleted: 28 },
      },
      living: 304,
    });
  });

  test('GTFS-10 by trip and train, the trains are told apart without their order', () => {
    const all = polls(['trip_id', 'start_date', 'start_time', '1001.1']);
    for (const { findings } of all) expect(Object.keys(findings).filter((name) => /collision/.test(name))).toEqual([]);
    expect(replay(all.map(({ drafts }) => drafts))).toMatchObject({
      first: { update: 160, position: 160 },
      later: {
        update: { created: 21, changed: 689, deleted: 28 },
        position: { created: 21, changed: 614, deleted: 28 },
      },
      living: 306,
    });
  });

  // Ten trains go on under another trip id: one entity that changes instead of two that end and begin.
  test('GTFS-10 by train alone, a train that changes its trip stays the same entity', () => {
    const all = polls(['1001.1']);
    for (const { findings } of all) expect(Object.keys(findings).filter((name) => /collision/.test(name))).toEqual([]);
    expect(replay(all.map(({ drafts }) => drafts))).toMatchObject({
      later: {
        update: { created: 11, changed: 699, deleted: 18 },
        position: { created: 11, changed: 624, deleted: 18 },
      },
      living: 306,
    });
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

  test('GTFS-13 without vehicle ids, that positions are keyed by trip is said', () => {
    expect(polls()[0]?.findings['key-fallback:vehicle-by-trip']).toBe(160);
  });

  test('GTFS-16 without positions, none are published, and future times are', () => {
    const drafts = draftsOf('nyct-ace-sequence/1707397157.ace.pb');
    expect(values(drafts, 'hasGeometry')).toEqual([]);
    expect(values(drafts, 'hasFeatureOfInterest')).toEqual([]);
    const header = Date.parse('2024-02-08T12:59:15Z');
    const future = values(drafts, 'resultTime').filter((time) => Date.parse(time) > header);
    expect(future.length).toBeGreaterThanOrEqual(74);
    expect(new Set(values(drafts, '#departureOccupancyStatus'))).toEqual(
      new Set([`${publicUrl}ns/rt#NoDataAvailable`]),
    );
  });
});

describeRecordings('Boston', () => {
  test('GTFS-9 a vehicle that comes twice is one entity, and that is said', () => {
    const path = 'mbta/VehiclePositions-live.pb';
    const { drafts, findings } = snapshot(recording(path));
    expect(entitiesOf(path)).toHaveLength(786);
    expect(drafts).toHaveLength(785);
    expect(findings).toEqual({ 'key-collision:vehicle': 1 });
    const twice = drafts.filter((draft) => draft.entity.includes('/545168B8/'));
    expect(values(twice, '#currentStopSequence')).toEqual(['140']);
    expect(values(drafts, '#speed')).toHaveLength(31);
    expect(values(drafts, '#speed')).not.toContain('0');
    expect(values(drafts, '#scheduleRelationship').filter((iri) => iri.endsWith('#Added'))).toHaveLength(57);
  });

  test('GTFS-14 is_deleted that is false deletes nothing', () => {
    const path = 'mbta/tripupdates.pb';
    expect(entitiesOf(path).every((entity) => entity.is_deleted === false)).toBe(true);
    expect(snapshot(recording(path))).toMatchObject({ deletedEntities: [], findings: {}, differential: false });
    expect(draftsOf(path)).toHaveLength(49);
    expect(values(draftsOf(path), '#scheduleRelationship').filter((iri) => iri.endsWith('#Added'))).toHaveLength(35);
  });

  test('GTFS-20 positions are printed short', () => {
    const drafts = draftsOf('mbta/vehiclepositions.pb');
    expect(drafts).toHaveLength(48);
    expect(values(drafts, '#lat')).toContain('42.34006');
    expect(Math.max(...values(drafts, '#lat').map((text) => text.length))).toBeLessThanOrEqual(10);
    expect(values(drafts, '#label')).toHaveLength(47);
    const trips = new Set(values(draftsOf('mbta/tripupdates.pb'), '#tripInstance'));
    expect(values(drafts, '#tripInstance').filter((trip) => !trips.has(trip))).toEqual([]);
  });

  test('GTFS-16 headsigns of trips are published', () => {
    expect(values(draftsOf('mbta/tripupdates_with_tripproperties.pb'), '#headsign')).toHaveLength(3);
  });

  test('GTFS-16 alerts keep their periods, their selectors and their language', () => {
    const drafts = draftsOf('mbta/alerts.pb');
    expect(drafts).toHaveLength(51);
    expect(values(drafts, '/temporal')).toHaveLength(2069);
    expect(values(drafts, '#startDate').length - values(drafts, '#endDate').length).toBe(24);
    expect(values(drafts, '#informedEntity')).toHaveLength(275);
    const described = drafts.filter((draft) => values([draft], '/description').length > 0);
    expect(described).toHaveLength(51 - 13);
    const titles = drafts.flatMap(({ quads }) => quads.filter((quad) => quad.predicate.value.endsWith('/title')));
    expect(titles.every(({ object }) => object.termType === 'Literal' && object.language === 'en')).toBe(true);
    expect(values(drafts, '/page')).toEqual([]);
  });
});

describeRecordings('others', () => {
  test('GTFS-13 Bustang sends no start date: the key says so', () => {
    const { drafts, findings } = snapshot(recording('bustang/bustang.pb'));
    expect(findings).toEqual({ 'key-fallback:trip-without-start-date': 6 });
    expect(drafts).toHaveLength(6);
    expect(values(drafts, '#stopTimeUpdate')).toHaveLength(30);
    expect(values(drafts, '#tripInstance')).toEqual([]);
  });

  test('GTFS-7 Redding sends real speeds of 0', () => {
    const drafts = draftsOf('raba/raba-vehicle-positions.pb');
    expect(drafts).toHaveLength(22);
    expect(values(drafts, '#speed').filter((speed) => speed === '0')).toHaveLength(17);
    expect(values(drafts, '#bearing')).toHaveLength(2);
    expect(drafts.filter((draft) => values([draft], '#trip').length === 0)).toHaveLength(21);
  });

  test('GTFS-16 Redding skips every stop of the next day: updates all the same', () => {
    const drafts = draftsOf('raba/raba-trip-updates.pb');
    expect(drafts).toHaveLength(9);
    const skipped = drafts.filter((draft) => {
      const relations = values([draft], '#scheduleRelationship').map((iri) => iri.slice(iri.indexOf('#') + 1));
      return relations.filter((relation) => relation === 'Skipped').length === 5 && relations.includes('Scheduled');
    });
    expect(skipped).toHaveLength(8);
  });

  test('GTFS-12 Barcelona has bars in its trip ids, which IRIs have percent-encoded', () => {
    const path = 'barcelona/tripupdates.pb';
    const ids = entitiesOf(path).map((entity) => entity.trip_update?.trip.trip_id as string);
    expect(ids.every((id) => id.includes('|'))).toBe(true);
    expect(entityIris(path).map((iri) => decodeURIComponent(iri.split('/')[3] as string))).toEqual(ids);
    expect(stops(entitiesOf(path))).toHaveLength(432);
    expect(snapshot(recording(path)).findings).toEqual({});
  });

  test('GTFS-16 Aomori sends delays only: no time is invented', () => {
    const drafts = draftsOf('aomori/TripUpdate.pb');
    expect(drafts).toHaveLength(35);
    expect(values(drafts, '#departureDelay')).toHaveLength(35);
    expect(values(drafts, '/departureTime')).toEqual([]);
    expect(values(drafts, '#stopSequence')).toHaveLength(35);
  });

  test('GTFS-23 Aomori sends licence plates: none is published unless that is configured', () => {
    const path = 'aomori/VehiclePosition.pb';
    const plates = entitiesOf(path).map((entity) => entity.vehicle?.vehicle?.license_plate as string);
    expect(plates).toHaveLength(37);
    expect(values(draftsOf(path), '#licensePlate')).toEqual([]);
    const asked = snapshot(recording(path), { publishLicensePlates: true });
    expect(values(asked.drafts, '#licensePlate')).toEqual(plates);
    const trips = new Set(values(draftsOf('aomori/TripUpdate.pb'), '#trip'));
    expect(values(draftsOf(path), '#trip').filter((trip) => trips.has(trip))).toHaveLength(21);
  });

  test('GTFS-8 trips without ids are keyed by route, direction, date and time, without a collision', () => {
    const path = 'samples/no-trip-id.pb';
    expect(snapshot(recording(path)).findings).toEqual({ 'key-fallback:trip-by-route': 153 });
    const days = values(draftsOf(path), '#startDate');
    expect(days.filter((day) => day === '20200223')).toHaveLength(145);
    expect(days.filter((day) => day === '20200224')).toHaveLength(8);
    expect(values(draftsOf(path), '#startTime').sort().at(-1)).toBe('25:14:00');
    expect(stops(entitiesOf(path))).toHaveLength(4776);
    const withoutDirection = snapshot(recording(path), { keys: { trip: ['route_id', 'start_date', 'start_time'] } });
    expect(withoutDirection.findings).toEqual({ 'key-collision:trip_update': 5 });
  });

  test('GTFS-15 two samples that differ by one field that is set differ by it alone', () => {
    const name = (end: string) => `samples/vehicle-position-pre-occupancy-defaults-${end}.pb`;
    const [unset, set] = [draftsOf(name('no-occupancy')), draftsOf(name('with-occupancy-status'))];
    expect(set[0]?.entity).toBe(unset[0]?.entity);
    expect(set[0]?.fingerprint).not.toBe(unset[0]?.fingerprint);
    expect(set[0]?.quads.length).toBe((unset[0]?.quads.length ?? 0) + 1);
    expect(values(set, '#occupancyStatus')).toEqual([`${publicUrl}ns/rt#FewSeatsAvailable`]);
    expect(Object.hasOwn(snapshot(recording(name('no-occupancy'))), 'headerTime')).toBe(false);
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
  const outcome = (path: string) => {
    try {
      const { findings, drafts } = snapshot(recording(path));
      for (const { quads } of drafts) expect(quads.length).toBeGreaterThan(0);
      return findings;
    } catch (error) {
      return isStreamError(error) ? error.code : error;
    }
  };

  test('GTFS-1 each is read with what is odd counted, or refused by name', () => {
    const paths = recordings('malformed/one-defect');
    expect(paths).toHaveLength(32);
    for (const path of paths) {
      const file = path.slice(path.lastIndexOf('/') + 1);
      expect([path, outcome(path)]).toEqual([path, refused[file] ?? found[file] ?? {}]);
    }
  });

  test('GTFS-14 what one of them marks as deleted is named', () => {
    const { drafts, deletedEntities } = snapshot(recording('malformed/one-defect/bullrunner/26-header-v2.pb'));
    expect(drafts).toEqual([]);
    expect(deletedEntities).toEqual([`${publicUrl}vehicles/entities/trips/1/20160101/07%3A00%3A00/update`]);
  });
});
