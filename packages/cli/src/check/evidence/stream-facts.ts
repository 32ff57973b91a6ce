import { ldes, tree } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { CheckedDocument } from './checked-document.ts';
import { distinct } from './tree-node.ts';

/** What the root says of its stream. */
export interface StreamFacts {
  readonly iri: string;
  /** What the stream, the root or the description of the view say by a property. */
  readonly about: (property: string) => readonly Term[];
  /** The single predicate that a property names, where it does. */
  readonly predicate: (property: string) => string | undefined;
  /** Seconds between polls, where they are stated and make sense. */
  readonly pollingIntervalSeconds?: number;
}

/** Reads what the root says of its stream. */
export function streamFacts(root: CheckedDocument, iri: string): StreamFacts {
  const subjects = new Set([iri, root.url]);
  for (const { subject, predicate, object } of root.quads) {
    if (predicate.value === tree.viewDescription && subject.value === root.url) subjects.add(object.value);
  }
  const stated = new Map<string, Quad[]>();
  for (const quad of root.quads) {
    if (!subjects.has(quad.subject.value)) continue;
    // A root may have all its members on it: a copy for each would take for ever.
    const same = stated.get(quad.predicate.value);
    if (same) same.push(quad);
    else stated.set(quad.predicate.value, [quad]);
  }
  const about = (property: string) => distinct((stated.get(property) ?? []).map(({ object }) => object));
  const [polling] = about(ldes.pollingInterval);
  const seconds = /^\d+$/.test(polling?.value ?? '') ? Number(polling?.value) : 0;
  return {
    iri,
    about,
    predicate: (property) => {
      const [object, ...others] = about(property);
      return object?.termType === 'NamedNode' && others.length === 0 ? object.value : undefined;
    },
    ...(seconds > 0 && { pollingIntervalSeconds: seconds }),
  };
}
