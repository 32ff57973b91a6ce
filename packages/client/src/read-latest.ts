import { extractMembers } from '@ldes-live/codec';
import type { Cursor, Member } from '@ldes-live/rdf-stream';
import type { StreamProfile } from './discover-stream.ts';
import { errors } from './errors.ts';
import type { HttpReader } from './http-reader.ts';
import { type DocumentHead, readDocument } from './read-document.ts';

/** The newest version of every living entity, at one cursor. */
export interface LatestState {
  readonly cursor: Cursor;
  /** By sequence. */
  readonly members: readonly Member[];
  readonly head: DocumentHead;
}

/**
 * Reads the latest-state document of a stream.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_INCOMPLETE` - it states no cursor; those of {@link readDocument}
 */
export async function readLatest(
  http: HttpReader,
  profile: StreamProfile,
  request: { readonly signal: AbortSignal; readonly revalidate: boolean },
): Promise<LatestState> {
  const { quads = [], ...head } = await readDocument(http, profile.latestUrl, request);
  if (!head.cursor) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: head.url, problem: 'states no cursor' });
  return { cursor: head.cursor, members: extractMembers(quads, profile.context), head };
}
