import type { StreamDescription } from '@ldes-live/rdf-stream';

/** URLs of a stream's documents. @see specs/documents.md DOC-1 */
export interface StreamUrls {
  readonly root: string;
  readonly latest: string;
  readonly events: string;
  /** Redirects by `?after=CURSOR`. */
  readonly pages: string;
  page(index: number): string;
  range(index: number): string;
}

/** The URLs of a stream. */
export function streamUrls(description: StreamDescription): StreamUrls {
  const { url } = description;
  return {
    root: url,
    latest: `${url}/latest`,
    events: `${url}/events`,
    pages: `${url}/pages`,
    page: (index) => `${url}/pages/${index}`,
    range: (index) => `${url}/pages/range-${index}`,
  };
}
