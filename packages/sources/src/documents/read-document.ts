import { errors } from '../errors.ts';
import type { DocumentReading } from '../mapping/schema.ts';
import { checkInteger } from '../options.ts';
import { checkDelimiter, parseCsv } from './csv.ts';
import { parseGeojson, parseJson, parseNdjson } from './json.ts';
import { parseXml, xmlEncoding } from './xml.ts';

/** What a document may have at most. */
export interface DocumentLimits {
  /** How deep lists, mappings and elements nest, 1 to 1,000. @defaultValue 64 */
  readonly limitDepth: number;
  /** Lines, rows, items of a list, fields of a mapping, or children of an element, 1 to 100,000,000. @defaultValue 1,000,000 */
  readonly limitRecords: number;
}

/** The defaults of {@link DocumentLimits}. @see specs/mapping-values.md MAP-81 */
export const DOCUMENT_LIMITS: DocumentLimits = { limitDepth: 64, limitRecords: 1_000_000 };

const MOST_DEPTH = 1000;
const MOST_RECORDS = 100_000_000;

/**
 * The limits with their defaults.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - one is out of its range
 */
export function documentLimits(given: Partial<DocumentLimits> = {}): DocumentLimits {
  const limits = { ...DOCUMENT_LIMITS, ...given };
  checkInteger('limitDepth', limits.limitDepth, 1, MOST_DEPTH);
  checkInteger('limitRecords', limits.limitRecords, 1, MOST_RECORDS);
  return limits;
}

/**
 * Reads a document: bytes become strings, numbers, booleans, lists and mappings. It is read whole or not at all.
 *
 * @param bytes - the body, decompressed
 * @param reading - format, charset, delimiter and root
 * @param limits - how deep it may nest, and how many records it may have
 * @throws {@link StreamError} `ERR_DOCUMENT_CHARSET` - an unknown encoding, or bytes that are not of it
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - not of its format
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY` - beyond the limits
 * @throws {@link StreamError} `ERR_DOCUMENT_DOCTYPE` - XML with a DOCTYPE
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - a limit out of its range, or a delimiter that is none
 * @see specs/mapping-values.md MAP-72
 */
export function readDocument(bytes: Uint8Array, reading: DocumentReading, limits?: Partial<DocumentLimits>): unknown {
  const checked = documentLimits(limits);
  const { format = 'json', charset, delimiter = ',', root } = reading;
  const text = decodeText(bytes, charset ?? (format === 'xml' ? xmlEncoding(bytes) : undefined));
  switch (format) {
    case 'json':
      return parseJson(text, 'json', checked);
    case 'ndjson':
      return parseNdjson(text, checked);
    case 'geojson':
      return parseGeojson(text, checked);
    case 'csv':
      return parseCsv(text, checkDelimiter(delimiter), checked);
    case 'xml':
      return parseXml(text, checked, root);
  }
}

// What windows-1252 has at 0x80 to 0x9F; where it has nothing, the control character stays, as browsers do.
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * The text of a document. A byte order mark decides, then the label, else it is UTF-8.
 *
 * @param label - of the WHATWG Encoding Standard, by which ISO-8859-1 is windows-1252
 * @throws {@link StreamError} `ERR_DOCUMENT_CHARSET` - an unknown label, or bytes that are not of the encoding
 * @see specs/mapping-values.md MAP-73
 * @see https://encoding.spec.whatwg.org/#decode
 */
export function decodeText(bytes: Uint8Array, label: string | undefined): string {
  const charset = markedEncoding(bytes) ?? label ?? 'utf-8';
  const decoder = decoderOf(charset);
  // Node 20 decodes windows-1252 as ISO-8859-1 proper, without the euro sign.
  if (decoder.encoding === 'windows-1252') return windows1252(bytes);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw errors.ERR_DOCUMENT_CHARSET(
      { charset, reason: `bytes that are not of it, near byte ${faultOffset(bytes, charset)}` },
      cause,
    );
  }
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
    throw errors.ERR_DOCUMENT_CHARSET({ charset, reason: 'a name that no encoding has' }, cause);
  }
}

function windows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (high) => HIGH[high.charCodeAt(0) - 0x80] as string);
}

/** The length of the longest beginning that decodes. */
function faultOffset(bytes: Uint8Array, charset: string): number {
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
