import { EVENT_STREAM_MEDIA_TYPE, type Filter, filterParameters, parseFilter } from '@ldes-live/rdf-stream';
import { errors } from '../../errors.ts';
import { negotiateEncoding, preferredMediaType } from '../../http/negotiate.ts';
import type { PushSettings } from '../../options.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import { PUSH_ENCODINGS, type PushEncoding } from '../wire/wire.ts';
import { type ResumePosition, resumePosition } from './resume-position.ts';

/** The query parameters that the push endpoint knows, those that filter it included. */
const PUSH_PARAMETERS: readonly string[] = ['from', ...filterParameters];

/** What a request for a push stream asks for. */
export interface PushRequest {
  readonly position: ResumePosition;
  /** Absent for the whole stream. */
  readonly filter: Filter | undefined;
  readonly encoding: PushEncoding;
}

/** The part of a request that counts. */
export interface RequestHead {
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Reads a request for a push stream.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE` - it accepts no event stream
 * @throws {@link StreamError} `ERR_QUERY_UNKNOWN`, `ERR_CURSOR_MALFORMED` and those of `parseFilter` - its query
 * @see specs/push.md PUSH-1, PUSH-12
 */
export function readPushRequest(
  { url = '', headers }: RequestHead,
  source: Pick<PacketSource, 'head' | 'published' | 'heldFrom'>,
  { limitNarrowing, limitReplayMembers }: PushSettings,
): PushRequest {
  const accept = text(headers.accept);
  if (!preferredMediaType(accept, [EVENT_STREAM_MEDIA_TYPE])) {
    throw errors.ERR_FORMAT_UNACCEPTABLE({ accept: accept ?? '', offered: [EVENT_STREAM_MEDIA_TYPE] });
  }
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  for (const name of query.keys()) {
    // What would narrow the stream elsewhere must not pass for having done so here.
    if (!PUSH_PARAMETERS.includes(name)) throw errors.ERR_QUERY_UNKNOWN({ name, known: PUSH_PARAMETERS });
  }
  const filter = parseFilter(query, limitNarrowing);
  const { head, published, heldFrom } = source;
  const asked = { lastEventId: text(headers['last-event-id']), from: query.get('from') ?? undefined };
  return {
    position: resumePosition(asked, { head, published, heldFrom, limitReplayMembers }),
    filter,
    encoding: negotiateEncoding(text(headers['accept-encoding']), PUSH_ENCODINGS),
  };
}

function text(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}
