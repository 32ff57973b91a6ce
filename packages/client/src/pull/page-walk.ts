import {
  type Cursor,
  findLink,
  formatCursor,
  isStreamError,
  type Member,
  readMembers,
  relations,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { StreamProfile } from '../follow/discover-stream.ts';
import type { HttpReader } from '../http/http-reader.ts';
import { type DocumentHead, readDocument, type StreamDocument } from '../http/read-document.ts';

/** What one page brought. */
export type PageRead =
  /** The members after the position, and whether another page follows. */
  | { readonly kind: 'page'; readonly members: readonly Member[]; readonly more: boolean; readonly head: DocumentHead }
  /** The log does not go on from the position: it was rebuilt, or no longer holds what follows. */
  | { readonly kind: 'gone' }
  /** Nothing was read yet, and the log no longer holds its first members: this is the first that it does. */
  | { readonly kind: 'shortened'; readonly first: number }
  /** The page ends before the position: it is out of date, or the log went back. */
  | { readonly kind: 'behind'; readonly url: string };

interface Place {
  readonly url: string;
  /** The position from which the page is the one to read. */
  readonly sequence: number;
  readonly etag?: string;
}

/**
 * The walk over a stream's pages: to the page that holds what follows a position, from sealed page to
 * next page, and from the open page to the tail after each position, which holds only what is new. Where a server has no tails, the open
 * page is asked for again and again by its entity tag.
 */
export class PageWalk {
  readonly #http: HttpReader;
  #place: Place | undefined;

  constructor(http: HttpReader) {
    this.#http = http;
  }

  /** Goes on from a document that holds everything up to a cursor, where it says how. */
  goOn({ url, links }: Pick<DocumentHead, 'url' | 'links'>, cursor: Cursor): void {
    const tail = findLink(links, relations.tail)?.target;
    if (tail !== undefined && tail !== url) this.#place = { url: tail, sequence: cursor.sequence };
  }

  /** Forgets where it is: the next read looks for the way anew. */
  forget(): void {
    this.#place = undefined;
  }

  /**
   * Reads the page after a position; a sealed page is never asked for twice. Where the page before led to one that
   * retention removed, the way is asked for from the position, whose answer tells whether that is still held.
   *
   * @param request.revalidate - past all caches
   * @throws {@link StreamError} `ERR_DOCUMENT_INCOMPLETE` - members are missing on it, or a cursor; those of
   * {@link readDocument}
   */
  async read(
    profile: StreamProfile,
    position: Cursor,
    request: { readonly signal: AbortSignal; readonly revalidate: boolean },
  ): Promise<PageRead> {
    const place = this.#place?.sequence === position.sequence ? this.#place : undefined;
    this.forget();
    const page = await this.#document(place ?? { url: pageAfter(profile.pagesUrl, position) }, request);
    if (page?.cursor?.epoch !== position.epoch) {
      // Only the way from the position itself can tell that it leads nowhere. A page without a cursor stands for one
      // that retention removed, or is cut.
      if (place) return await this.read(profile, position, request);
      if (page && !page.cursor) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: page.url, problem: 'states no cursor' });
      return { kind: 'gone' };
    }
    const { quads, ...head } = page;
    const { cursor } = page;
    const { url, etag } = head;
    const next = findLink(head.links, relations.nextPage)?.target;
    if (cursor.sequence < position.sequence && next === undefined) return { kind: 'behind', url };
    const found = quads ? readMembers(quads, profile.context) : [];
    const first = found[0]?.sequence ?? cursor.sequence + 1;
    // A page without any members may be one that was cut: it has to say so past all caches.
    const isSure = found.length > 0 || (quads !== undefined && request.revalidate);
    if (position.sequence === 0 && isSure && first > 1) return { kind: 'shortened', first };
    const members = found.filter((member) => member.sequence > position.sequence);
    checkComplete(members, position.sequence, cursor.sequence, url);
    const sequence = Math.max(position.sequence, cursor.sequence);
    if (next !== undefined) this.#place = { url: next, sequence };
    else {
      this.#place = { url, sequence, ...(etag === undefined ? {} : { etag }) };
      // What is new after this document has one of its own, which is as small as what is new.
      this.goOn(head, { ...cursor, sequence });
    }
    // What brought something is no fruitless request.
    if (members.length > 0) this.#http.refund(head.receipt);
    return { kind: 'page', members, more: next !== undefined, head };
  }

  async #document(
    place: Pick<Place, 'url' | 'etag'>,
    { signal, revalidate }: { readonly signal: AbortSignal; readonly revalidate: boolean },
  ): Promise<StreamDocument | undefined> {
    const { url, etag } = place;
    try {
      return await readDocument(this.#http, url, { signal, revalidate, ...(etag === undefined ? {} : { etag }) });
    } catch (error) {
      if (isStreamError(error, 'ERR_RESPONSE_STATUS') && [404, 410].includes(error.details.status as number)) {
        return undefined;
      }
      throw error;
    }
  }
}

function pageAfter(pagesUrl: string, position: Cursor): string {
  const url = new URL(pagesUrl);
  url.searchParams.set('after', formatCursor(position));
  return url.href;
}

// A body that was cut where a line ended is well-formed RDF: only the cursor tells that members are missing.
function checkComplete(members: readonly Member[], after: number, last: number, url: string): void {
  const broken = members.findIndex((member, index) => member.sequence !== after + index + 1);
  const missing = broken >= 0 ? after + broken + 1 : after + members.length + 1;
  if (broken >= 0 || missing <= last) {
    throw errors.ERR_DOCUMENT_INCOMPLETE({ url, problem: `lacks the member of sequence ${missing}` });
  }
}
