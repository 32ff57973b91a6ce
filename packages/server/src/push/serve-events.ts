import { formatSseComment, formatSseRetry } from '@ldes-live/codec';
import { EVENT_STREAM_MEDIA_TYPE, formatCursor, httpFields } from '@ldes-live/rdf-stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { streamUrls } from '../documents/stream-urls.ts';
import { errors } from '../errors.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import { preferredMediaType } from '../http/negotiate-format.ts';
import { type LinkTargets, linkHeader } from '../http/response-headers.ts';
import type { LiveStream } from '../live-stream.ts';
import type { Broadcast } from './broadcast.ts';
import { gapEvent } from './gap-event.ts';
import { PushConnection, type PushLimits } from './push-connection.ts';
import { resumePosition } from './resume-position.ts';

/** What answering with a push stream takes. */
export interface EventsContext extends LinkTargets {
  readonly broadcast: Broadcast;
  readonly limits: PushLimits;
  /** The shortest time after which a reader comes back, milliseconds. */
  readonly retryMs: number;
  readonly random: () => number;
}

/**
 * Answers a request with Server-Sent Events.
 *
 * @see specs/push.md PUSH-1
 */
export async function serveEvents(
  request: FastifyRequest<{ Querystring: { from?: string } }>,
  reply: FastifyReply,
  stream: LiveStream,
  context: EventsContext,
): Promise<void> {
  const { accept, 'last-event-id': lastEventId } = request.headers;
  if (!preferredMediaType(accept, [EVENT_STREAM_MEDIA_TYPE])) {
    throw errors.ERR_FORMAT_UNACCEPTABLE({ accept: accept ?? '', offered: [EVENT_STREAM_MEDIA_TYPE] });
  }
  // What would narrow the stream elsewhere must not pass for having done so here.
  const unknown = Object.keys(request.query).find((name) => name !== 'from');
  if (unknown !== undefined) throw errors.ERR_QUERY_UNKNOWN({ name: unknown, known: ['from'] });
  const head = stream.log.head.cursor;
  const asked = { lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined, from: request.query.from };
  const position = resumePosition(asked, { head, heldFrom: stream.log.heldFrom });
  const urls = streamUrls(stream.description);
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    'content-type': EVENT_STREAM_MEDIA_TYPE,
    // An intermediary that stored or recoded a stream would hold its events back.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    [httpFields.cursor]: formatCursor({ epoch: head.epoch, sequence: position.after }),
    ...CORS_HEADERS,
    link: linkHeader(urls, context),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // Each reader gets a wait of its own, so that those cut together do not come back together.
  response.write(formatSseRetry(Math.round(context.retryMs * (1 + context.random()))));
  response.write(position.gapFrom ? gapEvent(position.gapFrom, head, urls) : formatSseComment(''));
  const connection = new PushConnection(response, context.limits);
  response.on('close', () => context.broadcast.leave(connection));
  // What the reader breaks off is no fault of the server.
  response.on('error', () => response.destroy());
  try {
    await context.broadcast.join(connection, position.after, (from, to) => gapEvent(from, to, urls));
  } catch (error) {
    // Its reader resumes; left open, it would be kept alive by heartbeats and never get an event.
    response.destroy();
    request.log.error(error);
  }
}
