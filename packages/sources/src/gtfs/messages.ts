/* What messages of GTFS-Realtime are made of: their fields by name and by number, and what each has besides.
 *
 *   planOf('TripDescriptor').byNumber[1] -> { name: 'trip_id', number: 1, type: 'string', wireType: 2 }
 *
 * In memory a message is an object with the field names of the specification. An own property stands for each field that is
 * set and for no other, so that an explicit 0 is told from nothing. */
import { WireType } from '@bufbuild/protobuf/wire';
import { enums, messages } from './generated/gtfs-realtime.ts';

/**
 * Key under which a message keeps what the descriptor does not know: extensions, fields of a newer
 * specification, unlisted enumeration values, fields of another wire type than specified.
 */
export const UNKNOWN_FIELDS: unique symbol = Symbol('unknown fields');

/** A field that the descriptor does not know, as it stood on the wire. */
export interface UnknownField {
  readonly number: number;
  /** Protocol Buffers wire type, 0 to 5. */
  readonly wireType: number;
  /** The bytes after the tag, with their length prefix where the wire type has one. */
  readonly bytes: Uint8Array;
}

/** What every message has. */
export interface WireMessage {
  readonly [UNKNOWN_FIELDS]?: readonly UnknownField[];
}

/** The name of a message. */
export type MessageName = keyof typeof messages;

/** The name of an enumeration. The protocol has two of the name `ScheduleRelationship`; here they are told apart. */
export type EnumName = keyof typeof enums;

/** The scalar types of Protocol Buffers that GTFS-Realtime uses. */
export type ScalarType = 'string' | 'bool' | 'uint32' | 'int32' | 'uint64' | 'int64' | 'float' | 'double';

/** A field of a message, as the descriptor has it. */
export interface WireField {
  readonly number: number;
  readonly type: ScalarType | 'message' | 'enum';
  /** The message or the enumeration that it holds. */
  readonly of?: string;
  readonly required?: true;
  readonly repeated?: true;
}

/** A field with what reading and writing it needs at hand. */
export interface PlannedField extends Pick<WireField, 'number' | 'type'> {
  readonly name: string;
  readonly of: string | undefined;
  readonly repeated: boolean;
  readonly required: boolean;
  readonly wireType: WireType;
  /** The plan of the message that it holds, if it holds one. */
  readonly message: MessagePlan | undefined;
  /** The names of its values by number, if it is of an enumeration. */
  readonly valueNames: ReadonlyMap<number, string> | undefined;
}

/** A message of the descriptor, with its fields in the order of their numbers, and by number. */
export interface MessagePlan {
  readonly name: MessageName;
  readonly index: number;
  readonly fields: readonly PlannedField[];
  readonly byNumber: readonly (PlannedField | undefined)[];
  readonly required: readonly string[];
}

const wireTypes: Readonly<Record<WireField['type'], WireType>> = {
  string: WireType.LengthDelimited,
  message: WireType.LengthDelimited,
  bool: WireType.Varint,
  enum: WireType.Varint,
  uint32: WireType.Varint,
  int32: WireType.Varint,
  uint64: WireType.Varint,
  int64: WireType.Varint,
  float: WireType.Bit32,
  double: WireType.Bit64,
};

/** The plans made so far, by `index`. */
export const plans: MessagePlan[] = [];

/** The plan of a message, and within it those of the messages that it holds. */
export function planOf(name: MessageName): MessagePlan {
  const known = plans.find((plan) => plan.name === name);
  if (known) return known;
  // No message of GTFS-Realtime holds itself, so this ends.
  const fields = Object.entries<WireField>(messages[name]).map(plannedField);
  const byNumber: PlannedField[] = [];
  for (const field of fields) byNumber[field.number] = field;
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const plan = { name, index: plans.length, fields, byNumber, required };
  plans.push(plan);
  return plan;
}

// All properties are set, so that engines read each of them alike.
function plannedField([name, field]: [string, WireField]): PlannedField {
  const { number, type, of, repeated = false, required = false } = field;
  const values = type === 'enum' ? Object.entries<number>(enums[of as EnumName]) : undefined;
  return {
    name,
    number,
    type,
    of,
    repeated,
    required,
    wireType: wireTypes[type],
    message: type === 'message' ? planOf(of as MessageName) : undefined,
    valueNames: values && new Map(values.map(([value, code]) => [code, value])),
  };
}

/** The values of a field, however many it has. */
export function valuesOf(message: object, { name, repeated }: PlannedField): readonly unknown[] {
  const value = (message as Record<string, unknown>)[name];
  return value === undefined ? [] : repeated ? (value as unknown[]) : [value];
}

/** The first required field that a message, or one that it holds, lacks, such as `Position.latitude`. */
export function missingField(plan: MessagePlan, message: object): string | undefined {
  const name = plan.required.find((field) => !Object.hasOwn(message, field));
  if (name !== undefined) return `${plan.name}.${name}`;
  for (const field of plan.fields) {
    if (!field.message) continue;
    for (const inner of valuesOf(message, field)) {
      const missing = missingField(field.message, inner as object);
      if (missing !== undefined) return missing;
    }
  }
  return undefined;
}
