import { LATEST_RETENTION } from '@ldes-live/rdf-stream';
import { latestDocument } from '../documents/latest-document.ts';
import type { Found, ViewMaker } from './view.ts';

/** The latest state, whole. @see specs/documents.md DOC-6 */
export const latestView: ViewMaker = (stream) => {
  const document = latestDocument(stream);
  const found: Found = { kind: 'document', document, counted: 'latest' };
  const entry = { url: document.url, title: 'Latest state', retention: LATEST_RETENTION };
  return { path: 'latest', entry, find: (rest) => (rest === '' ? found : undefined) };
};
