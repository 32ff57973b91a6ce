/** The fields of a protobuf message by number, as they stand on the wire: numbers, or bytes. */
export type PlainFields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

/**
 * Reads one level of a protobuf message without any description of it: a second opinion on what the
 * decoder under test reads. Numbers of 64 bits lose what a double cannot hold.
 */
export function plainFields(bytes: Uint8Array): PlainFields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[offset++] as number;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (offset < bytes.length) {
    const tag = varint();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    let value: number | Uint8Array;
    if (wireType === 0) value = varint();
    else if (wireType === 2) {
      const length = varint();
      value = bytes.subarray(offset, offset + length);
      offset += length;
    } else {
      const size = wireType === 1 ? 8 : 4;
      value = size === 8 ? view.getFloat64(offset, true) : view.getFloat32(offset, true);
      offset += size;
    }
    const values = fields.get(number) ?? [];
    fields.set(number, [...values, value]);
  }
  return fields;
}

/** A nested message's fields; none when it is not there. */
export function nested(fields: PlainFields, number: number): PlainFields {
  const value = fields.get(number)?.at(-1);
  return value instanceof Uint8Array ? plainFields(value) : new Map();
}

/** A text field; empty when it is not there. */
export function text(fields: PlainFields, number: number): string {
  const value = fields.get(number)?.at(-1);
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
}
