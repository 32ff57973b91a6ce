import type { Quad } from '@rdfjs/types';

/** Shortens IRIs by prefixes, and remembers which prefixes it used. */
export interface IriCompactor {
  /** `prefix:local`, or `undefined` when no prefix fits. */
  compact(iri: string): string | undefined;
  /** The prefixes used so far with their namespaces, by name. */
  used(): [prefix: string, namespace: string][];
}

// What is a prefix in JSON-LD as a plain term, and in Turtle without escapes.
const PREFIX = /^[A-Za-z](?:[\w-]*\w)?$/;
// What is a local name in Turtle without escapes, and cannot begin with the `//` that JSON-LD takes for an absolute IRI.
const LOCAL = /^[A-Za-z0-9_](?:[\w.-]*[\w-])?$/;
// Only a namespace that ends so is a prefix in JSON-LD, which is also why looking there finds every one of them.
const NAMESPACE = /^.*[/#:?]/s;

/**
 * Makes the compactor for a document of these quads.
 *
 * A prefix that is the scheme of an IRI in the document is left out, since a reader would take that IRI for a
 * shortened one.
 *
 * @param prefixes - namespaces by prefix; those that cannot be written as prefixes are left out
 */
export function iriCompactor(quads: readonly Quad[], prefixes: Readonly<Record<string, string>>): IriCompactor {
  const schemes = schemesOf(quads);
  const byNamespace = new Map<string, string>();
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    if (PREFIX.test(prefix) && !schemes.has(prefix)) byNamespace.set(namespace, prefix);
  }
  const used = new Map<string, string>();
  const known = new Map<string, string | null>();
  const shorten = (iri: string) => {
    const namespace = NAMESPACE.exec(iri)?.[0] ?? '';
    const prefix = byNamespace.get(namespace);
    const local = iri.slice(namespace.length);
    if (prefix === undefined || !LOCAL.test(local)) return undefined;
    used.set(prefix, namespace);
    return `${prefix}:${local}`;
  };
  return {
    compact(iri) {
      const remembered = known.get(iri);
      if (remembered !== undefined) return remembered ?? undefined;
      const short = shorten(iri);
      known.set(iri, short ?? null);
      return short;
    },
    used: () => [...used].sort(([left], [right]) => (left < right ? -1 : 1)),
  };
}

function schemesOf(quads: readonly Quad[]): Set<string> {
  const schemes = new Set<string>();
  let last = ':';
  const note = (iri: string) => {
    // Nearly always that of the IRI before it.
    if (iri.startsWith(last)) return;
    last = iri.slice(0, iri.indexOf(':') + 1);
    schemes.add(last.slice(0, -1));
  };
  for (const { subject, predicate, object, graph } of quads) {
    for (const term of [subject, predicate, object, graph]) {
      if (term.termType === 'NamedNode') note(term.value);
      else if (term.termType === 'Literal') note(term.datatype.value);
    }
  }
  return schemes;
}
