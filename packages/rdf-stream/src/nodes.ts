import type { Quad, Term } from '@rdfjs/types';
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

/** A term as a key: IRIs as they are, blank nodes by `_:` and their label, the default graph empty. */
export function termKey(term: Term): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

/** The node that a quad's object is, in the quad's graph, if it is to be written there. */
export function nestedAt(nodes: Nodes, quad: Quad): NodeQuads | undefined {
  if (quad.object.termType === 'Literal') return undefined;
  const node = nodes.get(termKey(quad.graph))?.get(termKey(quad.object));
  return node?.reference === quad ? node : undefined;
}

/**
 * Groups quads by graph and subject, and decides which nodes are nested in which.
 *
 * Nested are blank nodes that the document refers to once, where no label is needed, and objects of the
 * `embed` predicates at their first reference. What would close a cycle or nest too deep stands by itself.
 */
export function groupNodes(quads: readonly Quad[], embed: ReadonlySet<string>): Nodes {
  const graphs = new Map<string, Map<string, NodeQuads>>();
  for (const quad of quads) {
    const graph = entry(graphs, termKey(quad.graph), () => new Map<string, NodeQuads>());
    entry(graph, termKey(quad.subject), (): NodeQuads => ({ quads: [], reference: undefined })).quads.push(quad);
  }
  const shared = sharedBlankNodes(quads, graphs);
  for (const quad of quads) {
    const nestable =
      quad.object.termType === 'BlankNode' ? !shared.has(quad.object.value) : embed.has(quad.predicate.value);
    if (!nestable || quad.object.termType === 'Literal') continue;
    const node = graphs.get(termKey(quad.graph))?.get(termKey(quad.object));
    if (node) node.reference ??= quad;
  }
  cutCycles(graphs);
  return graphs;
}

// Labels that more than one place in the document needs.
function sharedBlankNodes(quads: readonly Quad[], graphs: Nodes): Set<string> {
  const referred = new Set<string>();
  const shared = new Set<string>();
  for (const { predicate, object, graph } of quads) {
    if (graph.termType === 'BlankNode') shared.add(graph.value);
    if (object.termType !== 'BlankNode') continue;
    // In JSON-LD `@type` holds IRIs and labels only.
    if (referred.has(object.value) || predicate.value === rdf.type) shared.add(object.value);
    referred.add(object.value);
  }
  const stated = new Set<string>();
  for (const graph of graphs.values()) {
    for (const key of graph.keys()) {
      if (!key.startsWith('_:')) continue;
      if (stated.has(key)) shared.add(key.slice(2));
      stated.add(key);
    }
  }
  return shared;
}

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

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
