import type { WireEnumName } from './wire-enums.ts';

/** The scalar types of Protocol Buffers that GTFS-Realtime uses. */
export type ScalarType = 'string' | 'bool' | 'uint32' | 'int32' | 'uint64' | 'int64' | 'float' | 'double';

/** What a number means where it is a time: POSIX seconds, or a length in seconds. */
type WireUnit = 'time' | 'duration';

interface AnyField {
  readonly number: number;
  readonly required?: true;
  readonly repeated?: true;
}

/** A field of a scalar type. */
export interface ScalarField extends AnyField {
  readonly type: ScalarType;
  readonly unit?: WireUnit;
}

/** A field whose values are those of a closed enumeration. */
export interface EnumField extends AnyField {
  readonly type: 'enum';
  readonly values: WireEnumName;
}

/** A field that holds a message, named by its key in the descriptor. */
export interface MessageField extends AnyField {
  readonly type: 'message';
  readonly message: string;
}

/** One field of a message, as the descriptor has it. */
export type WireField = ScalarField | EnumField | MessageField;

const scalar = (type: ScalarType) => (number: number) => ({ number, type });

/** A text field. */
export const string = scalar('string');
/** A truth value field. */
export const bool = scalar('bool');
/** An unsigned integer field. */
export const uint32 = scalar('uint32');
/** A signed integer field. */
export const int32 = scalar('int32');
/** A 32-bit floating point field. */
export const float = scalar('float');
/** A 64-bit floating point field. */
export const double = scalar('double');

/** A field in POSIX seconds; the specification has them unsigned and signed. */
export function time(number: number, type: 'uint64' | 'int64'): ScalarField {
  return { number, type, unit: 'time' };
}

/** A field that is a length in seconds. */
export function duration(number: number): ScalarField {
  return { number, type: 'int32', unit: 'duration' };
}

/** A field of an enumeration. */
export function oneOf(values: WireEnumName, number: number): EnumField {
  return { number, type: 'enum', values };
}

/** A field that holds a message. */
export function message(name: string, number: number): MessageField {
  return { number, type: 'message', message: name };
}

/** The field, which its message must have. */
export function required<Field extends WireField>(field: Field): Field {
  return { ...field, required: true };
}

/** The field, any number of times. */
export function repeated<Field extends WireField>(field: Field): Field {
  return { ...field, repeated: true };
}
