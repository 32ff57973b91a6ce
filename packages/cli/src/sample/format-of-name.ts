import { extname } from 'node:path';
import type { DocumentFormat } from '@ldes-live/sources';
import { isHttpUrl } from '../command-line/option-values.ts';

const FORMATS: Readonly<Record<string, DocumentFormat>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.geojson': 'geojson',
  '.csv': 'csv',
  '.xml': 'xml',
};

/** What a document is written in by the ending of its name; `undefined` where that says nothing. */
export function formatOfName(place: string): DocumentFormat | undefined {
  return FORMATS[extname(isHttpUrl(place) ? new URL(place).pathname : place).toLowerCase()];
}
