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

/**
 * What every message has. Fields carry the names of the specification; an own property stands for
 * each field that is set and for no other, so that an explicit 0 is told from nothing. What is read has
 * them in the order of the specification.
 *
 * 64-bit integers are numbers: all of them are POSIX times, in seconds.
 */
export interface WireMessage {
  readonly [UNKNOWN_FIELDS]?: readonly UnknownField[];
}
