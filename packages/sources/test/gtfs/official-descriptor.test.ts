import { readFileSync } from 'node:fs';
import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { FieldDescriptorProto_Label, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { decodeFeed, encodeFeed } from '../../src/gtfs/wire.ts';
import { arbitraryFeed } from './feeds.ts';

const descriptor = readFileSync(new URL('official/gtfs-realtime.binpb', import.meta.url));
const registry = createFileRegistry(fromBinary(FileDescriptorProtoSchema, descriptor), () => undefined);
const officialMessages = [...registry].filter((type) => type.kind === 'message');
const FEED = registry.getMessage('transit_realtime.FeedMessage') as DescMessage;

test('the generated types and tables are those of the official descriptor', async () => {
  const script = new URL('../../../../scripts/generate-gtfs-rt.mjs', import.meta.url);
  const { text } = await import(script.href);
  // Otherwise run the script: it writes the file.
  expect(readFileSync(new URL('../../src/gtfs/generated/gtfs-realtime.ts', import.meta.url), 'utf8')).toBe(text);
});

/** The fields that lead from a feed to each of its messages, along the shortest way. */
const ways = new Map<DescMessage, readonly DescField[]>([[FEED, []]]);
for (const [message, way] of ways) {
  for (const field of message.fields) {
    if (field.message && !ways.has(field.message)) ways.set(field.message, [...way, field]);
  }
}

/** A value as the official library takes it, beside what it reads as here. */
type Pair = readonly [official: unknown, own: unknown];

const same = (...values: readonly unknown[]): Pair[] => values.map((value) => [value, value]);
const scalars: Partial<Record<ScalarType, readonly Pair[]>> = {
  [ScalarType.STRING]: same('', 'é 🚋', '\ufeffa'),
  [ScalarType.BOOL]: same(false, true),
  [ScalarType.UINT32]: same(0, 2 ** 32 - 1),
  [ScalarType.INT32]: same(0, -1, -(2 ** 31), 2 ** 31 - 1),
  [ScalarType.UINT64]: [0, 2 ** 53 - 1].map((value) => [BigInt(value), value] as const),
  [ScalarType.INT64]: [0, -(2 ** 53 - 1), 2 ** 53 - 1].map((value) => [BigInt(value), value] as const),
  [ScalarType.FLOAT]: same(0, Math.fround(-0.1), Number.POSITIVE_INFINITY),
  [ScalarType.DOUBLE]: same(0, -0.1, Number.MAX_VALUE),
};

/** The least of a message: nothing but what it must have. */
function least(message: DescMessage): { readonly theirs: ReflectMessage; readonly own: Record<string, unknown> } {
  const theirs = reflect(message, create(message));
  const own: Record<string, unknown> = {};
  for (const field of message.fields) {
    if (field.proto.label === FieldDescriptorProto_Label.REQUIRED) put(theirs, own, field, valuesOf(field)[0] as Pair);
  }
  return { theirs, own };
}

function valuesOf(field: DescField): readonly Pair[] {
  // The version that a feed has to have.
  if (field.name === 'gtfs_realtime_version') return same('2.0');
  if (field.enum) return field.enum.values.map(({ name, number }) => [number, name]);
  if (field.message) {
    const { theirs, own } = least(field.message);
    return [[theirs, own]];
  }
  return (
    scalars[(field.fieldKind === 'list' ? field.listKind === 'scalar' && field.scalar : field.scalar) as ScalarType] ??
    []
  );
}

function put(theirs: ReflectMessage, own: Record<string, unknown>, field: DescField, [value, ownValue]: Pair): void {
  if (field.fieldKind === 'list') {
    theirs.get(field).add(value as never);
    own[field.name] = [ownValue];
  } else {
    theirs.set(field, value as never);
    own[field.name] = ownValue;
  }
}

/** A feed in which one field has a value, as the official library writes it, and what it reads as here. */
function feedWith(field: DescField, value: Pair): { readonly bytes: Uint8Array; readonly own: unknown } {
  let inner: Pair = value;
  for (const step of [...(ways.get(field.parent) as DescField[]), field].toReversed()) {
    const { theirs, own } = least(step.parent);
    put(theirs, own, step, inner);
    inner = [theirs, own];
  }
  return { bytes: toBinary(FEED, (inner[0] as ReflectMessage).message), own: inner[1] };
}

const fields = officialMessages.flatMap((message) => message.fields.map((field) => [message.name, field.name, field]));
test.each(fields as [string, string, DescField][])(
  '%s.%s reads as the official library writes it, and is written so',
  (_, _name, field) => {
    const values = valuesOf(field);
    expect(values).not.toEqual([]);
    for (const value of values) {
      const { bytes, own } = feedWith(field, value);
      expect(decodeFeed(bytes)).toEqual({ feed: own, unknownFields: {}, skippedEntities: [] });
      expect(toBinary(FEED, fromBinary(FEED, encodeFeed(decodeFeed(bytes).feed)))).toEqual(bytes);
    }
  },
);

test('whatever is set or not set, the official library reads what is written, and the other way round', () => {
  check(
    fc.property(arbitraryFeed, (feed) => {
      const theirs = fromBinary(FEED, encodeFeed(feed));
      expect(theirs.$unknown ?? []).toEqual([]);
      expect(decodeFeed(toBinary(FEED, theirs))).toStrictEqual({ feed, unknownFields: {}, skippedEntities: [] });
    }),
    { numRuns: 50 },
  );
});
