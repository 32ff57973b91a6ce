import { extractMembers, parseQuads, type SseEvent } from '@ldes-live/codec';
import { type Cursor, isStreamError, type Member, parseCursor, pushEvents } from '@ldes-live/rdf-stream';
import type { StreamProfile } from './discover-stream.ts';
import { errors } from './errors.ts';

/**
 * What an event of the push endpoint says: members, by sequence; that of those up to a sequence number only the newest of
 * each entity follow; or that the position cannot be continued.
 */
export type PushNews = readonly Member[] | { readonly conflatedTo: number } | 'gap';

/** Where a reader stands that an event comes to. */
export interface PushPlace {
  readonly position: Cursor;
  /** Sequence number up to which the connection tells the newest of each entity only; 0 when it never did. */
  readonly conflatedTo: number;
}

/**
 * Reads an event of the push endpoint.
 *
 * Events of unknown types say nothing, and neither do those within a conflation: its members come from the pages, all of
 * them.
 *
 * @throws {@link StreamError} `ERR_PUSH_REFUSED` - it cannot be read
 * @see specs/push.md
 */
export async function readPushEvent(
  event: SseEvent,
  profile: StreamProfile,
  { position, conflatedTo }: PushPlace,
): Promise<PushNews> {
  if (event.event === pushEvents.gap) return 'gap';
  try {
    if (event.event === pushEvents.conflated) {
      const to = conflationEnd(event.data);
      return to.epoch === position.epoch ? { conflatedTo: to.sequence } : 'gap';
    }
    if (event.event !== pushEvents.update || (conflatedTo > 0 && event.id === '')) return [];
    const { epoch, sequence } = parseCursor(event.id);
    if (epoch !== position.epoch) return 'gap';
    // An event within a conflation has no id, so that it comes with the one before.
    if (sequence <= conflatedTo) return [];
    return extractMembers(await parseQuads(event.data, 'jsonld', profile.rootUrl), profile.context);
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const url = profile.push?.url ?? profile.rootUrl;
    throw errors.ERR_PUSH_REFUSED({ url, problem: `sent an event that cannot be read: ${error.message}` }, error);
  }
}

function conflationEnd(data: string): Cursor {
  let said: unknown;
  try {
    said = JSON.parse(data);
  } catch {
    // What is no JSON names no cursor either.
  }
  return parseCursor(String((said as { to?: unknown } | undefined)?.to));
}
