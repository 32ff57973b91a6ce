import { formats } from '@ldes-live/rdf-stream';
import type { FastifyInstance } from 'fastify';
import type { DocumentCache } from '../documents/cache.ts';
import { catalogDocument } from '../documents/catalog.ts';
import { catalogPage } from '../documents/catalog-page.ts';
import { descriptionDocument, memberShapeQuads, shapeUrl, vocabularyContext } from '../documents/descriptions.ts';
import { streamUrls } from '../documents/document.ts';
import { type HealthFacts, healthReport } from '../health-report.ts';
import { OFFERED_MEDIA_TYPES, preferredMediaType } from '../http/negotiate-format.ts';
import { IMMUTABLE_CACHE_CONTROL, type LinkTargets, linkHeader, NO_STORE } from '../http/response-headers.ts';
import { sendDescription, sendPage } from '../http/send-description.ts';
import { countAs, countRequests } from '../metrics/count-requests.ts';
import type { Vocabulary } from '../options.ts';
import type { PublishedStream } from '../published-stream.ts';

/** What the server's own routes take. */
export interface ServerContext extends HealthFacts, LinkTargets {
  readonly publicUrl: string;
  readonly vocabularies: Readonly<Record<string, Vocabulary>>;
  readonly representations: DocumentCache;
  readonly streams: readonly PublishedStream[];
  /** Open push connections in other processes, by the name of the stream. */
  readonly connectionsElsewhere: () => Promise<ReadonlyMap<string, number>>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** The catalogue, the vocabularies, the shapes of members, and the health of the server. */
export function serverRoutes(fastify: FastifyInstance, context: ServerContext): void {
  const { publicUrl, streams, representations } = context;
  const requests = countRequests(fastify);

  const catalog = catalogDocument(publicUrl, () => streams);
  fastify.get('/', (request, reply) => {
    countAs(request, requests, 'catalog');
    // JSON-LD before HTML: only who asks for HTML by name gets it.
    if (preferredMediaType(request.headers.accept, [...OFFERED_MEDIA_TYPES, 'text/html']) !== 'text/html') {
      return sendDescription(request, reply, catalog, representations);
    }
    return sendPage(request, reply, catalogPage(publicUrl, streams));
  });

  for (const { description, shape, requests } of streams) {
    const document = descriptionDocument(shapeUrl(description), () => memberShapeQuads(description, shape));
    const link = linkHeader(streamUrls(description), context);
    fastify.get(`/${description.name}/shape`, (request, reply) => {
      countAs(request, requests, 'other');
      return sendDescription(request, reply.header('link', link), document, representations);
    });
  }

  for (const [name, vocabulary] of Object.entries(context.vocabularies)) {
    const document = descriptionDocument(`${publicUrl}ns/${name}`, () => vocabulary.quads);
    fastify.get(`/ns/${name}`, (request, reply) => sendDescription(request, reply, document, representations));
    const { url, bytes } = vocabularyContext(publicUrl, name, vocabulary);
    fastify.get(`/ns/${name}${url.slice(url.lastIndexOf('/'))}`, (_request, reply) =>
      reply.header('cache-control', IMMUTABLE_CACHE_CONTROL).type(formats.jsonld.mediaType).send(bytes),
    );
    fastify.get(`/ns/${name}/context.jsonld`, (_request, reply) =>
      // Another release may have another context.
      reply.header('cache-control', NO_STORE).redirect(url, 307),
    );
  }

  fastify.get('/health', async (_request, reply) => {
    const elsewhere = await context.connectionsElsewhere();
    const pushConnections = (name: string) => context.pushConnections(name) + (elsewhere.get(name) ?? 0);
    const report = healthReport(streams, { ...context, pushConnections });
    // A failing source is no reason to send readers elsewhere: there it fails too.
    return reply
      .code(report.status === 'stopping' ? 503 : 200)
      .header('cache-control', NO_STORE)
      .send(report);
  });
}
