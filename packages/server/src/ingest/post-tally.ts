import { type Cursor, formatCursor, StreamError } from '@ldes-live/rdf-stream';

/** What became of the members of a body so far. */
export interface PostTally {
  /** New in the log. */
  readonly stored: number;
  /** States that are the newest of their entities already, and ends, without IRIs of their own, of what does not live. */
  readonly unchanged: number;
  /** Versions that the log holds already. */
  readonly held: number;
  /** The commit before the first that was stored; absent before there is one. */
  readonly before?: Cursor;
  /** The last commit that was stored; absent before there is one. */
  readonly cursor?: Cursor;
}

/** That of a body of which nothing was taken yet. */
export const EMPTY_TALLY: PostTally = { stored: 0, unchanged: 0, held: 0 };

/** Both together. */
export function addTallies(one: PostTally, other: PostTally): PostTally {
  const before = one.before ?? other.before;
  const cursor = other.cursor ?? one.cursor;
  return {
    stored: one.stored + other.stored,
    unchanged: one.unchanged + other.unchanged,
    held: one.held + other.held,
    ...(before && { before }),
    ...(cursor && { cursor }),
  };
}

/** What an answer says of it. */
export function toldTally({ stored, unchanged, held, cursor }: PostTally) {
  return { stored, unchanged, held, ...(cursor && { cursor: formatCursor(cursor) }) };
}

/**
 * An error of a post that says what is stored of its body.
 *
 * @see specs/ingest.md ING-27
 */
export function withTally({ code, message, details, cause }: StreamError, tally: PostTally): StreamError {
  const stored =
    tally.stored === 0 ? 'Nothing of the body is stored' : `Of the body ${tally.stored} members are stored`;
  return new StreamError(code, `${message} ${stored}.`, { ...details, ...toldTally(tally) }, cause);
}
