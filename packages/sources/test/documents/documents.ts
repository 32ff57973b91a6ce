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
