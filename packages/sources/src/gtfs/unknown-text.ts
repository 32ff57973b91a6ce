import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { UNKNOWN_FIELDS, type WireMessage } from './wire-message.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The text at a path of field numbers into the unknown fields of a message; of a field that comes twice
 * the last one.
 *
 * @param path - at least one number; what it leads to is read as UTF-8
 * @returns `undefined` where there is nothing, or nothing that can be read on
 */
export function unknownText(message: WireMessage, path: readonly number[]): string | undefined {
  const [first, ...rest] = path;
  const field = message[UNKNOWN_FIELDS]?.findLast(
    ({ number, wireType }) => number === first && wireType === WireType.LengthDelimited,
  );
  if (field === undefined) return undefined;
  try {
    let bytes: Uint8Array | undefined = new BinaryReader(field.bytes).bytes();
    for (const number of rest) bytes = bytes && lastField(bytes, number);
    return bytes && utf8.decode(bytes);
  } catch {
    // The field is not the message that the path takes it for: the same as a path that leads nowhere.
    return undefined;
  }
}

function lastField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const reader = new BinaryReader(bytes);
  let found: Uint8Array | undefined;
  while (reader.pos < reader.len) {
    const [at, wireType] = reader.tag();
    if (at === number && wireType === WireType.LengthDelimited) found = reader.bytes();
    else reader.skip(wireType, at);
  }
  return found;
}
