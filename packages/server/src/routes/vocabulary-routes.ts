import { createHash } from 'node:crypto';
import { formats } from '@ldes-live/rdf-stream';
import type { FastifyInstance } from 'fastify';
import { descriptionDocument } from '../documents/description-document.ts';
import type { Representations } from '../documents/representations.ts';
import { IMMUTABLE_CACHE_CONTROL, NO_STORE } from '../http/response-headers.ts';
import { sendDescription } from '../http/send-description.ts';
import type { Vocabulary } from '../options.ts';

/** What the routes of the vocabularies take. */
export interface VocabularyContext {
  readonly publicUrl: string;
  readonly vocabularies: Readonly<Record<string, Vocabulary>>;
  readonly representations: Representations;
}

/**
 * URL of the JSON-LD context of a vocabulary, with a hash of its content: what stands there never changes.
 *
 * @see specs/documents.md DOC-56
 */
export function contextUrl(publicUrl: string, name: string, vocabulary: Vocabulary): string {
  const hash = createHash('sha256').update(contextBytes(vocabulary)).digest('hex').slice(0, HASH_DIGITS);
  return `${publicUrl}ns/${name}/context-${hash}.jsonld`;
}

// More would not make an accident less likely than it is.
const HASH_DIGITS = 16;

/** The vocabularies of the project's own: each as a document, and as a JSON-LD context. */
export function vocabularyRoutes(fastify: FastifyInstance, context: VocabularyContext): void {
  const { publicUrl, representations } = context;
  for (const [name, vocabulary] of Object.entries(context.vocabularies)) {
    const document = descriptionDocument(`${publicUrl}ns/${name}`, () => vocabulary.quads);
    fastify.get(`/ns/${name}`, (request, reply) => sendDescription(request, reply, document, representations));

    const url = contextUrl(publicUrl, name, vocabulary);
    const bytes = contextBytes(vocabulary);
    fastify.get(`/ns/${name}${url.slice(url.lastIndexOf('/'))}`, (_request, reply) =>
      reply.header('cache-control', IMMUTABLE_CACHE_CONTROL).type(formats.jsonld.mediaType).send(bytes),
    );
    fastify.get(`/ns/${name}/context.jsonld`, (_request, reply) =>
      // Another release may have another context.
      reply.header('cache-control', NO_STORE).redirect(url, 307),
    );
  }
}

function contextBytes({ context }: Vocabulary): Buffer {
  return Buffer.from(JSON.stringify({ '@context': context }));
}
