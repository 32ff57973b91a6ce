/*
 * A stream as one process tells another of it, which serves it over the same log and never writes: as JSON.
 *
 *   { "description": { "name": "vehicles", ... }, "breakEvenSeconds": 10, "posts": {},
 *     "shape": { "iri": "...", "quads": "<...> <...> ... .\n" } }
 */
import type { Log } from '@ldes-live/log';
import { parseQuads, writeQuads } from '@ldes-live/rdf-stream';
import type { IngestOptions, LiveStream } from './options.ts';

/** All of a stream from which its documents follow. Sources and tokens stay where they are. */
export interface SharedStream
  extends Pick<LiveStream, 'description' | 'updates' | 'breakEvenSeconds' | 'sparqlEndpoint'> {
  /** With quads as N-Quads. */
  readonly shape?: { readonly iri: string; readonly quads: string };
  /** Absent where it takes none. */
  readonly posts?: Pick<IngestOptions, 'limits'>;
}

/** No token has it: who may post is judged by the process that writes. */
const NO_TOKEN = '0'.repeat(64);

/** What there is to tell of a stream. */
export function sharedStream(stream: LiveStream): SharedStream {
  const { description, shape, updates, breakEvenSeconds, sparqlEndpoint, ingest } = stream;
  return {
    description,
    ...(shape && { shape: { iri: shape.iri, quads: writeQuads(shape.quads, 'nquads', {}) } }),
    ...(updates && { updates }),
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    ...(sparqlEndpoint !== undefined && { sparqlEndpoint }),
    ...(ingest && { posts: ingest.limits ? { limits: ingest.limits } : {} }),
  };
}

/** A stream that another process told of, over its log as it is followed here. */
export async function joinedStream({ shape, posts, ...told }: SharedStream, log: Log): Promise<LiveStream> {
  const { description, updates, breakEvenSeconds, sparqlEndpoint } = told;
  return {
    ...{ description, log },
    ...(updates && { updates }),
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    ...(sparqlEndpoint !== undefined && { sparqlEndpoint }),
    ...(shape && { shape: { iri: shape.iri, quads: await parseQuads(shape.quads, 'nquads', shape.iri) } }),
    ...(posts && { ingest: { ...posts, tokenHashes: [NO_TOKEN] } }),
  };
}
