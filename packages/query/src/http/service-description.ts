import { formats, namedNode, prefixes, quad, rdf, sd, writeQuads } from '@ldes-live/rdf-stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { CORS_FIELDS } from './event-response.ts';
import { preferred } from './results/formats.ts';

/** What results are written in, as the W3C names it. */
const FORMATS = 'http://www.w3.org/ns/formats/';
const RESULT_FORMATS = [
  ...['SPARQL_Results_JSON', 'SPARQL_Results_XML', 'SPARQL_Results_CSV', 'SPARQL_Results_TSV'],
  ...['Turtle', 'N-Triples', 'N-Quads', 'JSON-LD'],
].map((name) => `${FORMATS}${name}`);

const MEDIA_TYPES = new Map(
  (['turtle', 'jsonld', 'ntriples', 'nquads', 'trig'] as const).map((format) => [formats[format].mediaType, format]),
);

/**
 * Answers a request without a query by what the endpoint can do.
 *
 * @throws {@link StreamError} `ERR_SPARQL_FORMAT` - none of the formats will do
 * @see specs/query.md QUERY-109
 */
export function sendServiceDescription(request: FastifyRequest, reply: FastifyReply, endpoint: string): FastifyReply {
  const offered = [...MEDIA_TYPES.keys()];
  const mediaType = preferred(request.headers.accept, offered);
  const format = MEDIA_TYPES.get(mediaType ?? '');
  if (mediaType === undefined || format === undefined) throw errors.ERR_SPARQL_FORMAT({ offered });
  const service = namedNode(endpoint);
  const quads = [
    [rdf.type, sd.Service] as const,
    [sd.endpoint, endpoint] as const,
    [sd.supportedLanguage, sd.SPARQL11Query] as const,
    ...RESULT_FORMATS.map((iri) => [sd.resultFormat, iri] as const),
  ].map(([predicate, object]) => quad(service, namedNode(predicate), namedNode(object)));
  const fields = { ...CORS_FIELDS, 'cache-control': 'public, max-age=60', vary: 'Accept', 'content-type': mediaType };
  return reply.headers(fields).send(Buffer.from(writeQuads(quads, format, prefixes)));
}
