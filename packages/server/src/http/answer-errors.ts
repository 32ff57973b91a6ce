import type { StreamError } from '@ldes-live/rdf-stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entryPoints } from '../documents/catalog.ts';
import { shapeUrl } from '../documents/descriptions.ts';
import { streamUrls } from '../documents/document.ts';
import { errors } from '../errors.ts';
import { DEFAULT_LIMIT_URL_BYTES, type LiveStream } from '../options.ts';
import type { PublishedStream } from '../published-stream.ts';
import { isAnswerable, pathOf, problemAnswer } from './problem.ts';

/**
 * Makes every error of the routes an `application/problem+json` answer that is never cached.
 *
 * @see specs/errors.md ERR-1
 */
export function answerErrors(fastify: FastifyInstance): void {
  fastify.setErrorHandler(answerError);
}

/** Answers one error; also those that Fastify meets before there is a route (`frameworkErrors`). */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = toldError(error, request);
  logFault(told, request);
  // Fastify's own refusals of malformed or oversized requests.
  const isRefused = told.code === 'ERR_REQUEST' && !isAnswerable(error);
  return answer(reply, told, isRefused ? error.statusCode : undefined);
}

function toldError(error: FastifyError, request: FastifyRequest): StreamError {
  if (isAnswerable(error)) return error;
  const { statusCode: status = 500 } = error;
  if (status >= 400 && status < 500) return errors.ERR_REQUEST({ reason: error.message });
  return errors.ERR_INTERNAL({ path: pathOf(request.url) }, error);
}

/** Logs what whoever runs the server has to know. The query is left out, which may hold what is not for logs. */
function logFault(error: StreamError, { log, method, url }: FastifyRequest): void {
  const said = { err: error.cause ?? error, method, path: pathOf(url) };
  if (error.code === 'ERR_INTERNAL') log.error(said, 'request failed');
}

/** Answers what no route takes: an unknown stream, with the streams there are. */
export function answerUnknown(
  fastify: FastifyInstance,
  streams: readonly LiveStream[],
  limitUrlBytes = DEFAULT_LIMIT_URL_BYTES,
): void {
  const known = streams.map(({ description }) => description.url);
  fastify.setNotFoundHandler((request, reply) => {
    const { url } = request;
    const isLong = url.length > limitUrlBytes;
    if (isLong) return answer(reply, errors.ERR_URL_TOO_LONG({ bytes: url.length, limitUrlBytes }));
    return answer(reply, errors.ERR_STREAM_UNKNOWN({ path: pathOf(url), known }));
  });
}

/** The error for a document that a stream does not have. */
export function unknownDocument(url: string, stream: PublishedStream): StreamError {
  const { events } = streamUrls(stream.description);
  const known = [...entryPoints(stream).map((entry) => entry.url), shapeUrl(stream.description), events];
  return errors.ERR_DOCUMENT_UNKNOWN({ path: pathOf(url), known });
}

function answer(reply: FastifyReply, error: StreamError, statusOverride?: number): FastifyReply {
  const { status, headers, body } = problemAnswer(error, statusOverride);
  return reply.code(status).headers(headers).send(body);
}
