import type { DocumentReading } from '../mapping/mapping.ts';
import { checkDelimiter } from './check-delimiter.ts';
import { decodeText } from './decode-text.ts';
import { type DocumentLimits, documentLimits } from './document-limits.ts';
import { parseCsv } from './parse-csv.ts';
import { parseGeojson } from './parse-geojson.ts';
import { parseJson } from './parse-json.ts';
import { parseNdjson } from './parse-ndjson.ts';
import { parseXml } from './parse-xml.ts';
import { xmlEncoding } from './xml-encoding.ts';

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
