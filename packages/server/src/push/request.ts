/* What a request for a push stream asks for: from where to go on, the part of the stream, the encoding.
 *   GET /vehicles/events?from=k3x9a-41&entity=IRI, Accept-Encoding: gzip
 *   { "position": { "after": 41, "isState": false }, "filter": { "key": "…" }, "encoding": "gzip" } */
import {
  type Cursor,
  EVENT_STREAM_MEDIA_TYPE,
  type Filter,
  filterParameters,
  parseCursor,
  parseFilter,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { negotiateEncoding, preferredMediaType } from '../http/negotiate.ts';
import type { PushSettings } from '../options.ts';
import type { EncodedCommits } from './encoded-commits.ts';
import { PUSH_ENCODINGS, type PushEncoding } from './wire.ts';

const PUSH_PARAMETERS: readonly string[] = ['from', ...filterParameters];

const LATEST = 'latest';

/** What a request for a push stream asks for. */
export interface PushRequest {
  readonly position: ResumePosition;
  /** Absent for the whole stream. */
  readonly filter: Filter | undefined;
  readonly encoding: PushEncoding;
}

interface RequestHead {
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What there is to go on with. */
type Held = Pick<EncodedCommits, 'head' | 'published' | 'heldFrom'>;

/**
 * Reads a request for a push stream.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE` - it accepts no event stream
 * @throws {@link StreamError} `ERR_QUERY_UNKNOWN`, `ERR_CURSOR_MALFORMED` and those of `parseFilter` - its query
 * @see specs/push.md PUSH-1, PUSH-12
 */
export function readPushRequest(
  { url = '', headers }: RequestHead,
  held: Held,
  { limitNarrowing, limitReplayMembers }: PushSettings,
): PushRequest {
  const accept = text(headers.accept);
  if (!preferredMediaType(accept, [EVENT_STREAM_MEDIA_TYPE])) {
    throw errors.ERR_FORMAT_UNACCEPTABLE({ accept: accept ?? '', offered: [EVENT_STREAM_MEDIA_TYPE] });
  }
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  for (const name of query.keys()) {
    // What would filter the stream elsewhere must not pass for having done so here.
    if (!PUSH_PARAMETERS.includes(name)) throw errors.ERR_QUERY_UNKNOWN({ name, known: PUSH_PARAMETERS });
  }
  const filter = parseFilter(query, limitNarrowing);
  return {
    position: resumePosition(text(headers['last-event-id']), query.get('from'), held, limitReplayMembers),
    filter,
    encoding: negotiateEncoding(text(headers['accept-encoding']), PUSH_ENCODINGS),
  };
}

function text(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}

/** From where a push connection goes on. */
export interface ResumePosition {
  /** Sequence number after which to go on; 0 where the whole state is to come first. */
  readonly after: number;
  /** Whether the whole state is to come first. */
  readonly isState: boolean;
  /** What was asked for, where what follows it is not here, or too much to send. */
  readonly gapFrom?: Cursor;
}

/** Whether a reader names what is not here yet, but may be where this side takes its commits from. */
export function isAhead({ gapFrom }: ResumePosition, head: Cursor): boolean {
  return gapFrom !== undefined && gapFrom.epoch === head.epoch && gapFrom.sequence > head.sequence;
}

/**
 * From where to go on: after `Last-Event-ID`, else after `?from=`, else at the head.
 *
 * A cursor of another life of the log, past its head, before members that retention erased, or too far back is a gap.
 *
 * @throws {@link StreamError} `ERR_CURSOR_MALFORMED` - the cursor that counts cannot be read
 * @see specs/push.md PUSH-4 to PUSH-7
 */
function resumePosition(
  lastEventId: string | undefined,
  from: string | null,
  { head, published, heldFrom }: Held,
  limitReplayMembers: number,
): ResumePosition {
  // An empty Last-Event-ID is what a reader has that never got an id.
  const asked = lastEventId || from;
  if (!asked) return { after: head.sequence, isState: false };
  if (asked === LATEST && !lastEventId) return { after: 0, isState: true };
  const cursor = parseCursor(asked);
  const lacking = head.sequence - cursor.sequence;
  const isKnown = cursor.epoch === head.epoch && cursor.sequence <= published.sequence;
  const isHeld = isKnown && lacking <= limitReplayMembers && cursor.sequence + 1 >= heldFrom;
  if (isHeld) return { after: cursor.sequence, isState: false };
  return { after: head.sequence, isState: false, gapFrom: cursor };
}
