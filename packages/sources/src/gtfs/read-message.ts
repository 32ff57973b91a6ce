import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { errors } from '../errors.ts';
import { UNKNOWN_FIELDS, type UnknownField } from './wire-message.ts';
import { type MessagePlan, type PlannedField, planOf } from './wire-plan.ts';

// Without `ignoreBOM` a text that starts with U+FEFF would lose it.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const entityPlan = planOf('FeedEntity');

/** A message as it is being read. */
export type MessageInTheMaking = Record<string | typeof UNKNOWN_FIELDS, unknown>;

/** The reading of one feed: where it stands and what it found. */
export interface Reading {
  readonly bytes: Uint8Array;
  readonly reader: BinaryReader;
  readonly limitDepth: number;
  readonly limitEntities: number;
  /** Told of each field that the descriptor does not know. */
  readonly onUnknown: (message: string, number: number) => void;
  /** Where the field being read begins. */
  offset: number;
  /** Whether any message ended without a field that it must have; a later part of it may yet bring the field. */
  lacksRequired: boolean;
}

/** Starts to read. */
export function startReading(
  body: Uint8Array,
  options: Pick<Reading, 'limitDepth' | 'limitEntities' | 'onUnknown'>,
): Reading {
  // A Buffer, which is a Uint8Array too, is several times slower to cut.
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length);
  const reader = new BinaryReader(bytes, (text) => utf8.decode(text));
  return { bytes, reader, ...options, offset: 0, lacksRequired: false };
}

/**
 * Reads the fields of a message into `target` up to `end`, by the rules of Protocol Buffers: of a field
 * that comes twice the last counts, and messages are merged. The properties stand in the order of the
 * descriptor, whatever the order on the wire.
 *
 * @param depth - how deep the message is nested, the outermost being 1
 * @throws any error - the bytes are not such a message; `reading.offset` tells where
 */
export function readMessage(
  reading: Reading,
  plan: MessagePlan,
  target: MessageInTheMaking,
  end: number,
  depth: number,
): void {
  checkDepth(reading, depth);
  const { reader } = reading;
  let ordered = isEmpty(target);
  let last = 0;
  while (reader.pos < end) {
    reading.offset = reader.pos;
    const [number, wireType] = reader.tag();
    if (number < last) ordered = false;
    last = number;
    if (wireType === WireType.LengthDelimited) checkLength(reading);
    const start = reader.pos;
    const planned = plan.byNumber[number];
    if (planned === undefined || planned.wireType !== wireType) {
      skipValue(reading, wireType, number, depth);
      keepUnknown(reading, plan, target, { number, wireType, bytes: reading.bytes.subarray(start, reader.pos) });
    } else if (planned.message) {
      readNested(reading, planned, planned.message, target, end, depth);
    } else {
      const value = readScalar(reader, planned);
      if (value === undefined) {
        keepUnknown(reading, plan, target, { number, wireType, bytes: reading.bytes.subarray(start, reader.pos) });
      } else if (planned.field.repeated) {
        listOf(target, planned.name).push(value);
      } else {
        target[planned.name] = value;
      }
    }
    if (reader.pos > end) throw new RangeError('a field reaches beyond the end of its message');
  }
  if (!ordered) reorder(plan, target);
  for (const name of plan.required) if (!Object.hasOwn(target, name)) reading.lacksRequired = true;
}

function isEmpty(target: MessageInTheMaking): boolean {
  for (const _ in target) return false;
  return true;
}

function reorder(plan: MessagePlan, target: MessageInTheMaking): void {
  for (const { name } of plan.fields) {
    if (!Object.hasOwn(target, name)) continue;
    const value = target[name];
    // A property that is removed and set again comes last.
    delete target[name];
    target[name] = value;
  }
}

function readNested(
  reading: Reading,
  planned: PlannedField,
  plan: MessagePlan,
  target: MessageInTheMaking,
  end: number,
  depth: number,
): void {
  const lengthBytes = reading.reader.uint32();
  const innerEnd = reading.reader.pos + lengthBytes;
  if (innerEnd > end) throw new RangeError('a message reaches beyond the end of what holds it');
  if (planned.field.repeated) {
    const list = listOf(target, planned.name);
    if (plan === entityPlan && list.length >= reading.limitEntities) {
      throw errors.ERR_FEED_TOO_MANY_ENTITIES({ limitEntities: reading.limitEntities });
    }
    const message = {} as MessageInTheMaking;
    list.push(message);
    readMessage(reading, plan, message, innerEnd, depth + 1);
  } else {
    target[planned.name] ??= {};
    readMessage(reading, plan, target[planned.name] as MessageInTheMaking, innerEnd, depth + 1);
  }
}

/** A value; `undefined` where the type does not allow the number that is there. */
function readScalar(reader: BinaryReader, planned: PlannedField): unknown {
  switch (planned.field.type) {
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
      return planned.valueNames?.get(reader.int32());
  }
}

function safeInteger(value: bigint | string): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

// The library's own skip of groups has a limit too, but no error that tells it from other damage.
function skipValue(reading: Reading, wireType: WireType, number: number, depth: number): void {
  const { reader } = reading;
  if (wireType !== WireType.StartGroup) {
    if (wireType === WireType.LengthDelimited) checkLength(reading);
    reader.skip(wireType, number);
    return;
  }
  checkDepth(reading, depth + 1);
  for (;;) {
    reading.offset = reader.pos;
    const [innerNumber, innerType] = reader.tag();
    if (innerType === WireType.EndGroup) {
      if (innerNumber !== number) throw new RangeError('a group ends that did not start');
      return;
    }
    skipValue(reading, innerType, innerNumber, depth + 1);
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

function keepUnknown(reading: Reading, plan: MessagePlan, target: MessageInTheMaking, field: UnknownField): void {
  reading.onUnknown(plan.name, field.number);
  target[UNKNOWN_FIELDS] ??= [];
  (target[UNKNOWN_FIELDS] as UnknownField[]).push(field);
}

function listOf(target: MessageInTheMaking, name: string): unknown[] {
  target[name] ??= [];
  return target[name] as unknown[];
}
