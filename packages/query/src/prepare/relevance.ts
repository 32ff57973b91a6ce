/* Which quads can change the answer of a query: where none of them came or went, the engine is not asked again.
 *
 * Each triple pattern, and each predicate of a path, is a shape that quads fit or do not, in the graph that it is asked in:
 *   ?tram a ex:Tram   { "predicate": "rdf:type", "object": "ex:Tram", "graph": "" }
 */

import { xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { type AlgebraNode, nodesOf, type Operation, type PathPattern, type PathSymbol, partsOf } from './algebra.ts';

/** The constants that a quad must have; any term fits what is absent. */
interface QuadShape {
  readonly subject?: Term | undefined;
  readonly predicate?: string | undefined;
  readonly object?: Term | undefined;
  /** IRI of the graph, empty for the default graph; absent for any graph that has a name. */
  readonly graph?: string | undefined;
  /** Where it has no constants: why. */
  readonly reason?: string | undefined;
}

interface RelevantQuads {
  matters(quad: Quad): boolean;
  /** Why every quad can matter, where that is so. */
  readonly reason: string | undefined;
}

/**
 * Finds which quads can change the answer: those that fit a triple pattern or a path anywhere in the query, in the graph that it
 * is asked in. Negated patterns count as well: a quad that fits nowhere leaves the solutions of every part as they were, and so
 * those of the whole.
 *
 * @see specs/query.md
 */
export function relevantQuads(algebra: Operation): RelevantQuads {
  const shapes: QuadShape[] = [];
  collect(algebra, '', shapes);
  /** Shapes without a predicate by `undefined`. */
  const byPredicate = new Map<string | undefined, QuadShape[]>();
  for (const shape of shapes) {
    const known = byPredicate.get(shape.predicate);
    if (known) known.push(shape);
    else byPredicate.set(shape.predicate, [shape]);
  }
  const fitsOne = (predicate: string | undefined, quad: Quad) =>
    byPredicate.get(predicate)?.some((shape) => fitsShape(shape, quad)) ?? false;
  return {
    matters: (quad) => fitsOne(quad.predicate.value, quad) || fitsOne(undefined, quad),
    reason: shapes.find(({ reason }) => reason)?.reason,
  };
}

/** @param graph - as in {@link QuadShape} */
function collect(node: AlgebraNode, graph: string | undefined, shapes: QuadShape[]): void {
  if (node.type === 'pattern') {
    const shape = shapeOf(node, graph);
    const isOpen = !shape.subject && shape.predicate === undefined && !shape.object;
    shapes.push(
      isOpen ? { graph, reason: 'it has a triple pattern without a constant, which every quad matches' } : shape,
    );
  } else if (node.type === 'path') shapes.push(...shapesOfPath(node, graph));
  else if (node.type === 'construct') collect(node.input, graph, shapes);
  else if (node.type === 'graph') {
    const name = node.name.termType === 'NamedNode' ? node.name.value : undefined;
    // A pattern that holds in an empty graph makes it count whether the graph is there at all.
    if (!needsQuads(node.input)) shapes.push({ graph: name, reason: 'it tests whether a graph exists' });
    collect(node.input, name, shapes);
  } else {
    if (node.type === 'describe')
      shapes.push({ graph: '', reason: 'DESCRIBE returns all statements of a resource' }, {});
    for (const part of partsOf(node)) collect(part, graph, shapes);
  }
}

export function shapeOf(
  { subject, predicate, object }: Readonly<Record<'subject' | 'predicate' | 'object', Term>>,
  graph: string | undefined,
): QuadShape {
  const by = predicate.termType === 'NamedNode' ? predicate.value : undefined;
  return { subject: constantOf(subject), predicate: by, object: constantOf(object), graph };
}

function shapesOfPath({ subject, predicate, object }: PathPattern, graph: string | undefined): QuadShape[] {
  const shapes: QuadShape[] = [];
  for (const symbol of nodesOf(predicate)) {
    if (symbol.type === 'link') shapes.push({ predicate: symbol.iri.value, graph });
    else if (symbol.type === 'nps')
      shapes.push({ graph, reason: 'it has a path that excludes predicates, which other quads match' });
  }
  if (canBeEmpty(predicate)) {
    // A path of no length leads from each term of the graph to itself; some engines want even a constant to be there.
    const constants = [constantOf(subject), constantOf(object)].filter((term) => term !== undefined);
    if (constants.length === 0)
      shapes.push({ graph, reason: 'it has a path of length zero, which every term matches' });
    for (const term of constants) shapes.push({ subject: term, graph }, { object: term, graph });
  }
  return shapes;
}

/** Whether a path, or a part of it, may lead from a term to itself without a quad. */
function canBeEmpty(path: PathSymbol): boolean {
  for (const { type } of nodesOf(path)) if (type === 'ZeroOrMorePath' || type === 'ZeroOrOnePath') return true;
  return false;
}

/** Whether a pattern has no solution over an empty graph; false where that is not known. */
function needsQuads(node: Operation): boolean {
  switch (node.type) {
    case 'pattern':
      return true;
    case 'bgp':
      return node.patterns.length > 0;
    case 'path':
      return !canBeEmpty(node.predicate);
    case 'join':
      return node.input.some(needsQuads);
    case 'union':
      return node.input.every(needsQuads);
    case 'leftjoin':
    case 'minus':
      return needsQuads(node.input[0]);
    case 'group':
      return node.variables.length > 0 && needsQuads(node.input);
    case 'filter':
    case 'extend':
    case 'project':
    case 'distinct':
    case 'reduced':
    case 'orderby':
    case 'slice':
      return needsQuads(node.input);
    default:
      return false;
  }
}

export function fitsShape(shape: QuadShape, quad: Quad): boolean {
  if (shape.predicate !== undefined && quad.predicate.value !== shape.predicate) return false;
  const isDefault = quad.graph.termType === 'DefaultGraph';
  if (shape.graph === undefined ? isDefault : shape.graph !== (isDefault ? '' : quad.graph.value)) return false;
  if (shape.subject && !fitsTerm(shape.subject, quad.subject)) return false;
  return !shape.object || fitsTerm(shape.object, quad.object);
}

/** `undefined` for what may be any term, as a triple term, which may hold variables. */
function constantOf(term: Term): Term | undefined {
  return term.termType === 'NamedNode' || term.termType === 'Literal' ? term : undefined;
}

/**
 * Whether a term may match a constant of the query. Engines differ on literals of one value that are written differently, as `1`
 * and `01`: so only strings are told apart.
 */
function fitsTerm(constant: Term, term: Term): boolean {
  if (constant.termType === 'NamedNode') return term.termType === 'NamedNode' && term.value === constant.value;
  if (constant.termType !== 'Literal') return true;
  if (term.termType !== 'Literal') return false;
  if (constant.language) {
    return term.value === constant.value && term.language.toLowerCase() === constant.language.toLowerCase();
  }
  return constant.datatype.value !== xsd.string || (term.value === constant.value && !term.language);
}
