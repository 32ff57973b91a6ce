import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WrittenAnswer } from './answers/held-state.ts';
import type { QueriedStream } from './queried-stream.ts';
import type { Accepted } from './results/formats.ts';

/** What an answer is to: a query, and the formats that it may come in. */
export interface Question {
  readonly sparql: string;
  readonly accepted: Accepted;
}

/**
 * The strong entity tag of an answer: of the state, the query and the formats that were accepted, which the answer follows
 * from.
 *
 * @param cursor - of the state
 * @see specs/query.md QUERY-81
 */
export function answerEtag({ sparql, accepted }: Question, cursor: string): string {
  const asked = createHash('sha256')
    .update(JSON.stringify([sparql, accepted]))
    .digest('base64url')
    .slice(0, 22);
  return `"${cursor}-${asked}"`;
}

/** Whether a reader has the answer over the present state already. */
export function isHeld({ method, headers }: FastifyRequest, etag: string): boolean {
  const field = headers['if-none-match'];
  // The tags are searched for, since they may hold commas; * stands for any answer, which there may be none of yet.
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && [...(field?.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [])].some(([tag]) => tag === etag);
}

/** Sends 304 for an answer over the present state. */
export function sendHeld(reply: FastifyReply, stream: QueriedStream, etag: string, cursor: string): FastifyReply {
  return reply
    .code(304)
    .headers({ ...stream.fields(cursor), etag, vary: 'Accept' })
    .send();
}

/** Sends an answer with what it says of how long it holds. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: QueriedStream,
  { question, answer }: { readonly question: Question; readonly answer: WrittenAnswer },
): FastifyReply {
  const { cursor, mediaType, content, isVolatile } = answer;
  const { 'ldes-cursor': shown = cursor, link, ...caching } = stream.fields(cursor);
  reply.header('ldes-cursor', shown).header('vary', 'Accept');
  if (link !== undefined) reply.header('link', link);
  // What depends on more than the state is another answer each time.
  if (isVolatile) reply.header('cache-control', 'no-store');
  else reply.headers(caching);
  if (!isVolatile && request.method !== 'POST') reply.header('etag', answerEtag(question, cursor));
  return reply
    .header('content-type', mediaType)
    .send(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
}
