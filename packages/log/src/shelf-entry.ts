import { crc32 } from 'node:zlib';

// Of the format of an entry, so that what a later release writes otherwise is not taken for one.
const MAGIC = Buffer.from('LDSHELF1');
const LENGTH_OFFSET = 8;
const CHECKSUM_OFFSET = 12;

/** Bytes of an entry before its document. */
const HEADER_BYTES = 16;

/** What a document may have at most: its length has 32 bits, bytes. */
export const ENTRY_LIMIT_BYTES: number = 2 ** 32 - 1;

/** What stands before a document in its file: it tells whether that is all of it, unchanged. */
export function entryHeader(name: string, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(bytes.length, LENGTH_OFFSET);
  header.writeUInt32LE(checksum(name, bytes), CHECKSUM_OFFSET);
  return header;
}

/** The document of an entry; `undefined` when it is cut short, damaged or of another name. */
export function readEntry(name: string, entry: Buffer): Buffer | undefined {
  if (entry.length < HEADER_BYTES || !entry.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const bytes = entry.subarray(HEADER_BYTES);
  if (entry.readUInt32LE(LENGTH_OFFSET) !== bytes.length) return undefined;
  return entry.readUInt32LE(CHECKSUM_OFFSET) === checksum(name, bytes) ? bytes : undefined;
}

function checksum(name: string, bytes: Uint8Array): number {
  return crc32(bytes, crc32(name));
}
