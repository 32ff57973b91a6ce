import { hash } from 'node:crypto';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { decodeFeed } from '../../src/gtfs-rt/decode-feed.ts';
import { encodeFeed } from '../../src/gtfs-rt/encode-feed.ts';
import type { TripUpdate, VehiclePosition } from '../../src/gtfs-rt/feed-entities.ts';
import type { FeedMessage } from '../../src/gtfs-rt/feed-message.ts';
import { fingerprint, MAPPING_VERSION } from '../../src/gtfs-rt/fingerprint.ts';
import { UNKNOWN_FIELDS } from '../../src/gtfs-rt/wire-message.ts';
import type { WireMessageName } from '../../src/gtfs-rt/wire-messages.ts';
import { arbitraryMessage } from './arbitrary-feed.ts';
import { feedOf } from './sample-feed.ts';

const print = (kind: WireMessageName, content: object, licensePlates = false) =>
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
    // -0 and 0 are published alike, and so are all that is no number.
    const text = JSON.stringify(content, (_, value) => (value === 0 ? 0 : value));
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

test('GTFS-15 a field that is set to its default is other than one that is not set', () => {
  const set: VehiclePosition = { position: { latitude: 1, longitude: 2, speed: 0 } };
  const notSet: VehiclePosition = { position: { latitude: 1, longitude: 2 } };
  expect(print('VehiclePosition', set)).not.toBe(print('VehiclePosition', notSet));
});

test('GTFS-15 no text passes for the end of its field', () => {
  const left = { trip_id: 'a","start_time":"b', start_time: 'c' };
  const right = { trip_id: 'a', start_time: 'b","start_time":"c' };
  expect(print('TripDescriptor', left)).not.toBe(print('TripDescriptor', right));
});

test('GTFS-15 the time of a trip update does not count, that of a vehicle position does', () => {
  const trip: TripUpdate = { trip: { trip_id: 'a' }, timestamp: 1 };
  expect(print('TripUpdate', trip)).toBe(print('TripUpdate', { ...trip, timestamp: 2 }));
  expect(print('VehiclePosition', { timestamp: 1 })).not.toBe(print('VehiclePosition', { timestamp: 2 }));
});

test('GTFS-15 the version of the mapping counts', () => {
  const expected = hash('sha256', `${MAPPING_VERSION} {"trip":{"trip_id":"a"}}`, 'base64url').slice(0, 22);
  expect(print('TripUpdate', { trip: { trip_id: 'a' } })).toBe(expected);
});

test('GTFS-15 unknown fields do not count', () => {
  const unknown = [{ number: 1001, wireType: 0, bytes: new Uint8Array([1]) }];
  const trip = { trip_id: 'a', [UNKNOWN_FIELDS]: unknown };
  expect(print('TripUpdate', { trip })).toBe(print('TripUpdate', { trip: { trip_id: 'a' } }));
});

test('GTFS-15 a licence plate counts only if it is published', () => {
  const said = (license_plate: string): VehiclePosition => ({ vehicle: { id: '1', license_plate } });
  expect(print('VehiclePosition', said('a'))).toBe(print('VehiclePosition', said('b')));
  expect(print('VehiclePosition', said('a'), true)).not.toBe(print('VehiclePosition', said('b'), true));
});

test('GTFS-15 what is read back has the fingerprint of what was written', () => {
  const kind = 'TripModifications';
  check(
    fc.property(arbitraryMessage(kind), (content) => {
      const feed = feedOf([{ id: 'a', trip_modifications: content }]) as FeedMessage;
      const back = decodeFeed(encodeFeed(feed)).feed.entity?.[0]?.trip_modifications as object;
      expect(print(kind, back)).toBe(print(kind, content));
    }),
    { numRuns: 50 },
  );
});
