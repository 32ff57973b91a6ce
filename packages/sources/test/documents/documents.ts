import { isStreamError } from '@ldes-live/rdf-stream';
import type { DocumentLimits } from '../../src/documents/document.ts';
import { readDocument } from '../../src/documents/read-document.ts';
import type { DocumentReading } from '../../src/mapping/schema.ts';

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string) => new TextEncoder().encode(text);

/** What a text is read as, or the code and details of the error. Anything but a named error is thrown on. */
export function read(
  input: string | Uint8Array,
  reading: DocumentReading = {},
  limits: Partial<DocumentLimits> = {},
): unknown {
  try {
    return readDocument(typeof input === 'string' ? utf8(input) : input, reading, limits);
  } catch (error) {
    if (!isStreamError(error)) throw error;
    return { code: error.code, ...error.details };
  }
}

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!-- c --><n:a xmlns:n="urn:n" n:t="1" u="&amp;"><n:b>ü<![CDATA[<&]]></n:b><b x='2'/>&#65;<?p i?></n:a>
`;
const json =
  ' {"stations": [{"id": "é\\u00e9\\n", "n": -1.5e+3, "on": true, "off": false, "no": null, "l": []}], "x": {}}\n';
const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [3.7, 51] }, properties: null };

/** A small document of each format, with all that the format has. */
export const samples: readonly (readonly [reading: DocumentReading, text: string])[] = [
  [{ format: 'json' }, json],
  [{ format: 'ndjson' }, '{"a":[1,2]}\r\n\n{"a":"\\"😀\\\\"}\n12345678901234567890\n'],
  [{ format: 'geojson' }, JSON.stringify({ type: 'FeatureCollection', features: [feature] })],
  [{ format: 'csv', delimiter: ';' }, 'Name;Frei;\r\n"Straße; ""A""";5;x\r\n\r\nB;;\r\n'],
  [{ format: 'xml' }, xml],
];
