/*
 * A stream as one process tells another of it, which serves it over the same log and never writes: as JSON.
 *
 *   { "description": { "name": "vehicles", ... }, "breakEvenSeconds": 10, "posts": {},
 *     "shape": { "iri": "...", "quads": "<...> <...> ... .\n" } }
 */
import type { Log } from '@ldes-live/log';
import { parseQuads, writeQuads } from '@ldes-live/rdf-stream';
import type { IngestOptions, LiveStream, Readers } from './options.ts';

/** All of a stream from which its documents follow. Sources and tokens of posts stay where they are. */
export interface SharedStream
  extends Pick<LiveStream, 'description' | 'updates' | 'breakEvenSeconds' | 'sparqlEndpoint'> {
  /** With quads as N-Quads. */
  readonly shape?: { readonly iri: string; readonly quads: string };
  /** Absent where it takes none. */
  readonly posts?: Pick<IngestOptions, 'limits'>;
  /** Absent of a public stream; without tokens where a function judges, which stays where it is. */
  readonly readers?: { readonly tokenHashes: readonly string[] };
}

/** No token has it: who may is judged by another process. */
const NO_TOKEN = '0'.repeat(64);

/** What there is to tell of a stream. */
export function sharedStream(stream: LiveStream): SharedStream {
  const { description, shape, updates, breakEvenSeconds, sparqlEndpoint, ingest, readers } = stream;
  return {
    description,
    ...(shape && { shape: { iri: shape.iri, quads: writeQuads(shape.quads, 'nquads', {}) } }),
    ...(updates && { updates }),
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    ...(sparqlEndpoint !== undefined && { sparqlEndpoint }),
    ...(ingest && { posts: ingest.limits ? { limits: ingest.limits } : {} }),
    ...(readers && { readers: { tokenHashes: 'tokenHashes' in readers ? readers.tokenHashes : [] } }),
  };
}

/** A stream that another process told of, over its log as it is followed here. */
export async function joinedStream({ shape, posts, readers, ...told }: SharedStream, log: Log): Promise<LiveStream> {
  const { description, updates, breakEvenSeconds, sparqlEndpoint } = told;
  return {
    ...{ description, log },
    ...(updates && { updates }),
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    ...(sparqlEndpoint !== undefined && { sparqlEndpoint }),
    ...(shape && { shape: { iri: shape.iri, quads: await parseQuads(shape.quads, 'nquads', shape.iri) } }),
    ...(posts && { ingest: { ...posts, tokenHashes: [NO_TOKEN] } }),
    ...(readers && { readers: joinedReaders(readers) }),
  };
}

// Refused here, a request goes to the process that has the logs, which asks the function.
function joinedReaders({ tokenHashes }: NonNullable<SharedStream['readers']>): Readers {
  return tokenHashes.length > 0 ? { tokenHashes } : { authorize: () => false };
}
