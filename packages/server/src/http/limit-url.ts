import type { FastifyInstance } from 'fastify';
import { errors } from '../errors.ts';

/**
 * Refuses longer URLs, path and query together, before anything is looked up by them.
 *
 * @see specs/documents.md DOC-45
 */
export function limitUrl(fastify: FastifyInstance, limitUrlBytes: number): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    // The parser lets no characters through but those of one byte.
    const bytes = request.raw.url?.length ?? 0;
    if (bytes > limitUrlBytes) done(errors.ERR_URL_TOO_LONG({ bytes, limitUrlBytes }));
    else done();
  });
}
