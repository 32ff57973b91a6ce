import { isStreamError } from '@ldes-live/rdf-stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Found, View } from '../documents/document.ts';
import { errors } from '../errors.ts';
import { unknownDocument } from '../http/answer-errors.ts';
import { methodsOf } from '../http/cors.ts';
import { NO_STORE } from '../http/response-headers.ts';
import { type DocumentContext, sendDocument } from '../http/send-document.ts';
import { countAs } from '../metrics/count-requests.ts';
import type { PublishedStream } from '../published-stream.ts';
import type { PushEndpoint } from '../push/endpoint.ts';
import { postRoute } from './post-route.ts';

/** What the routes of a stream take. */
export interface StreamContexts {
  readonly documents: DocumentContext;
  readonly push: PushEndpoint;
}

const NO_QUERY = new URLSearchParams();

/**
 * The routes of one stream: its views, whatever they are, and its push endpoint.
 *
 * @see specs/documents.md DOC-1
 */
export function streamRoutes(fastify: FastifyInstance, stream: PublishedStream, contexts: StreamContexts): void {
  const { description, requests } = stream;
  const path = `/${description.name}`;

  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    found: Found | undefined,
  ): Promise<void> | undefined => {
    if (!found) throw unknownDocument(request.url, stream);
    if (found.kind === 'document') {
      // An error in its place is one of the document, too.
      countAs(request, requests, found.counted);
      return sendDocument(request, reply, stream, found, contexts.documents);
    }
    reply.header('cache-control', NO_STORE).redirect(found.url, 307);
    return undefined;
  };

  // What is ready is answered at once: a promise for each request would cost as much as the rest of it.
  const serve = (request: FastifyRequest, reply: FastifyReply, view: View, rest: string) => {
    countAs(request, requests, 'other');
    const query = queryOf(request.url);
    const attempt = () => {
      const found = view.find(rest, query);
      return found instanceof Promise
        ? found.then((later) => answer(request, reply, later))
        : answer(request, reply, found);
    };
    return attempt()?.catch((error: unknown) => {
      // Retention may erase a page while it is made: another document has taken its place.
      if (isStreamError(error, 'ERR_MEMBERS_REMOVED')) return attempt();
      throw error;
    });
  };

  for (const view of stream.views) {
    const base = view.path === '' ? path : `${path}/${view.path}`;
    fastify.get(base, (request, reply) => serve(request, reply, view, ''));
    fastify.get(`${base}/*`, (request, reply) => {
      const rest = restOf(request.url, base);
      // A slash at the end makes another URL, at which there is nothing.
      if (rest === '') throw unknownDocument(request.url, stream);
      return serve(request, reply, view, rest);
    });
  }

  fastify.get(`${path}/events`, (request, reply) => {
    countAs(request, requests, 'events');
    const answered = () => {
      // Not before: what is wrong with a request is said by the plugin's answers.
      reply.hijack();
      // Who has gone while it waited got no answer.
      if (!reply.raw.destroyed) requests.add('events', 200);
    };
    const opening = contexts.push.serve(description.name, { request: request.raw, response: reply.raw });
    if (opening) return opening.then(answered);
    answered();
    return undefined;
  });

  const { post } = stream;
  if (post) postRoute(fastify, stream, post);
  for (const [url, takesPosts] of [
    [path, post !== undefined],
    [`${path}/*`, false],
  ] as const) {
    fastify.route({
      method: [...(takesPosts ? [] : ['POST']), 'PUT', 'PATCH', 'DELETE'],
      url,
      // Before the content is read, whatever its type.
      onRequest: async (request, reply) => {
        countAs(request, requests, 'other');
        reply.header('allow', methodsOf(takesPosts));
        throw errors.ERR_METHOD({ method: request.method, path: request.url });
      },
      handler: async () => undefined,
    });
  }
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return start < 0 ? NO_QUERY : new URLSearchParams(url.slice(start));
}

// As it was asked for: what is decoded and encoded again may not be the same.
function restOf(url: string, base: string): string {
  const end = url.indexOf('?');
  const asked = end < 0 ? url : url.slice(0, end);
  return asked.slice(asked.indexOf(`${base}/`) + base.length + 1);
}
