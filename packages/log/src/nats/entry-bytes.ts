// An entry of a log as bytes: lines of JSON, deflated. What is above the limit of a message goes in parts.
//   { "kind": "commit", "time": "2026-11-22T10:00:00.000Z", "first": 41 }
//   { "id": "http://h/S/entities/1#...", "entity": "http://h/S/entities/1", "kind": "upsert", "nquads": "<...> ...\n", ... }
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { CommitEntry, EntryMember, LogEntry } from '../log-state.ts';

/** Characters that are made or read before others get their turn on the event loop. */
const SLICE_CHARACTERS = 256 * 1024;
/** What one entry may be unpacked: nothing that was packed here is larger. Bytes. */
const LIMIT_ENTRY_BYTES = 1024 ** 3;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** @param limitBytes - of one part */
export async function encodeEntry(entry: LogEntry, limitBytes: number): Promise<Uint8Array[]> {
  const { members, ...first } = { members: [], ...entry };
  const bytes = await deflate(await joinLines([first, ...members]));
  const parts: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += limitBytes) parts.push(bytes.subarray(start, start + limitBytes));
  return parts;
}

/** @throws `Error`: it is no entry */
export async function decodeEntry(parts: readonly Uint8Array[]): Promise<LogEntry> {
  const bytes = await inflate(Buffer.concat(parts), { maxOutputLength: LIMIT_ENTRY_BYTES });
  const [first, ...members] = await splitLines(bytes);
  const entry = first as LogEntry;
  switch (entry?.kind) {
    case 'commit':
      return { ...(entry as CommitEntry), members: members as EntryMember[] };
    case 'term':
    case 'unlink':
    case 'erase':
      return entry;
    default:
      throw new TypeError('Its kind is unknown.');
  }
}

/** Each value as a line of JSON. */
async function joinLines(values: Iterable<unknown>): Promise<Buffer> {
  const slices: Buffer[] = [];
  let text = '';
  for (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < SLICE_CHARACTERS) continue;
    slices.push(Buffer.from(text));
    text = '';
    await setImmediate();
  }
  slices.push(Buffer.from(text));
  return slices.length === 1 ? slices[0]! : Buffer.concat(slices);
}

async function splitLines(bytes: Buffer): Promise<unknown[]> {
  const values: unknown[] = [];
  let read = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    if (end < 0) throw new TypeError('Its last line is incomplete.');
    values.push(JSON.parse(bytes.toString('utf8', start, end)));
    read += end - start;
    start = end + 1;
    if (read < SLICE_CHARACTERS) continue;
    read = 0;
    await setImmediate();
  }
  return values;
}
