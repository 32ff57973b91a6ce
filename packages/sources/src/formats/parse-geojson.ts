import { errors } from '../errors.ts';
import type { DocumentLimits } from './document-limits.ts';
import { parseJson } from './parse-json.ts';

const TYPES = new Set([
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
 * Parses GeoJSON: JSON whose type says that it is.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - no JSON, another type, or a collection without its features
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY` - beyond the limits
 * @see specs/mapping-values.md MAP-76
 * @see https://www.rfc-editor.org/rfc/rfc7946#section-3
 */
export function parseGeojson(text: string, limits: DocumentLimits): unknown {
  const document = parseJson(text, 'geojson', limits) as { type?: unknown; features?: unknown } | null;
  const type = document?.type;
  if (typeof type !== 'string' || !TYPES.has(type)) throw malformed('its type is none of GeoJSON');
  if (type === 'FeatureCollection' && !Array.isArray(document?.features)) throw malformed('it has no list of features');
  return document;
}

function malformed(reason: string) {
  return errors.ERR_DOCUMENT_MALFORMED({ format: 'geojson', reason, line: 1, column: 1 });
}
