/* The wire format of GTFS-Realtime: bytes to messages and back. Why the reader is our own: specs/dependencies.md.
 *
 *   0a 05 0a 03 32 2e 30 ...  <->  { header: { gtfs_realtime_version: '2.0' }, entity: [{ id: 'a', vehicle: { ... } }] }
 *
 * What is read has its fields in the order of their numbers, whatever the order on the wire. `FeedReader` gives one entity
 * after the other, so that a large feed is never in memory as objects; `decodeFeed` gives them all. */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { checkedNumbers } from '../options.ts';
import { DECODE_RANGES, type DecodeLimits, LIMIT_ENTITY_MESSAGES } from './decode-limits.ts';
import { enums, type FeedEntity, type FeedMessage } from './generated/gtfs-realtime.ts';
import {
  type EnumName,
  type MessagePlan,
  missingField,
  type PlannedField,
  planOf,
  plans,
  type ScalarType,
  UNKNOWN_FIELDS,
  type UnknownField,
  valuesOf,
  type WireMessage,
} from './messages.ts';

const feedPlan = planOf('FeedMessage');
const entityPlan = planOf('FeedEntity');

/** Field numbers of Protocol Buffers are below this. */
const NUMBERS = 2 ** 29;

const VERSIONS: ReadonlySet<string> = new Set(['1', '1.0', '2', '2.0']);

const DEFAULT_LIMITS = checkedNumbers(DECODE_RANGES, {});

/** An entity that was left out, and why. */
export interface SkippedEntity {
  /** What could be read of it; not to be published, only to be recognised. */
  readonly entity: Partial<FeedEntity>;
  /** The required field that it lacks, such as `Position.latitude`, `limitEntityBytes` or `limitEntityMessages`. */
  readonly reason: string;
}

/** A feed and what was found while reading it. */
export interface DecodedFeed {
  readonly feed: FeedMessage;
  /** How often each field came that the descriptor does not know, by message and number: `TripDescriptor.1001`. */
  readonly unknownFields: Readonly<Record<string, number>>;
  readonly skippedEntities: readonly SkippedEntity[];
}

/**
 * Reads a GTFS-Realtime feed, all of it or nothing but for entities that lack a required field.
 *
 * @param bytes - the body of the response, decompressed
 * @throws {@link StreamError} `ERR_FEED_EMPTY` - 0 bytes
 * @throws {@link StreamError} `ERR_FEED_MALFORMED` - not Protocol Buffers, or cut short
 * @throws {@link StreamError} `ERR_FEED_HEADER_MISSING` - no header
 * @throws {@link StreamError} `ERR_FEED_VERSION` - no version, or an unknown one
 * @throws {@link StreamError} `ERR_FEED_TOO_DEEP` - nested beyond `limitDepth`
 * @throws {@link StreamError} `ERR_FEED_TOO_MANY_ENTITIES` - more than `limitEntities`
 * @throws {@link StreamError} `ERR_FEED_EXTRA_TOO_LARGE` - more than `limitEntityBytes` besides the entities
 * @see specs/gtfs-realtime.md GTFS-1
 */
export function decodeFeed(bytes: Uint8Array, limits: DecodeLimits = {}): DecodedFeed {
  const reader = new FeedReader(bytes, limits);
  const all = [...reader.entities()];
  const entity = all.flatMap((one) => (one.skipped === undefined ? [one.entity as FeedEntity] : []));
  const skippedEntities = all.flatMap(({ entity, skipped }) =>
    skipped === undefined ? [] : [{ entity, reason: skipped }],
  );
  const { unknownFields, message } = reader;
  return { feed: { ...message, ...(all.length > 0 && { entity }) }, unknownFields, skippedEntities };
}

/** An entity as it was read, and where it stands. */
export interface EntityRead {
  readonly entity: Partial<FeedEntity>;
  /** Why it is to be left out, as `SkippedEntity.reason`: then the entity is what could be read of it. */
  readonly skipped: string | undefined;
  /** Its own bytes within the feed, for {@link decodeEntity}. */
  readonly start: number;
  readonly end: number;
}

/** Reads a feed, one entity after the other. Throws what {@link decodeFeed} throws. */
export class FeedReader {
  readonly #reading: Reading;
  readonly #limits: Required<DecodeLimits>;
  readonly #message: MessageInTheMaking = {};
  // By message and number as one number: to put a name together for each field costs more than to read it.
  readonly #unknown = new Map<number, number>();
  #unknownOthers = 0;
  #extraBytes = 0;

