const ID = Buffer.from('id: ');
const EVENT = Buffer.from('event: ');
const RETRY = Buffer.from('retry: ');
const DATA = Buffer.from('data:');
const NEWLINE = 0x0a;

/** The fields of a block of an event stream that say what it is. */
export interface BlockFields {
  readonly event?: string;
  readonly id?: string;
  readonly retryMs?: number;
}

/**
 * Reads the short fields of a block; its data is passed by.
 *
 * @param start - at the block, or at the framing before it
 */
export function blockFields(bytes: Buffer, start: number, end: number): BlockFields {
  const fields: { event?: string; id?: string; retryMs?: number } = {};
  for (let at = start; at < end; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const lineEnd = newline < 0 ? end : newline;
    // It may be long, and has nothing to tell here.
    if (begins(bytes, at, DATA)) break;
    if (begins(bytes, at, ID)) fields.id = bytes.toString('latin1', at + ID.length, lineEnd);
    else if (begins(bytes, at, EVENT)) fields.event = bytes.toString('latin1', at + EVENT.length, lineEnd);
    else if (begins(bytes, at, RETRY)) fields.retryMs = Number(bytes.toString('latin1', at + RETRY.length, lineEnd));
    at = lineEnd + 1;
  }
  return fields;
}

function begins(bytes: Buffer, at: number, prefix: Buffer): boolean {
  for (let index = 0; index < prefix.length; index += 1) {
    if (bytes[at + index] !== prefix[index]) return false;
  }
  return true;
}
