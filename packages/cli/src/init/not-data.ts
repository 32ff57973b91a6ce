import { isStreamError } from '@ldes-live/rdf-stream';
import { readDocument } from '@ldes-live/sources';

/**
 * What a sample is instead of data, as the rest of a sentence.
 *
 * @returns `undefined` where it is nothing of what is often met
 */
export function notData(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, 1000)).trimStart();
  if (start === '' && bytes.length < 1000) return 'is empty';
  if (start.startsWith('PK\u0003\u0004')) {
    return 'is a zip; a timetable (GTFS) in one is configured by source: { gtfs: URL }';
  }
  if (/^(<!--[\s\S]*?-->\s*)?<(!doctype\s+html|html[\s>])/i.test(start.replace(/^<\?xml[^>]*>\s*/, ''))) {
    return 'is a web page (HTML), not data';
  }
  return /^[[{]/.test(start) ? brokenJson(bytes) : undefined;
}

function brokenJson(bytes: Uint8Array): string | undefined {
  const problems = (['json', 'ndjson'] as const).map((format) => problemOf(bytes, format));
  return problems.includes(undefined) ? undefined : `begins like JSON, but is none: ${problems[0]}`;
}

function problemOf(bytes: Uint8Array, format: 'json' | 'ndjson'): string | undefined {
  try {
    readDocument(bytes, { format });
    return undefined;
  } catch (error) {
    if (!isStreamError(error, 'ERR_DOCUMENT_MALFORMED')) return undefined;
    return String(error.details.reason ?? error.message);
  }
}
