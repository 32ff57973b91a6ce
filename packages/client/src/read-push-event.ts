import { extractMembers, parseQuads, type SseEvent } from '@ldes-live/codec';
import { type Cursor, isStreamError, type Member, parseCursor, pushEvents } from '@ldes-live/rdf-stream';
import type { StreamProfile } from './discover-stream.ts';
import { errors } from './errors.ts';

/**
 * What an event of the push endpoint says: members, by sequence, or that the position cannot be continued.
 *
 * Events of unknown types say nothing.
 *
 * @throws {@link StreamError} `ERR_PUSH_REFUSED` - it cannot be read
 * @see specs/push.md
 */
export async function readPushEvent(
  event: SseEvent,
  profile: StreamProfile,
  position: Cursor,
): Promise<readonly Member[] | 'gap'> {
  if (event.event === pushEvents.gap) return 'gap';
  if (event.event !== pushEvents.update) return [];
  try {
    if (parseCursor(event.id).epoch !== position.epoch) return 'gap';
    return extractMembers(await parseQuads(event.data, 'jsonld', profile.rootUrl), profile.context);
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const url = profile.push?.url ?? profile.rootUrl;
    throw errors.ERR_PUSH_REFUSED({ url, problem: `sent an event that cannot be read: ${error.message}` }, error);
  }
}
