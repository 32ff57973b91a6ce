import {
  type Cursor,
  isStreamError,
  type Member,
  parseCursor,
  parseQuads,
  pushEvents,
  readMembers,
  type SseEvent,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { StreamProfile } from '../follow/discover-stream.ts';
import { conflationEnd } from './conflation-end.ts';
import type { HeardEvent } from './shared-push.ts';

/**
 * What an event of the push endpoint says: members, by sequence, with the cursor that it reaches where it has one; that of
 * those up to a sequence number only the newest of each entity follow; or that the position cannot be continued.
 */
export type PushNews =
  | { readonly members: readonly Member[]; readonly reaches?: Cursor; readonly isConflated: boolean }
  | { readonly conflatedTo: number }
  | 'gap';

const NOTHING: PushNews = { members: [], isConflated: false };

// An event that several followers read is parsed once.
const parsed = new WeakMap<SseEvent, Promise<Quad[]>>();

/**
 * Reads an event of the push endpoint.
 *
 * Events of unknown types say nothing.
 *
 * @param heard - the event and up to where its connection was conflated
 * @throws {@link StreamError} `ERR_PUSH_REFUSED` - it cannot be read
 * @see specs/push.md
 */
export async function readPushEvent(
  { event, conflatedTo }: Pick<HeardEvent, 'event' | 'conflatedTo'>,
  profile: StreamProfile,
  position: Cursor,
): Promise<PushNews> {
  if (event.event === pushEvents.gap) return 'gap';
  try {
    if (event.event === pushEvents.conflated) {
      // What names no cursor is told as any other id that is none.
      const to = conflationEnd(event.data) ?? parseCursor(event.data);
      return to.epoch === position.epoch ? { conflatedTo: to.sequence } : 'gap';
    }
    if (event.event !== pushEvents.update) return NOTHING;
    // An event within a conflation has no id of its own: it comes with the one before, if there was one.
    const reaches = event.id === '' && conflatedTo > 0 ? undefined : parseCursor(event.id);
    if (reaches && reaches.epoch !== position.epoch) return 'gap';
    const isConflated = reaches === undefined || reaches.sequence <= conflatedTo;
    return {
      members: readMembers(await quadsOf(event, profile), profile.context),
      ...(reaches ? { reaches } : {}),
      isConflated,
    };
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const url = profile.push?.url ?? profile.rootUrl;
    throw errors.ERR_PUSH_REFUSED({ url, problem: `sent an event that cannot be read: ${error.message}` }, error);
  }
}

function quadsOf(event: SseEvent, profile: StreamProfile): Promise<Quad[]> {
  let quads = parsed.get(event);
  if (!quads) {
    quads = parseQuads(event.data, 'jsonld', profile.rootUrl);
    parsed.set(event, quads);
  }
  return quads;
}