  constructor(bytes: Uint8Array, limits: DecodeLimits) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#reading = startReading(bytes, this.#limits.limitDepth, (plan, number) => this.#countUnknown(plan, number));
  }

  /** The entities, in their order. What is wrong with the feed as a whole is thrown at the end. */
  *entities(): Generator<EntityRead, void> {
    const { bytes, reader } = this.#reading;
    if (bytes.length === 0) throw errors.ERR_FEED_EMPTY({});
    for (let count = 0; reader.pos < bytes.length; ) {
      const entity = this.#readField(count);
      if (!entity) continue;
      count += 1;
      yield entity;
    }
    const { header } = this.message;
    if (header === undefined) throw errors.ERR_FEED_HEADER_MISSING({ lengthBytes: bytes.length });
    const version = String(header.gtfs_realtime_version ?? '');
    // Cut, since the text comes from outside and ends up in answers and logs.
    if (!VERSIONS.has(version)) throw errors.ERR_FEED_VERSION({ version: version.slice(0, 20) });
  }

  /** What was read of the feed besides its entities: all of it once they have been read. */
  get message(): FeedMessage {
    return this.#message as unknown as FeedMessage;
  }

  /** The unknown fields so far, by message and number: `TripDescriptor.1001`. */
  get unknownFields(): Record<string, number> {
    const named = [...this.#unknown].map(([key, count]): [string, number] => {
      const { name } = plans[Math.floor(key / NUMBERS)] as MessagePlan;
      return [`${name}.${key % NUMBERS}`, count];
    });
    return Object.fromEntries(this.#unknownOthers > 0 ? [...named, ['other', this.#unknownOthers]] : named);
  }

  #readField(count: number): EntityRead | undefined {
    const reading = this.#reading;
    const { bytes, reader } = reading;
    try {
      checkDepth(reading, 1);
      reading.offset = reader.pos;
      const [number, wireType] = reader.tag();
      if (feedPlan.byNumber[number]?.message !== entityPlan || wireType !== WireType.LengthDelimited) {
        this.#readExtra(number, wireType);
        return undefined;
      }
      checkLength(reading);
      const end = messageEnd(reading, bytes.length);
      const { limitEntities, limitEntityBytes } = this.#limits;
      if (count >= limitEntities) throw errors.ERR_FEED_TOO_MANY_ENTITIES({ limitEntities });
      const start = reader.pos;
      const entity: MessageInTheMaking = {};
      if (end - start > limitEntityBytes) {
        reader.pos = end;
        return { entity, skipped: 'limitEntityBytes', start, end };
      }
      reading.lacksRequired = false;
      reading.messages = 0;
      readMessage(reading, entityPlan, entity, end, 2);
      const lacking = reading.lacksRequired ? missingField(entityPlan, entity) : undefined;
      const isLarge = reading.messages > LIMIT_ENTITY_MESSAGES;
      return { entity, skipped: isLarge ? 'limitEntityMessages' : lacking, start, end };
    } catch (error) {
      if (isStreamError(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      // What a person recognises a web page or a JSON answer by.
      const start = String.fromCharCode(...bytes.subarray(0, 16)).replace(/[^ -~]/g, '.');
      throw errors.ERR_FEED_MALFORMED({ offset: reading.offset, reason, start }, error);
    }
  }

  /** A field that is no entity: all of them are read without a pause, and kept. */
  #readExtra(number: number, wireType: WireType): void {
    const reading = this.#reading;
    const { bytes, reader, offset } = reading;
    // However small entities have to be, there is room for a header.
    const limitEntityBytes = Math.max(this.#limits.limitEntityBytes, DEFAULT_LIMITS.limitEntityBytes);
    const start = reader.pos;
    let end = start + 1;
    if (wireType === WireType.LengthDelimited) {
      checkLength(reading);
      end = reader.uint32() + reader.pos;
    } else if (wireType === WireType.StartGroup) {
      skipValue(reading, wireType, number, 1, start + limitEntityBytes);
      end = reader.pos;
    }
    this.#extraBytes += Math.min(end, bytes.length) - offset;
    if (this.#extraBytes > limitEntityBytes) throw errors.ERR_FEED_EXTRA_TOO_LARGE({ limitEntityBytes });
    reader.pos = start;
    reading.offset = offset;
    readField(reading, feedPlan, this.#message, number, wireType, bytes.length, 1);
  }

  #countUnknown({ index }: MessagePlan, number: number): void {
    const key = index * NUMBERS + number;
    const count = this.#unknown.get(key);
    if (count === undefined && this.#unknown.size >= this.#limits.limitUnknownNames) this.#unknownOthers += 1;
    else this.#unknown.set(key, (count ?? 0) + 1);
  }
}

/** Reads an entity once more, whose bytes a {@link FeedReader} has read. */
export function decodeEntity(bytes: Uint8Array): FeedEntity {
  const entity: MessageInTheMaking = {};
  const reading = startReading(bytes, Number.POSITIVE_INFINITY, () => undefined);
  readMessage(reading, entityPlan, entity, bytes.length, 2);
  return entity as unknown as FeedEntity;
}

/** A message as it is being read. */
interface MessageInTheMaking extends Record<string, unknown> {
  [UNKNOWN_FIELDS]?: UnknownField[];
}

/** The reading of one feed: where it stands and what it found. */
interface Reading {
  readonly bytes: Uint8Array;
  readonly reader: BinaryReader;
  readonly limitDepth: number;
  /** Called with each field that the descriptor does not know. */
  readonly onUnknown: (plan: MessagePlan, number: number) => void;
  /** Where the field being read begins. */
  offset: number;
  /** How many messages were read since it was set to 0. */
  messages: number;
  /** Whether any message ended without a field that it must have; a later part of it may yet bring the field. */
  lacksRequired: boolean;
}

// Without `ignoreBOM` a text that starts with U+FEFF would lose it.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function startReading(body: Uint8Array, limitDepth: number, onUnknown: Reading['onUnknown']): Reading {
  // A Buffer, which is a Uint8Array too, is several times slower to cut.
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length);
  const reader = new BinaryReader(bytes, (text) => utf8.decode(text));
  return { bytes, reader, limitDepth, onUnknown, offset: 0, messages: 0, lacksRequired: false };
}

