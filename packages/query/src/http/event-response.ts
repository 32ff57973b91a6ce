import type { ServerResponse } from 'node:http';
import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { FastifyReply } from 'fastify';

/** What is said to scripts of every origin. */
export const CORS_FIELDS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Age, Date, ETag, LDES-Cursor, Link, Next-Update, Retry-After',
  'timing-allow-origin': '*',
};

/**
 * Begins the response of a live query, past Fastify.
 *
 * @see specs/query.md QUERY-73
 */
export function beginEvents(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...CORS_FIELDS,
    'content-type': EVENT_STREAM_MEDIA_TYPE,
    // An intermediary that stored or recoded a stream would hold its events back.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // The same for all intermediaries (RFC 10036).
    incremental: '?1',
    vary: 'Accept',
  });
  raw.flushHeaders();
  return raw;
}

/** The number of the last event that a reader has had; `undefined` where it names none that could be one. */
export function lastSequence(field: string | string[] | undefined): number | undefined {
  const sequence = typeof field === 'string' && /^\d{1,16}$/.test(field) ? Number(field) : Number.NaN;
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}
