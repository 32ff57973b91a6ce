import { createHash } from 'node:crypto';
import { formats } from '@ldes-live/rdf-stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentCache } from '../documents/cache.ts';
import { DESCRIPTION_MAX_AGE_SECONDS } from '../documents/descriptions.ts';
import type { StreamDocument } from '../documents/document.ts';
import { matchesEtag } from './matches-etag.ts';
import { negotiateVariant } from './negotiate-variant.ts';
import { VARY } from './response-headers.ts';

const DESCRIPTION_CACHE_CONTROL = `public, max-age=${DESCRIPTION_MAX_AGE_SECONDS}`;

/**
 * Answers with a document that describes: in the format and encoding asked for, or 304. It has an entity tag and no
 * date, since nothing tells when a configuration came to say what it says.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`, `ERR_OVERLOADED`
 * @see specs/documents.md DOC-50
 */
export async function sendDescription(
  request: FastifyRequest,
  reply: FastifyReply,
  document: StreamDocument,
  representations: DocumentCache,
): Promise<FastifyReply> {
  const variant = negotiateVariant(request.raw.headers);
  const { etag, bytes } = await representations.get(document, variant);
  if (variant.encoding !== 'identity') reply.header('content-encoding', variant.encoding);
  return answer(request, reply, { etag, bytes, mediaType: formats[variant.format].mediaType });
}

/** Answers with a page for people, which is not sent compressed, or 304. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
  const bytes = Buffer.from(html);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}.html"`;
  return answer(request, reply, { etag, bytes, mediaType: 'text/html; charset=utf-8' });
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, bytes, mediaType }: { readonly etag: string; readonly bytes: Buffer; readonly mediaType: string },
): FastifyReply {
  reply.headers({ 'cache-control': DESCRIPTION_CACHE_CONTROL, vary: VARY, etag });
  const known = request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, etag)) return reply.removeHeader('content-encoding').code(304).send();
  return reply.type(mediaType).send(bytes);
}
