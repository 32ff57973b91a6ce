import type { FastifyInstance } from 'fastify';
import { catalogPage } from '../catalog/catalog-page.ts';
import { catalogQuads } from '../catalog/catalog-quads.ts';
import { descriptionDocument } from '../documents/description-document.ts';
import { streamUrls } from '../documents/stream-urls.ts';
import { type HealthFacts, healthReport } from '../health-report.ts';
import { OFFERED_MEDIA_TYPES, preferredMediaType } from '../http/negotiate-format.ts';
import { type LinkTargets, linkHeader, NO_STORE } from '../http/response-headers.ts';
import { sendDescription, sendPage } from '../http/send-description.ts';
import { countAs, countRequests } from '../metrics/count-requests.ts';
import type { ScheduledStream } from '../options.ts';
import { memberShapeQuads, shapeUrl } from '../shape/member-shape.ts';
import type { PublishedStream } from '../views/published-stream.ts';
import { type VocabularyContext, vocabularyRoutes } from './vocabulary-routes.ts';

/** What the server's own routes take. */
export interface ServerContext extends VocabularyContext, HealthFacts, LinkTargets {
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

  const catalog = descriptionDocument(
    publicUrl,
    () => catalogQuads(publicUrl, streams),
    // All that changes of it while the server runs.
    () => JSON.stringify(streams.map((stream) => updateInterval(stream))),
  );
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

  vocabularyRoutes(fastify, context);

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

function updateInterval({ schedule }: ScheduledStream): number | undefined {
  const now = schedule();
  return now.kind === 'interval' ? now.intervalMs : undefined;
}
