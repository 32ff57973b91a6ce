/* Bytes of a document become plain values: strings, numbers, booleans, lists and mappings.
 *
 *   bytes --encoding--> bytes in UTF-8 --format--> value
 *   {"garages": [{"id": "P1", "free": 412}]} in ISO-8859-1   -> { garages: [{ id: 'P1', free: 412 }] }
 *
 * All of it goes by steps, so that a small document is read at once and a large one in slices. A document is in UTF-8
 * nearly always: its bytes are checked and taken as they are, and no string holds all of them. */

import { isUtf8 } from 'node:buffer';
import { errors } from '../errors.ts';
import type { DocumentReading } from '../mapping/schema.ts';
import { atOnce, inSlices, type Steps } from '../slices.ts';
import { checkDelimiter, readCsv } from './csv.ts';
import {
  characterStart,
  type DocumentLimits,
  documentLimits,
  located,
  type ReaderLimits,
  type ValueBudget,
} from './document.ts';
import { readGeojson, readJson, readNdjson } from './json.ts';
import { readXml, xmlEncoding } from './xml.ts';

/**
 * Reads a document at once: bytes become strings, numbers, booleans, lists and mappings. It is read whole or not at all.
 *
 * @param bytes - the body, decompressed
 * @param reading - format, charset, delimiter and root
 * @param limits - how deep it may nest, how many records and values it may have, and how long a text may be
 * @throws {@link StreamError} `ERR_DOCUMENT_CHARSET` - an unknown encoding, or bytes that are not of it
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - not of its format
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY`, `ERR_DOCUMENT_TOO_MANY_VALUES`,
 *   `ERR_DOCUMENT_TEXT_TOO_LONG` - beyond the limits
 * @throws {@link StreamError} `ERR_DOCUMENT_DOCTYPE` - XML with a DOCTYPE
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - a limit out of its range, or a delimiter that is none
 * @see specs/mapping-values.md MAP-72
 */
export function readDocument(bytes: Uint8Array, reading: DocumentReading, limits?: Partial<DocumentLimits>): unknown {
  return atOnce(documentSteps(bytes, reading, limits));
}

/**
 * As `readDocument`, in slices: others have the thread in between.
 *
 * @param budget - what is left of `limitValues`, where pages share it
 */
export async function readInSlices(
  bytes: Uint8Array,
  reading: DocumentReading,
  limits?: Partial<DocumentLimits>,
  budget?: ValueBudget,
): Promise<unknown> {
  return inSlices(documentSteps(bytes, reading, limits, budget));
}

function* documentSteps(
  bytes: Uint8Array,
  reading: DocumentReading,
  limits: Partial<DocumentLimits> | undefined,
  budget?: ValueBudget,
): Steps<unknown> {
  const checked = documentLimits(limits);
  const { format = 'json', charset } = reading;
  const utf8 = yield* inUtf8(bytes, charset ?? (format === 'xml' ? xmlEncoding(bytes) : undefined));
  return yield* located(utf8, readerOf(utf8, reading, { ...checked, budget: budget ?? { left: checked.limitValues } }));
}

function readerOf(bytes: Buffer, reading: DocumentReading, limits: ReaderLimits): Steps<unknown> {
  switch (reading.format ?? 'json') {
    case 'json':
      return readJson(bytes, limits);
    case 'ndjson':
      return readNdjson(bytes, limits);
    case 'geojson':
      return readGeojson(bytes, limits);
    case 'csv':
      return readCsv(bytes, checkDelimiter(reading.delimiter ?? ','), limits);
    case 'xml':
      return readXml(bytes, limits, reading.root);
  }
}

/** How much is decoded in a step, bytes. */
const STEP_BYTES = 262_144;

/**
 * The bytes of a document in UTF-8, without a byte order mark, which decides what they are; else the label does, else
 * they are of UTF-8 already.
 *
 * @param label - of the WHATWG Encoding Standard, by which ISO-8859-1 is windows-1252
 * @throws {@link StreamError} `ERR_DOCUMENT_CHARSET` - an unknown label, or bytes that are not of the encoding
 * @see specs/mapping-values.md MAP-73
 * @see https://encoding.spec.whatwg.org/#decode
 */
function* inUtf8(given: Uint8Array, label: string | undefined): Steps<Buffer> {
  const charset = markedEncoding(given) ?? label ?? 'utf-8';
  const decoder = decoderOf(charset);
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const isAlready = decoder.encoding === 'utf-8';
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = isAlready ? characterStart(bytes, at + STEP_BYTES) : Math.min(bytes.length, at + STEP_BYTES);
    const part = bytes.subarray(at, end);
    if (!isAlready) parts.push(Buffer.from(decoded(decoder, part, at, end < bytes.length)));
    else if (!isUtf8(part)) throw notOf(charset, at + goodBytes(part, charset));
    at = end;
    yield;
  }
  if (!isAlready) return Buffer.concat(parts);
  return markedEncoding(bytes) === 'utf-8' ? bytes.subarray(3) : bytes;
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (cause) {
    throw errors.ERR_DOCUMENT_CHARSET({ charset, reason: 'the encoding is unknown' }, cause);
  }
}

// What windows-1252 has at 0x80 to 0x9F; where it has nothing, the control character stays, as browsers do.
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decoded(decoder: InstanceType<typeof TextDecoder>, part: Buffer, at: number, stream: boolean): string {
  // Node 20 decodes windows-1252 as ISO-8859-1 proper, without the euro sign.
  if (decoder.encoding === 'windows-1252') {
    return part.toString('latin1').replace(/[\x80-\x9f]/g, (high) => HIGH[high.charCodeAt(0) - 0x80] as string);
  }
  try {
    return decoder.decode(part, { stream });
  } catch {
    throw notOf(decoder.encoding, at + goodBytes(part, decoder.encoding));
  }
}

function notOf(charset: string, index: number) {
  return errors.ERR_DOCUMENT_CHARSET({ charset, reason: `invalid bytes near byte ${index}` });
}

/** The length of the longest beginning that decodes. */
function goodBytes(bytes: Uint8Array, charset: string): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle), charset)) good = middle;
    else bad = middle;
  }
  return good;
}

function decodes(bytes: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
