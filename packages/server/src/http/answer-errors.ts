import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf, problemAnswer, refusedStatus, toAnswerable } from './problem.ts';

/** Answers an error of a Fastify instance by a problem; its own refusals are requests that could not be understood. */
export function answerError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toAnswerable(thrown, request.url);
  if (error.code === 'ERR_INTERNAL') {
    const fields = { method: request.method, path: pathOf(request.url), err: error.cause };
    request.log.error(fields, 'request failed');
  }
  const { status, headers, body } = problemAnswer(error, refusedStatus(thrown));
  return reply.code(status).headers(headers).send(body);
}
