import { xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import {
  type AlgebraNode,
  nodesOf,
  type Operation,
  type PathPattern,
  type PathSymbol,
  type Pattern,
  partsOf,
} from './algebra.ts';

/** Which quads can change the answer of a query. */
interface RelevantQuads {
  matters(quad: Quad): boolean;
  /** Why every quad can; absent where quads are told apart. */
  readonly reason?: string;
}

/**
 * Finds which quads can change the answer: those that fit the constants of a triple pattern or of a path anywhere in the
 * query, in the graph that it is asked in. What is negated counts like what is asked: a quad that fits nowhere leaves every
 * part's solutions as they were, so it leaves the whole's.
 *
 * @param algebra - with GRAPH as an operation
 * @see specs/query.md QUERY-14
 */
export function relevantQuads(algebra: Operation): RelevantQuads {
  const shapes: ReasonedShape[] = [];
  collect(algebra, '', shapes);
  const byPredicate = new Map<string, QuadShape[]>();
  const others: QuadShape[] = [];
  for (const shape of shapes) {
    if (shape.predicate === undefined) others.push(shape);
    else byPredicate.set(shape.predicate, [...(byPredicate.get(shape.predicate) ?? []), shape]);
  }
  const reason = shapes.find(({ because }) => because)?.because;
  return {
    matters: (quad) => fitsOne(byPredicate.get(quad.predicate.value), quad) || fitsOne(others, quad),
    ...(reason && { reason }),
  };
}

/** A shape, and why it has no constants where it has none. */
interface ReasonedShape extends QuadShape {
  readonly because?: string;
}

function fitsOne(shapes: readonly QuadShape[] | undefined, quad: Quad): boolean {
  if (shapes) for (const shape of shapes) if (fitsShape(shape, quad)) return true;
  return false;
}

/** @param graph - as in {@link QuadShape} */
function collect(node: AlgebraNode, graph: string | undefined, shapes: ReasonedShape[]): void {
  if (node.type === 'service') return;
  if (node.type === 'pattern') shapes.push(shapeOfPattern(node, graph));
  else if (node.type === 'path') shapes.push(...shapesOfPath(node, graph));
  else if (node.type === 'construct') collect(node.input, graph, shapes);
  else if (node.type === 'graph') {
    const name = node.name.termType === 'NamedNode' ? node.name.value : undefined;
    // A pattern that holds in an empty graph makes it count whether the graph is there at all.
    if (!needsQuads(node.input)) shapes.push(everything(name, 'it asks whether a graph is there'));
    collect(node.input, name, shapes);
  } else {
    if (node.type === 'describe') {
      shapes.push(everything('', 'DESCRIBE tells whatever is said of a thing'), everything(undefined, ''));
    }
    for (const part of partsOf(node)) collect(part, graph, shapes);
  }
}

function everything(graph: string | undefined, because: string): ReasonedShape {
  return { because, ...(graph !== undefined && { graph }) };
}

function shapeOfPattern({ subject, predicate, object }: Pattern, graph: string | undefined): ReasonedShape {
  const shape = shapeOf(
    constantOf(subject),
    predicate.termType === 'NamedNode' ? predicate.value : undefined,
    constantOf(object),
    graph,
  );
  const isOpen = !shape.subject && shape.predicate === undefined && !shape.object;
  return isOpen ? { ...shape, because: 'it has a triple pattern without a constant, which every quad fits' } : shape;
}

function shapeOf(subject?: Term, predicate?: string, object?: Term, graph?: string): QuadShape {
  return {
    ...(subject && { subject }),
    ...(predicate !== undefined && { predicate }),
    ...(object && { object }),
    ...(graph !== undefined && { graph }),
  };
}

function shapesOfPath({ subject, predicate, object }: PathPattern, graph: string | undefined): ReasonedShape[] {
  const shapes: ReasonedShape[] = [];
  for (const symbol of nodesOf(predicate)) {
    if (symbol.type === 'link') shapes.push(shapeOf(undefined, symbol.iri.value, undefined, graph));
    else if (symbol.type === 'nps')
      shapes.push(everything(graph, 'it has a path that excludes predicates, which other quads fit'));
  }
  if (canBeEmpty(predicate)) {
    // A path of no length leads from each term of the graph to itself; some engines want even a constant to be there.
    const constants = [constantOf(subject), constantOf(object)].filter((term) => term !== undefined);
    if (constants.length === 0)
      shapes.push(everything(graph, 'it has a path that may have no length, which every term fits'));
    for (const term of constants) {
      shapes.push(shapeOf(term, undefined, undefined, graph), shapeOf(undefined, undefined, term, graph));
    }
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

/** The constants that a quad must have; what is absent, any term is. */
export interface QuadShape {
  readonly subject?: Term;
  readonly predicate?: string;
  readonly object?: Term;
  /** IRI of the graph, empty for the default graph; absent for any graph that has a name. */
  readonly graph?: string;
}

/** Whether a quad has all the constants of a shape. */
export function fitsShape(shape: QuadShape, quad: Quad): boolean {
  if (shape.predicate !== undefined && quad.predicate.value !== shape.predicate) return false;
  const isDefault = quad.graph.termType === 'DefaultGraph';
  if (shape.graph === undefined ? isDefault : shape.graph !== (isDefault ? '' : quad.graph.value)) return false;
  if (shape.subject && !fitsTerm(shape.subject, quad.subject)) return false;
  return !shape.object || fitsTerm(shape.object, quad.object);
}

/** The term as a shape takes it: `undefined` for what may be any, so for triple terms, which may hold variables. */
export function constantOf(term: Term): Term | undefined {
  return term.termType === 'NamedNode' || term.termType === 'Literal' ? term : undefined;
}

/**
 * Whether an engine may take a term for a constant of the query.
 *
 * Engines differ on literals that are written differently and have one value, `1` and `01`: only strings are told apart.
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
