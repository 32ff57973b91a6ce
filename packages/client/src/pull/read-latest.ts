import type { Cursor, Member } from '@ldes-live/rdf-stream';
import { readMembers } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { StreamProfile } from '../follow/discover-stream.ts';
import type { HttpReader } from '../http/http-reader.ts';
import { type DocumentHead, readDocument } from '../http/read-document.ts';

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
 * @throws {@link StreamError} `ERR_DOCUMENT_INCOMPLETE` - it says nothing at all, or states no cursor; those of
 * {@link readDocument}
 * @see specs/mal.md MAL-80
 */
export async function readLatest(
  http: HttpReader,
  profile: StreamProfile,
  request: { readonly signal: AbortSignal; readonly revalidate: boolean },
): Promise<LatestState> {
  const { quads = [], ...head } = await readDocument(http, profile.latestUrl, request);
  // Also where nothing lives, it says of which stream it is the state.
  if (quads.length === 0) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: head.url, problem: 'is empty' });
  if (!head.cursor) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: head.url, problem: 'states no cursor' });
  return { cursor: head.cursor, members: readMembers(quads, profile.context), head };
}