/**
 * Reads the fields of a message into `target` up to `end`, by the rules of Protocol Buffers: of a field
 * that comes twice the last counts, and messages are merged.
 *
 * @param depth - how deep the message is nested, the outermost being 1
 * @throws any error - the bytes are not such a message; `reading.offset` tells where
 */
function readMessage(
  reading: Reading,
  plan: MessagePlan,
  target: MessageInTheMaking,
  end: number,
  depth: number,
): void {
  checkDepth(reading, depth);
  reading.messages += 1;
  const { reader } = reading;
  let ordered = isEmpty(target);
  let last = 0;
  while (reader.pos < end) {
    reading.offset = reader.pos;
    const [number, wireType] = reader.tag();
    if (number < last) ordered = false;
    last = number;
    readField(reading, plan, target, number, wireType, end, depth);
  }
  if (!ordered) reorder(plan, target);
  for (const name of plan.required) if (!Object.hasOwn(target, name)) reading.lacksRequired = true;
}

function readField(
  reading: Reading,
  plan: MessagePlan,
  target: MessageInTheMaking,
  number: number,
  wireType: WireType,
  end: number,
  depth: number,
): void {
  const { reader } = reading;
  if (wireType === WireType.LengthDelimited) checkLength(reading);
  const start = reader.pos;
  const field = plan.byNumber[number];
  const isKnown = field !== undefined && field.wireType === wireType;
  if (isKnown && field.message) {
    const innerEnd = messageEnd(reading, end);
    let inner = field.repeated ? undefined : (target[field.name] as MessageInTheMaking | undefined);
    if (inner === undefined) {
      inner = {};
      put(target, field, inner);
    }
    readMessage(reading, field.message, inner, innerEnd, depth + 1);
  } else {
    const value = isKnown ? readScalar(reader, field) : skipValue(reading, wireType, number, depth, end);
    if (value !== undefined) put(target, field as PlannedField, value);
    else {
      reading.onUnknown(plan, number);
      const unknown: UnknownField = { number, wireType, bytes: reading.bytes.subarray(start, reader.pos) };
      target[UNKNOWN_FIELDS] ??= [];
      target[UNKNOWN_FIELDS].push(unknown);
    }
  }
  if (reader.pos > end) throw new RangeError('a field reaches beyond the end of its message');
}

