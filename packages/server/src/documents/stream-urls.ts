import type { StreamDescription } from '@ldes-live/rdf-stream';

/** URLs of a stream's documents. @see specs/documents.md DOC-1 */
export interface StreamUrls {
  readonly root: string;
  readonly latest: string;
  readonly events: string;
  /** Redirects by `?after=CURSOR`. */
  readonly pages: string;
  /** Sealed pages are kept for a year, so a log that was made anew has pages of its own. */
  page(epoch: string, index: number): string;
  range(epoch: string, index: number): string;
}

/** The URLs of a stream. */
export function streamUrls(description: StreamDescription): StreamUrls {
  const { url } = description;
  return {
    root: url,
    latest: `${url}/latest`,
    events: `${url}/events`,
    pages: `${url}/pages`,
    page: (epoch, index) => `${url}/pages/${epoch}/${index}`,
    range: (epoch, index) => `${url}/pages/${epoch}/range-${index}`,
  };
}
