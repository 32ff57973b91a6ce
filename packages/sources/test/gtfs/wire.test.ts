import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isStreamError } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import type { DecodeLimits } from '../../src/gtfs/decode-limits.ts';
import { UNKNOWN_FIELDS } from '../../src/gtfs/messages.ts';
import { decodeFeed, encodeFeed } from '../../src/gtfs/wire.ts';
import { bus, detour, feedOf, train } from './feeds.ts';

const text = (content: string) => new TextEncoder().encode(content);
const header = () => new BinaryWriter().tag(1, 2).fork().tag(1, 2).string('2.0').join();

/** A feed of one entity, whose content is written by hand. */
const entityOf = (write: (writer: BinaryWriter) => BinaryWriter) => {
  return write(header().tag(2, 2).fork().tag(1, 2).string('a')).join().finish();
};

function failure(bytes: Uint8Array, limits?: DecodeLimits) {
  try {
    decodeFeed(bytes, limits);
  } catch (error) {
    if (isStreamError(error)) return error;
    throw error;
  }
  return undefined;
}

describe('what is no feed', () => {
  test.each([
    ['a web page', '<!DOCTYPE html><html><body>502 Bad Gateway</body></html>'],
    ['JSON', '{"error":"unknown API key"}'],
    ['a JSON list', '[]'],
    ['XML', '<?xml version="1.0"?>'],
    ['plain text', 'Not found\n'],
  ])('GTFS-1 %s is refused, and the message shows how it starts', (_, body) => {
    const error = failure(text(body));
    expect(error?.code).toBe('ERR_FEED_MALFORMED');
    expect(error?.message).toContain(body.slice(0, 10).replace('\n', '.'));
  });

  test('GTFS-1 a cut is found at every byte but between the fields of the feed itself', () => {
    const entities = [bus, train, detour];
    const bytes = encodeFeed(feedOf(entities));
    const whole = entities.map((_, index) => encodeFeed(feedOf(entities.slice(0, index))).length);
    for (let length = 1; length < bytes.length; length += 1) {
      const code = whole.includes(length) ? undefined : 'ERR_FEED_MALFORMED';
      expect([length, failure(bytes.subarray(0, length))?.code]).toEqual([length, code]);
    }
  });

  test('GTFS-1 the error names the byte where the field at fault begins', () => {
    const short = new Uint8Array([0x0a, 9]);
    const bytes = header().tag(2, WireType.LengthDelimited).uint32(5).raw(short).finish();
    expect(failure(bytes)?.details).toMatchObject({ offset: 7 });
  });

  test.each([
    ['a message that reaches beyond what holds it', [0x12, 0x04, 0x22, 0x7f, 0x0a, 0x00]],
    ['a message of 2^40 bytes', [0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    ['a message of 2^32 bytes', [0x12, 0x80, 0x80, 0x80, 0x80, 0x10]],
    ['an unknown field of 2^32 bytes', [0x7a, 0x80, 0x80, 0x80, 0x80, 0x10]],
    ['a message of 2^32 - 1 bytes', [0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['a field that reaches beyond its message', [0x12, 0x02, 0x0a, 0x03, 0x61, 0x62, 0x63]],
    ['a group that does not end', [0x7b]],
    ['a group that another one ends', [0x7b, 0x6c]],
    ['the end of a group that did not start', [0x7c]],
    ['field number 0', [0x00, 0x00]],
    ['wire type 7', [0x0f]],
  ])('GTFS-1 %s is refused', (_, bytes) => {
    expect(failure(header().raw(new Uint8Array(bytes)).finish())?.code).toBe('ERR_FEED_MALFORMED');
  });
});

const fork = (write: (writer: BinaryWriter) => BinaryWriter) => write(new BinaryWriter()).finish();
const versioned = (gtfs_realtime_version: string) => encodeFeed({ header: { gtfs_realtime_version } });
const NO_VERSION = fork((writer) => writer.tag(1, 2).fork().tag(3, 0).uint64(1).join());

test.each<[what: string, bytes: Uint8Array, code: string, details?: object]>([
  ['no bytes', new Uint8Array(), 'ERR_FEED_EMPTY'],
  ['no header', fork((writer) => writer.tag(2, 2).fork().tag(1, 2).string('a').join()), 'ERR_FEED_HEADER_MISSING'],
  ['no version', NO_VERSION, 'ERR_FEED_VERSION', { version: '' }],
  ['a long version', versioned('x'.repeat(1000)), 'ERR_FEED_VERSION', { version: 'x'.repeat(20) }],
  ...['3.0', '', '0.1', '2.0 '].map((version): [string, Uint8Array, string, object] => {
    return [`version "${version}"`, versioned(version), 'ERR_FEED_VERSION', { version }];
  }),
])('a feed of %s is refused by name', (_, bytes, code, details = {}) => {
  expect(failure(bytes)).toMatchObject({ code, details });
});

test('known versions are read, and a feed without entities is a feed', () => {
  for (const gtfs_realtime_version of ['1', '1.0', '2', '2.0']) {
    expect(decodeFeed(versioned(gtfs_realtime_version)).feed).toStrictEqual({ header: { gtfs_realtime_version } });
  }
});

describe('what the descriptor does not know', () => {
  const inTrip = (write: (writer: BinaryWriter) => BinaryWriter) => {
    const begun = (writer: BinaryWriter) => writer.tag(3, 2).fork().tag(1, 2).fork().tag(1, 2).string('t');
    return decodeFeed(entityOf((writer) => write(begun(writer)).join().join()));
  };

  test.each<[string, number, number, (writer: BinaryWriter) => BinaryWriter]>([
    ['an extension', 1001, 2, (writer) => writer.tag(1001, 2).string('1A 0725')],
    ['a field of another wire type', 5, 0, (writer) => writer.tag(5, 0).uint32(3)],
    ['an unlisted value of an enumeration', 4, 0, (writer) => writer.tag(4, 0).int32(4)],
    ['a 64-bit field', 99, 1, (writer) => writer.tag(99, 1).double(1)],
    ['a 32-bit field', 99, 5, (writer) => writer.tag(99, 5).float(1)],
    ['a group', 99, 3, (writer) => writer.tag(99, 3).tag(1, 2).string('x').tag(99, 4)],
  ])('%s is counted and kept', (_, number, wireType, write) => {
    const { feed, unknownFields } = inTrip(write);
    expect(unknownFields).toEqual({ [`TripDescriptor.${number}`]: 1 });
    const trip = feed.entity?.[0]?.trip_update?.trip;
    expect(Object.keys(trip ?? {})).toEqual(['trip_id']);
    const kept = trip?.[UNKNOWN_FIELDS]?.[0];
    expect(kept).toMatchObject({ number, wireType });
    expect(fork((writer) => writer.tag(number, wireType).raw(kept?.bytes as Uint8Array))).toEqual(fork(write));
  });

  test('a time beyond the safe integers is counted and kept', () => {
    const time = 2n ** 60n;
    const bytes = entityOf((writer) => writer.tag(4, 2).fork().tag(5, 0).uint64(time).join());
    const decoded = decodeFeed(bytes);
    expect(decoded.unknownFields).toEqual({ 'VehiclePosition.5': 1 });
    expect(decoded.feed.entity?.[0]?.vehicle?.timestamp).toBeUndefined();
    expect(encodeFeed(decoded.feed)).toEqual(bytes);
  });
});

test('of a field that comes twice the last counts, and messages are merged', () => {
  const placed = (writer: BinaryWriter, field: number) =>
    writer.tag(4, 2).fork().tag(2, 2).fork().tag(field, 5).float(field).join().join();
  const bytes = entityOf((writer) => placed(placed(writer.tag(1, 2).string('b'), 1), 2));
  const { feed, skippedEntities } = decodeFeed(bytes);
  expect(feed.entity).toEqual([{ id: 'b', vehicle: { position: { latitude: 1, longitude: 2 } } }]);
  expect(skippedEntities).toEqual([]);
});

test('what is unknown is written again byte for byte, and a value that its field cannot hold is refused', () => {
  const extended = new Uint8Array([...encodeFeed(feedOf([{ id: 'a' }])), 0xf8, 0x3e, 0x05]);
  expect(encodeFeed(decodeFeed(extended).feed)).toEqual(extended);
  expect(() => encodeFeed(feedOf([{ id: 'a', vehicle: { current_stop_sequence: -1 } }]))).toThrow(/uint32/);
});

test('GTFS-6 an entity that lacks a required field is left out and reported, the others stay', () => {
  const writer = header();
  writer.tag(2, 2).fork().tag(1, 2).string('half').tag(4, 2).fork().tag(2, 2).fork().tag(1, 5).float(1);
  writer.join().join().join();
  writer.tag(2, 2).fork().tag(2, 0).bool(false).join();
  writer.tag(2, 2).fork().tag(1, 2).string('untold').tag(5, 2).fork().tag(10, 2).fork().tag(1, 2).fork().join();
  writer.join().join().join();
  writer.tag(2, 2).fork().tag(1, 2).string('whole').join();
  const { feed, skippedEntities } = decodeFeed(writer.finish());
  expect(feed.entity).toEqual([{ id: 'whole' }]);
  expect(skippedEntities).toEqual([
    { entity: { id: 'half', vehicle: { position: { latitude: 1 } } }, reason: 'Position.longitude' },
    { entity: { is_deleted: false }, reason: 'FeedEntity.id' },
    { entity: expect.objectContaining({ id: 'untold' }), reason: 'Translation.text' },
  ]);
});

describe('limits', () => {
  test('as many entities as the limit are accepted, one more is not', () => {
    const entities = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
    const bytes = encodeFeed(feedOf(entities));
    expect(decodeFeed(bytes, { limitEntities: 3 }).feed.entity).toHaveLength(3);
    const refused = { code: 'ERR_FEED_TOO_MANY_ENTITIES', details: { limitEntities: 2 } };
    expect(failure(bytes, { limitEntities: 2 })).toMatchObject(refused);
  });

  test('an entity of as many bytes as the limit is read, a larger one is left out', () => {
    const entities = [{ id: 'ab' }, { id: 'abc' }, { id: 'a' }];
    const { feed, skippedEntities } = decodeFeed(encodeFeed(feedOf(entities)), { limitEntityBytes: 4 });
    expect(feed.entity).toEqual([{ id: 'ab' }, { id: 'a' }]);
    expect(skippedEntities).toEqual([{ entity: {}, reason: 'limitEntityBytes' }]);
  });

  const extras = (count: number, add: (writer: BinaryWriter) => void) => {
    const writer = header();
    for (let index = 0; index < count; index += 1) add(writer);
    return writer.finish();
  };

  test.each<[what: string, bytes: number, add: (writer: BinaryWriter) => void]>([
    ['unknown numbers', 3, (writer) => writer.tag(99, 0).uint32(1)],
    ['unknown texts', 10, (writer) => writer.tag(99, 2).string('1234567')],
    ['headers', 7, (writer) => writer.tag(1, 2).fork().tag(1, 2).string('2.0').join()],
    ['empty groups', 4, (writer) => writer.tag(99, 3).tag(99, 4)],
  ])('GTFS-44 a feed has as many %s besides its entities as fit the limit, and no more', (_, bytes, add) => {
    const fit = Math.floor(262_144 / bytes) - 10;
    expect(failure(extras(fit, add))).toBeUndefined();
    const refused = { code: 'ERR_FEED_EXTRA_TOO_LARGE', details: { limitEntityBytes: 262_144 } };
    expect(failure(extras(2 * fit, add))).toMatchObject(refused);
    expect(failure(extras(2 * fit, add), { limitEntityBytes: 600_000 })).toBeUndefined();
  });

  test('GTFS-44 a group that goes on beyond the limit, or beyond its entity, is not read on', () => {
    const endless = (writer: BinaryWriter) => {
      for (let index = 0; index < 150_000; index += 1) writer.tag(1, 0).uint32(1);
      return writer;
    };
    expect(failure(endless(header().tag(99, 3)).finish())?.code).toBe('ERR_FEED_EXTRA_TOO_LARGE');
    const entity = header().tag(2, 2).fork().tag(99, 3).join();
    expect(failure(endless(entity).finish())).toMatchObject({
      code: 'ERR_FEED_MALFORMED',
      details: { reason: 'a field reaches beyond the end of its message' },
    });
  });

  test('GTFS-45 an entity of as many messages as the limit is read, one of more is left out', () => {
    // The entity and its alert are messages too.
    const alerting = (id: string, count: number) => ({ id, alert: { informed_entity: Array(count).fill({}) } });
    const { feed, skippedEntities } = decodeFeed(encodeFeed(feedOf([alerting('a', 24_998), alerting('b', 24_999)])));
    expect(feed.entity?.map(({ id }) => id)).toEqual(['a']);
    expect(skippedEntities).toEqual([{ entity: expect.objectContaining({ id: 'b' }), reason: 'limitEntityMessages' }]);
  });

  test('messages nest as deep as the limit, no deeper', () => {
    const bytes = encodeFeed(feedOf([detour]));
    // feed, entity, alert, text, translation
    expect(decodeFeed(bytes, { limitDepth: 5 }).feed.entity).toHaveLength(1);
    expect(failure(bytes, { limitDepth: 4 })?.code).toBe('ERR_FEED_TOO_DEEP');
  });

  test('groups nest as deep as the limit, no deeper', () => {
    const nested = (depth: number) => {
      const writer = header();
      for (let level = 0; level < depth; level += 1) writer.tag(99, 3);
      for (let level = 0; level < depth; level += 1) writer.tag(99, 4);
      return writer.finish();
    };
    expect(decodeFeed(nested(31)).unknownFields).toEqual({ 'FeedMessage.99': 1 });
    expect(failure(nested(32))).toMatchObject({ code: 'ERR_FEED_TOO_DEEP', details: { limitDepth: 32 } });
    expect(failure(nested(1_000_000))?.code).toBe('ERR_FEED_TOO_DEEP');
  });

  test('names of unknown fields beyond the limit are counted together', () => {
    const writer = header();
    for (const number of [20, 21, 22, 23, 20]) writer.tag(number, 0).uint32(1);
    const bytes = writer.finish();
    const counts = { 'FeedMessage.20': 2, 'FeedMessage.21': 1, 'FeedMessage.22': 1 };
    expect(decodeFeed(bytes, { limitUnknownNames: 4 }).unknownFields).toEqual({ ...counts, 'FeedMessage.23': 1 });
    expect(decodeFeed(bytes, { limitUnknownNames: 3 }).unknownFields).toEqual({ ...counts, other: 1 });
  });
});
