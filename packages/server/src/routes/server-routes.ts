import { formats, writeQuads } from '@ldes-live/codec';
import type { Quad } from '@rdfjs/types';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { catalogPage } from '../catalog-page.ts';
import { catalogQuads } from '../catalog-quads.ts';
import { healthReport } from '../health-report.ts';
import { negotiateFormat, OFFERED_MEDIA_TYPES, preferredMediaType } from '../http/negotiate-format.ts';
import { NO_STORE } from '../http/response-headers.ts';
import type { LiveStream } from '../live-stream.ts';
import type { Vocabulary } from '../live-vocabulary.ts';

/** What the server's own routes take. */
export interface ServerContext {
  readonly publicUrl: string;
  readonly streams: readonly LiveStream[];
  readonly prefixes: Readonly<Record<string, string>>;
  readonly vocabularies: Readonly<Record<string, Vocabulary>>;
  /** Open push connections of a stream. */
  readonly pushConnections: (name: string) => number;
}

// Only a new configuration or release changes these: a minute is soon enough for whoever looks.
const CATALOG_CACHE_CONTROL = 'public, max-age=60';

/** The catalogue, the vocabularies and the health of the server. */
export function serverRoutes(fastify: FastifyInstance, context: ServerContext): void {
  const { publicUrl, streams, prefixes, vocabularies } = context;

  const send = (request: FastifyRequest, reply: FastifyReply, quads: readonly Quad[]) => {
    const format = negotiateFormat(request.headers.accept);
    return reply
      .headers({ 'cache-control': CATALOG_CACHE_CONTROL, vary: 'Accept' })
      .type(formats[format].mediaType)
      .send(writeQuads(quads, format, prefixes));
  };

  fastify.get('/', (request, reply) => {
    // JSON-LD before HTML: only who asks for HTML by name gets it.
    if (preferredMediaType(request.headers.accept, [...OFFERED_MEDIA_TYPES, 'text/html']) !== 'text/html') {
      return send(request, reply, catalogQuads(publicUrl, streams));
    }
    return reply
      .headers({ 'cache-control': NO_STORE, vary: 'Accept' })
      .type('text/html; charset=utf-8')
      .send(catalogPage(publicUrl, streams));
  });

  for (const [name, { quads, context: terms }] of Object.entries(vocabularies)) {
    const body = Buffer.from(JSON.stringify({ '@context': terms }));
    fastify.get(`/ns/${name}`, (request, reply) => send(request, reply, quads));
    fastify.get(`/ns/${name}/context.jsonld`, (_request, reply) =>
      reply.header('cache-control', CATALOG_CACHE_CONTROL).type(formats.jsonld.mediaType).send(body),
    );
  }

  fastify.get('/health', (_request, reply) =>
    reply.header('cache-control', NO_STORE).send(healthReport(streams, context.pushConnections)),
  );
}