function put(target: MessageInTheMaking, { name, repeated }: PlannedField, value: unknown): void {
  if (!repeated) target[name] = value;
  else if (target[name] === undefined) target[name] = [value];
  else (target[name] as unknown[]).push(value);
}

function isEmpty(target: MessageInTheMaking): boolean {
  for (const _ in target) return false;
  return true;
}

// What a message says is hashed in this order: whatever the order on the wire, the fingerprint is the same.
function reorder(plan: MessagePlan, target: MessageInTheMaking): void {
  for (const { name } of plan.fields) {
    if (!Object.hasOwn(target, name)) continue;
    const value = target[name];
    // A property that is removed and set again comes last.
    delete target[name];
    target[name] = value;
  }
}

function messageEnd({ reader }: Reading, end: number): number {
  const lengthBytes = reader.uint32();
  const messageEnd = reader.pos + lengthBytes;
  if (messageEnd > end) throw new RangeError('a message reaches beyond the end of what holds it');
  return messageEnd;
}

/** A value; `undefined` where the type does not allow the number that is there. */
function readScalar(reader: BinaryReader, { type, valueNames }: PlannedField): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'uint32':
      return reader.uint32();
    case 'int32':
      return reader.int32();
    case 'uint64':
      return safeInteger(reader.uint64());
    case 'int64':
      return safeInteger(reader.int64());
    case 'float':
      return reader.float();
    case 'double':
      return reader.double();
    case 'bool':
      return reader.bool();
    default:
      return valueNames?.get(reader.int32());
  }
}

function safeInteger(value: bigint | string): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

// The library's own skip of groups has a limit too, but no error that tells it from other damage. A group that goes on
// beyond `end` is left there.
function skipValue(reading: Reading, wireType: WireType, number: number, depth: number, end: number): void {
  const { reader } = reading;
  if (wireType !== WireType.StartGroup) {
    if (wireType === WireType.LengthDelimited) checkLength(reading);
    reader.skip(wireType, number);
    return;
  }
  checkDepth(reading, depth + 1);
  while (reader.pos <= end) {
    reading.offset = reader.pos;
    const [innerNumber, innerType] = reader.tag();
    if (innerType === WireType.EndGroup) {
      if (innerNumber !== number) throw new RangeError('a group ends that did not start');
      return;
    }
    skipValue(reading, innerType, innerNumber, depth + 1, end);
  }
}

// The library reads a length modulo 2^32: one of more would pass for a small one.
function checkLength({ bytes, reader }: Reading): void {
  let end = reader.pos;
  while (((bytes[end] ?? 0) & 0x80) !== 0) end += 1;
  const isLong = end - reader.pos > 4 || (end - reader.pos === 4 && (bytes[end] ?? 0) > 0x0f);
  if (isLong) throw new RangeError('a length of more than 32 bits');
}

function checkDepth({ limitDepth, offset }: Reading, depth: number): void {
  if (depth > limitDepth) throw errors.ERR_FEED_TOO_DEEP({ limitDepth, offset });
}

/**
 * Writes a GTFS-Realtime feed: exactly the fields that are set, in the order of the specification, then
 * the unknown ones as they were read.
 *
 * @throws Error - a value that its field cannot hold, such as a negative `stop_sequence`
 * @see specs/gtfs-realtime.md
 */
export function encodeFeed(feed: FeedMessage): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, feedPlan, feed);
  return writer.finish();
}

function writeMessage(writer: BinaryWriter, plan: MessagePlan, message: WireMessage): void {
  for (const field of plan.fields) for (const value of valuesOf(message, field)) writeField(writer, field, value);
  for (const { number, wireType, bytes } of message[UNKNOWN_FIELDS] ?? []) writer.tag(number, wireType).raw(bytes);
}

function writeField(writer: BinaryWriter, { number, wireType, type, of, message }: PlannedField, value: unknown): void {
  writer.tag(number, wireType);
  if (message) {
    writer.fork();
    writeMessage(writer, message, value as WireMessage);
    writer.join();
  } else if (type === 'enum') {
    const values: Readonly<Record<string, number>> = enums[of as EnumName];
    writer.int32(values[value as string] as number);
  } else {
    // Each scalar type is the name of the method that writes it; the descriptor vouches for the value's type.
    (writer[type as ScalarType] as (value: unknown) => BinaryWriter).call(writer, value);
  }
}
