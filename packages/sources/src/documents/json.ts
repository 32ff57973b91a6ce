/* JSON, GeoJSON and NDJSON: the bytes of a document in UTF-8 become plain values. */

import { atOnce, type Steps } from '../slices.ts';
import { type DocumentLimits, documentLimits, located, type ReaderLimits, tooManyAt } from './document.ts';
import { type JsonFormat, JsonReader, malformed, spaceEnd } from './json-reader.ts';

const LINE_END = 0x0a;

/**
 * Reads JSON within limits. Numbers that no double holds become strings of their digits.
 *
 * @param format - how errors call it
 * @see specs/mapping-values.md MAP-74
 */
export function* readJson(bytes: Buffer, limits: ReaderLimits, format: JsonFormat = 'json'): Steps<unknown> {
  return yield* new JsonReader(bytes, limits, format).read(0, bytes.length);
}

/**
 * Parses a short JSON text at once, as `readDocument` does.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED`, `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY`,
 *   `ERR_DOCUMENT_TOO_MANY_VALUES`, `ERR_DOCUMENT_TEXT_TOO_LONG`
 */
export function parseJson(text: string, given: Partial<DocumentLimits>): unknown {
  const bytes = Buffer.from(text);
  const limits = documentLimits(given);
  return atOnce(located(bytes, readJson(bytes, { ...limits, budget: { left: limits.limitValues } })));
}

/**
 * Reads JSON texts that stand one on a line; lines of space alone are skipped. What is empty says nothing, not even that
 * there are none.
 *
 * @see specs/mapping-values.md MAP-74
 */
export function* readNdjson(bytes: Buffer, limits: ReaderLimits): Steps<readonly unknown[]> {
  if (bytes.length === 0) throw malformed('ndjson', 'it is empty', 0);
  const { limitRecords } = limits;
  const reader = new JsonReader(bytes, limits, 'ndjson');
  const records: unknown[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_END, start);
    const end = found === -1 ? bytes.length : found;
    const first = spaceEnd(bytes, start, end);
    if (first < end) {
      if (records.length === limitRecords) throw tooManyAt(first, limitRecords);
      records.push(yield* reader.read(first, end));
    } else yield;
    start = end + 1;
  }
  return records;
}

const GEOJSON_TYPES = new Set([
  'Feature',
  'FeatureCollection',
  'GeometryCollection',
  'LineString',
  'MultiLineString',
  'MultiPoint',
  'MultiPolygon',
  'Point',
  'Polygon',
]);

/**
 * Reads GeoJSON: JSON whose type says that it is.
 *
 * @see specs/mapping-values.md MAP-74
 * @see https://www.rfc-editor.org/rfc/rfc7946#section-3
 */
export function* readGeojson(bytes: Buffer, limits: ReaderLimits): Steps<unknown> {
  const document = (yield* readJson(bytes, limits, 'geojson')) as { type?: unknown; features?: unknown } | null;
  const type = document?.type;
  if (typeof type !== 'string' || !GEOJSON_TYPES.has(type)) {
    throw malformed('geojson', 'its type is not a type of GeoJSON', 0);
  }
  if (type === 'FeatureCollection' && !Array.isArray(document?.features)) {
    throw malformed('geojson', 'it has no list of features', 0);
  }
  return document;
}
