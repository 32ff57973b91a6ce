import type { Cursor, StreamDescription } from '@ldes-live/rdf-stream';

/** URLs of a stream's documents. @see specs/documents.md DOC-1 */
export interface StreamUrls {
  readonly root: string;
  readonly latest: string;
  readonly events: string;
  /** Redirects by `?after=CURSOR`. */
  readonly pages: string;
  /** Sealed pages are kept for a year, so a log that was made anew has pages of its own. */
  page(epoch: string, index: number): string;
  /** @param removed - how many pages retention took from it since it was sealed. @defaultValue 0 */
  range(epoch: string, index: number, removed?: number): string;
  /** The tail after a cursor: what has been published since. @see specs/documents.md DOC-60 */
  tail(after: Cursor): string;
  /** The root of the view by place. */
  readonly tiles: string;
}

const known = new WeakMap<StreamDescription, StreamUrls>();

/** The URLs of a stream. */
export function streamUrls(description: StreamDescription): StreamUrls {
  // Asked for with every request.
  let urls = known.get(description);
  if (!urls) {
    urls = urlsOf(description);
    known.set(description, urls);
  }
  return urls;
}

function urlsOf({ url }: StreamDescription): StreamUrls {
  return {
    root: url,
    latest: `${url}/latest`,
    events: `${url}/events`,
    pages: `${url}/pages`,
    page: (epoch, index) => `${url}/pages/${epoch}/${index}`,
    range: (epoch, index, removed = 0) => `${url}/pages/${epoch}/range-${index}${removed === 0 ? '' : `-v${removed}`}`,
    tail: ({ epoch, sequence }) => `${url}/pages/${epoch}/after-${sequence}`,
    tiles: `${url}/tiles`,
  };
}
