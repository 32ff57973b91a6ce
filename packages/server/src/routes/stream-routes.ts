import { formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import type { FastifyInstance } from 'fastify';
import { entityDocument } from '../documents/entity-document.ts';
import { latestDocument } from '../documents/latest-document.ts';
import { NodeLinks } from '../documents/node-links.ts';
import { pageDocument } from '../documents/page-document.ts';
import { openPage, pageOf, rangeOf } from '../documents/page-layout.ts';
import { rangeDocument } from '../documents/range-document.ts';
import { rootDocument } from '../documents/root-document.ts';
import { streamUrls } from '../documents/stream-urls.ts';
import { errors } from '../errors.ts';
import { unknownDocument } from '../http/answer-errors.ts';
import { NO_STORE } from '../http/response-headers.ts';
import { type DocumentContext, sendDocument } from '../http/send-document.ts';
import type { LiveStream } from '../live-stream.ts';
import { type EventsContext, serveEvents } from '../push/serve-events.ts';

/** What the routes of a stream take. */
export interface StreamContexts {
  readonly documents: DocumentContext;
  readonly events: EventsContext;
}

interface Paged {
  readonly Params: { readonly epoch: string; readonly page: string };
}

// Without leading zeros, so that a page has one URL.
const INDEX = '^(?:0|[1-9]\\d{0,12})$';

/**
 * The routes of one stream.
 *
 * @see specs/documents.md DOC-1
 */
export function streamRoutes(fastify: FastifyInstance, stream: LiveStream, contexts: StreamContexts): void {
  const { description, log } = stream;
  const path = `/${description.name}`;
  const urls = streamUrls(description);
  const links = new NodeLinks(log);
  const root = rootDocument(stream, links);
  const gone = (cursor: string) =>
    errors.ERR_CURSOR_GONE({ cursor, head: formatCursor(log.head.cursor), latest: urls.latest });
  const checkEpoch = (epoch: string) => {
    if (epoch !== log.head.cursor.epoch) throw gone(`${epoch}-0`);
  };
  const latest = latestDocument(stream);

  fastify.get(path, (request, reply) => sendDocument(request, reply, stream, root, contexts.documents));
  fastify.get(`${path}/latest`, (request, reply) => sendDocument(request, reply, stream, latest, contexts.documents));

  fastify.get<{ Querystring: { after?: string } }>(`${path}/pages`, (request, reply) => {
    const head = log.head.cursor;
    const { after } = request.query;
    if (after === undefined) throw errors.ERR_CURSOR_MISSING({ example: `${urls.pages}?after=${formatCursor(head)}` });
    const cursor = parseCursor(after);
    if (cursor.epoch !== head.epoch || cursor.sequence > head.sequence) throw gone(after);
    const page = urls.page(head.epoch, pageOf(cursor.sequence + 1));
    return reply.header('cache-control', NO_STORE).redirect(page, 307);
  });

  fastify.get<Paged>(`${path}/pages/:epoch/:page(${INDEX})`, (request, reply) => {
    const index = Number(request.params.page);
    checkEpoch(request.params.epoch);
    if (index > openPage(log.head.cursor.sequence)) throw unknownDocument(request.url, urls);
    return sendDocument(request, reply, stream, pageDocument(stream, index), contexts.documents);
  });

  fastify.get<Paged>(`${path}/pages/:epoch/range-:page(${INDEX})`, (request, reply) => {
    const index = Number(request.params.page);
    checkEpoch(request.params.epoch);
    if (index > rangeOf(openPage(log.head.cursor.sequence))) throw unknownDocument(request.url, urls);
    return sendDocument(request, reply, stream, rangeDocument(stream, index, links), contexts.documents);
  });

  fastify.get(`${path}/entities/*`, (request, reply) => {
    // The IRI as it was asked for: decoding and encoding again would not give the same one back.
    const [asked = ''] = request.url.split('?', 1);
    const iri = description.url + asked.slice(asked.indexOf(`${path}/entities/`) + path.length);
    const entity = entityDocument(stream, iri);
    if (!entity) throw unknownDocument(request.url, urls);
    return sendDocument(request, reply, stream, entity, contexts.documents);
  });

  fastify.get<{ Querystring: { from?: string } }>(`${path}/events`, (request, reply) =>
    serveEvents(request, reply, stream, contexts.events),
  );

  fastify.get(`${path}/*`, (request) => {
    throw unknownDocument(request.url, urls);
  });

  for (const url of [path, `${path}/*`]) {
    fastify.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      // Before the content is read, whatever its type.
      onRequest: async (request, reply) => {
        reply.header('allow', 'GET, HEAD');
        throw errors.ERR_METHOD({ method: request.method, path: request.url });
      },
      handler: async () => undefined,
    });
  }
}
