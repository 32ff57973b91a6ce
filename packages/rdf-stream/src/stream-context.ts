import type { Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import { as, ldes, tree } from './vocabulary.ts';

/** How to read the members of a stream, as an entry to it says. */
export interface StreamContext {
  /** IRI of the event stream. */
  readonly stream: string;
  /** Property that holds a member's publication time. */
  readonly timestampPath: string;
  /** Property that holds the entity that a member is a version of. */
  readonly versionOfPath: string;
  /** Property that holds a member's sequence number. */
  readonly sequencePath: string;
  /** Property that holds the source's own time; absent when the stream has none. */
  readonly versionTimestampPath?: string;
  /** The type of a member that ends its entity; `as:Delete` unless the stream names another. */
  readonly versionDeleteObject: string;
  /** Seconds between updates, as the publisher expects them. */
  readonly pollingIntervalSeconds?: number;
}

/**
 * Reads the context of a stream from the document that is an entry to it: the root node or the latest state.
 *
 * Properties are looked up on the stream, on the node and on its view description.
 *
 * @param documentUrl - URL of the document, after redirects
 * @throws {@link StreamError} `ERR_VIEW_NOT_FOUND` - the document is the view of no stream
 * @throws {@link StreamError} `ERR_VIEW_AMBIGUOUS` - it is the view of several
 * @throws {@link StreamError} `ERR_STREAM_CONTEXT_INCOMPLETE` - timestampPath, versionOfPath or sequencePath is
 * missing, stated more than once, or not a single predicate
 * @see https://w3id.org/ldes/specification
 */
export function readStreamContext(quads: readonly Quad[], documentUrl: string): StreamContext {
  const stream = streamOf(quads, documentUrl);
  const subjects = new Set([stream, documentUrl]);
  for (const { subject, predicate, object } of quads) {
    if (subject.value === documentUrl && predicate.value === tree.viewDescription) subjects.add(object.value);
  }
  const objects = (property: string): Term[] => {
    const stated = quads.filter(
      ({ subject, predicate }) => predicate.value === property && subjects.has(subject.value),
    );
    return distinct(stated.map(({ object }) => object));
  };
  const iri = (property: string): string | undefined => {
    const [object, ...others] = objects(property);
    return object?.termType === 'NamedNode' && others.length === 0 ? object.value : undefined;
  };
  const required = (property: string): string => {
    const found = iri(property);
    if (found === undefined) throw errors.ERR_STREAM_CONTEXT_INCOMPLETE({ stream, property });
    return found;
  };
  const versionTimestampPath = iri(ldes.versionTimestampPath);
  const seconds = Number(objects(ldes.pollingInterval)[0]?.value);
  return {
    stream,
    timestampPath: required(ldes.timestampPath),
    versionOfPath: required(ldes.versionOfPath),
    sequencePath: required(ldes.sequencePath),
    ...(versionTimestampPath === undefined ? {} : { versionTimestampPath }),
    versionDeleteObject: iri(ldes.versionDeleteObject) ?? as.Delete,
    ...(seconds > 0 && Number.isFinite(seconds) ? { pollingIntervalSeconds: seconds } : {}),
  };
}

function streamOf(quads: readonly Quad[], url: string): string {
  const views = quads.filter(({ predicate, object }) => predicate.value === tree.view && object.value === url);
  const streams = distinct(views.map(({ subject }) => subject)).map(({ value }) => value);
  const [stream] = streams;
  if (stream === undefined) throw errors.ERR_VIEW_NOT_FOUND({ url });
  if (streams.length > 1) throw errors.ERR_VIEW_AMBIGUOUS({ url, streams });
  return stream;
}

// By key, since comparing all with all would let a document of many cost the square of it.
function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [`${term.termType} ${term.value}`, term])).values()];
}
