// Quads as nested texts have them, JSON-LD and Turtle: grouped by node, with IRIs shortened by prefixes.
//   <s> <p> _:b . _:b <q> "x" .    -> nodes { '': { 's': { quads: [p] }, '_:b': { quads: [q], reference: p } } }
//   http://purl.org/dc/terms/title -> { text: 'dct:title', prefix: 'dct' }
// What has a `reference` is written there, and nowhere else.
import type { Quad } from '@rdfjs/types';
import { termKey } from './terms.ts';
import { rdf } from './vocabulary.ts';

/** What one graph says of one subject. */
export interface NodeQuads {
  readonly quads: Quad[];
  /** The quad at whose object the node is written; `undefined` when it stands by itself. */
  reference: Quad | undefined;
}

/** The nodes of a document by graph and subject, in order of first appearance. */
export type Nodes = ReadonlyMap<string, ReadonlyMap<string, NodeQuads>>;

// Readers recurse: deeper than this, blank nodes are written by label.
const MAX_DEPTH = 32;

/** The node that a quad's object is, in the quad's graph, if it is to be written there. */
export function nestedAt(nodes: Nodes, quad: Quad): NodeQuads | undefined {
  if (quad.object.termType === 'Literal') return undefined;
  const node = nodes.get(termKey(quad.graph))?.get(termKey(quad.object));
  return node?.reference === quad ? node : undefined;
}

/**
 * Groups quads by node. Nested are blank nodes that the document refers to once, where no label is needed, and objects of
 * the `embed` predicates at their first reference. What would close a cycle or nest too deep stands by itself.
 */
export function groupNodes(quads: readonly Quad[], embed: ReadonlySet<string>): Nodes {
  const graphs = new Map<string, Map<string, NodeQuads>>();
  let last: Quad | undefined;
  let node: NodeQuads | undefined;
  for (const quad of quads) {
    // Nearly always of the node before it.
    if (!node || quad.subject !== last?.subject || quad.graph !== last.graph) {
      const [name, subject] = [termKey(quad.graph), termKey(quad.subject)];
      const graph = graphs.get(name) ?? new Map<string, NodeQuads>();
      graphs.set(name, graph);
      node = graph.get(subject) ?? { quads: [], reference: undefined };
      graph.set(subject, node);
    }
    node.quads.push(quad);
    last = quad;
  }
  const shared = sharedBlankNodes(quads, graphs);
  for (const quad of quads) {
    const { object } = quad;
    if (object.termType === 'Literal') continue;
    const nestable = object.termType === 'BlankNode' ? !shared.has(object.value) : embed.has(quad.predicate.value);
    const nested = nestable && graphs.get(termKey(quad.graph))?.get(termKey(object));
    if (nested) nested.reference ??= quad;
  }
  cutCycles(graphs);
  return graphs;
}

// Labels that more than one place in the document needs.
function sharedBlankNodes(quads: readonly Quad[], graphs: Nodes): Set<string> {
  const [shared, referred, stated] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const note = (places: Set<string>, label: string) => (places.has(label) ? shared : places).add(label);
  for (const { predicate, object, graph } of quads) {
    if (graph.termType === 'BlankNode') shared.add(graph.value);
    // In JSON-LD `@type` holds IRIs and labels only.
    if (object.termType === 'BlankNode') note(predicate.value === rdf.type ? shared : referred, object.value);
  }
  if (graphs.size === 1) return shared;
  for (const graph of graphs.values()) {
    for (const key of graph.keys()) if (key.startsWith('_:')) note(stated, key.slice(2));
  }
  return shared;
}

// Linear: each node is looked at once, whatever leads to it.
function cutCycles(graphs: Nodes): void {
  const depths = new Map<NodeQuads, number>();
  for (const graph of graphs.values()) {
    for (const start of graph.values()) {
      if (!start.reference) continue;
      // Up to the first node whose depth is known, then down again.
      const path = new Set<NodeQuads>();
      let node: NodeQuads | undefined = start;
      while (node && !depths.has(node) && !path.has(node)) {
        path.add(node);
        node = node.reference && graph.get(termKey(node.reference.subject));
      }
      if (node && path.has(node)) node.reference = undefined;
      for (const step of [...path].reverse()) {
        const parent = step.reference && graph.get(termKey(step.reference.subject));
        const depth: number = parent ? (depths.get(parent) ?? 0) + 1 : 0;
        if (depth > MAX_DEPTH) step.reference = undefined;
        depths.set(step, depth > MAX_DEPTH ? 0 : depth);
      }
    }
  }
}

interface ShortIri {
  /** `prefix:local`, or the IRI as it is. */
  readonly text: string;
  /** The prefix in the text, if any. */
  readonly prefix?: string | undefined;
  /** The scheme of the IRI, where the table has a prefix of that name: JSON-LD would take the IRI for a shortened one. */
  readonly scheme?: string | undefined;
}

// What is a prefix in JSON-LD as a plain term, and in Turtle without escapes.
const PREFIX = /^[A-Za-z](?:[\w-]*\w)?$/;
// What is a local name in Turtle without escapes, and cannot begin with the `//` that JSON-LD takes for an absolute IRI.
const LOCAL = /^[A-Za-z0-9_](?:[\w.-]*[\w-])?$/;

// The most IRIs whose short form is remembered, which for a stream are nearly all of its terms, and the newest entities.
const LIMIT_REMEMBERED = 8192;

/** Shortens IRIs by prefixes. */
export class PrefixTable {
  readonly #namespaces = new Map<string, string>();
  readonly #byNamespace = new Map<string, string>();
  readonly #known = new Map<string, ShortIri>();

  /** @param prefixes - namespaces by prefix; those that cannot be written as prefixes are left out */
  constructor(prefixes: Readonly<Record<string, string>>) {
    for (const [prefix, namespace] of Object.entries(prefixes)) {
      if (!PREFIX.test(prefix)) continue;
      this.#namespaces.set(prefix, namespace);
      this.#byNamespace.set(namespace, prefix);
    }
  }

  /** The namespace of a prefix that the table has. */
  namespace(prefix: string): string {
    return this.#namespaces.get(prefix) as string;
  }

  /** Whether a context may declare it: what else the context said of it would be of the prefix too. */
  isNamespace(iri: string): boolean {
    return this.#byNamespace.has(iri);
  }

  /** @param avoided - prefixes that are not to be used */
  shorten(iri: string, avoided?: ReadonlySet<string>): ShortIri {
    if (avoided && avoided.size > 0) return this.#shorten(iri, avoided);
    const known = this.#known.get(iri);
    if (known) return known;
    const short = this.#shorten(iri);
    if (this.#known.size >= LIMIT_REMEMBERED) this.#known.clear();
    this.#known.set(iri, short);
    return short;
  }

  #shorten(iri: string, avoided?: ReadonlySet<string>): ShortIri {
    const scheme = iri.slice(0, iri.indexOf(':'));
    const clash = this.#namespaces.has(scheme) ? scheme : undefined;
    // Only a namespace that ends so is a prefix in JSON-LD, which is also why looking there finds every one of them.
    const end = Math.max(iri.lastIndexOf('/'), iri.lastIndexOf('#'), iri.lastIndexOf(':'), iri.lastIndexOf('?')) + 1;
    const prefix = this.#byNamespace.get(iri.slice(0, end));
    if (prefix === undefined || avoided?.has(prefix) || !LOCAL.test(iri.slice(end)))
      return { text: iri, scheme: clash };
    // That of its namespace, which the context states.
    return { text: `${prefix}:${iri.slice(end)}`, prefix, scheme: clash };
  }
}
