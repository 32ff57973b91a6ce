/* When can an answer be kept up to date from the changed entities alone? When every solution has a root: a variable that is
 * the subject of one of its patterns, from which all others are reached, subject to object. Then the solutions of a root follow
 * from its neighbourhood, and stay as they were unless a quad of that came or went.
 *
 *   SELECT ?v ?zone { ?v a ex:Tram ; ex:at ?p . ?p ex:zone ?zone }
 *   { "root": "v", "isDistinct": false, "patterns": [ { "subject": "v", "predicate": "rdf:type" },
 *     { "subject": "v", "predicate": "ex:at", "leadsTo": "p" }, { "subject": "p", "predicate": "ex:zone" } ] }
 *
 * findRoot: paths as patterns -> anchor, once for each candidate: join, UNION, OPTIONAL, MINUS, FILTER, subquery, GROUP BY,
 * each with its argument. What is found here is used by evaluate/local-answers.ts.
 */

import type { Quad } from '@rdfjs/types';
import type { EngineQuery } from '../engines/engine.ts';
import {
  type AlgebraNode,
  callsFunction,
  type Expression,
  expandPaths,
  type Group,
  nodesOf,
  type Occurrences,
  type Operation,
  occurrencesIn,
  type Pattern,
  type Values,
  variablesInExpression,
  variablesOf,
} from './algebra.ts';
import type { QueryForm } from './prepared-query.ts';
import { fitsShape, shapeOf } from './relevance.ts';

/**
 * How a query is answered from the changed entities alone: each of its solutions belongs to one subject, its root, and
 * follows from what is said of it and of what its patterns lead to from there.
 */
export interface LocalPlan {
  /** The query with the root among its variables. */
  readonly query: EngineQuery;
  /** Name of the root's variable in it. */
  readonly root: string;
  /** Whether equal solutions of different roots count once. */
  readonly isDistinct: boolean;
  /** Every triple pattern of the query: those of the root, and those of what they lead to. */
  readonly patterns: readonly LocalPattern[];
}

/** A triple pattern of a {@link LocalPlan}. */
interface LocalPattern {
  /** The variable of its subject. */
  readonly subject: string;
  /** IRI of the predicate; absent where it is a variable. */
  readonly predicate?: string | undefined;
  /** The variable of its object, where that is reached by it first and another pattern goes on from it. */
  readonly leadsTo?: string | undefined;
  /** Whether a quad is in the default graph and fits its constants. */
  fits(quad: Quad): boolean;
}

/** Parts of a query that are looked at to find a root: joins within joins could keep a thread busy for hours. */
const LIMIT_STEPS = 100_000;

type RootedPatterns = Pick<LocalPlan, 'root' | 'patterns'>;

/**
 * Finds a variable by which a query can be answered from what changed.
 *
 * Each solution binds the root and takes a quad of which it is the subject; every other quad that it takes, or that decides
 * about it, is found from there by patterns from subject to object ({@link Anchored}). So the solutions of a root
 * follow from its neighbourhood, and are as they were unless a quad of the neighbourhood came or went. The roots to ask
 * again are found over the data after the change, by going back from the subject of each such quad: where a quad on
 * the way back is gone, that quad has changed itself, and the root is found from it.
 *
 * @param named - the variables that the query's text names; others cannot be selected
 * @see specs/query.md QUERY-16
 */
export function findRoot(form: QueryForm, named: ReadonlySet<string>): RootedPatterns | { readonly reason: string } {
  const refusal = refusalOf(form);
  if (refusal) return { reason: refusal };
  const pattern = expandPaths(form.pattern);
  const occurrences = occurrencesIn(pattern);
  let best: RootedPatterns | undefined;
  let bestScore = 0;
  let reason: string | undefined;
  const budget = { steps: LIMIT_STEPS };
  for (const root of candidates(pattern, named)) {
    const result = anchorPatterns(pattern, new Set([root]), { root, occurrences, budget });
    if (budget.steps < 0) break;
    if ('reason' in result || !result.isRooted || !result.reach.has(root)) {
      reason ??= 'reason' in result ? result.reason : `not every solution has a pattern with ?${root} as its subject`;
      continue;
    }
    const own = result.patterns.filter(({ subject }) => subject === root).length;
    const score = own + (form.variables.includes(root) ? result.patterns.length : 0);
    if (score <= bestScore) continue;
    bestScore = score;
    best = { root, patterns: withoutEnds(result.patterns) };
  }
  if (best) return best;
  if (budget.steps < 0) return { reason: 'it has too many patterns to search for a root' };
  return { reason: reason ?? 'no variable is the subject of a triple pattern' };
}

function refusalOf(form: QueryForm): string | undefined {
  if (form.form === 'ask') return 'ASK has one answer over all entities';
  if (form.form === 'describe') return 'DESCRIBE leaves its content to the engine';
  if (form.isOrdered) return 'ORDER BY, LIMIT or OFFSET select among the solutions of all entities';
  if (callsFunction(form.pattern, 'bnode')) return 'BNODE makes other nodes each time';
  return undefined;
}

/** Variables that are subjects, those with most patterns first. */
function candidates(pattern: Operation, named: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const node of nodesOf(pattern)) {
    // A path of any length cannot be answered so, but the reason has to name it.
    if (node.type !== 'pattern' && node.type !== 'path') continue;
    if (node.subject.termType !== 'Variable' || !named.has(node.subject.value)) continue;
    counts.set(node.subject.value, (counts.get(node.subject.value) ?? 0) + 1);
  }
  return [...counts].sort(([, some], [, others]) => others - some).map(([name]) => name);
}

/** Nothing goes on from a variable that is the subject of no pattern. */
function withoutEnds(patterns: readonly LocalPattern[]): LocalPattern[] {
  const subjects = new Set<string | undefined>(patterns.map(({ subject }) => subject));
  return patterns.map(({ leadsTo, ...rest }) => ({ ...rest, leadsTo: subjects.has(leadsTo) ? leadsTo : undefined }));
}

/**
 * How a part of a query hangs on a root.
 *
 * For given values of the variables `from`, all in the root's neighbourhood, the solutions that agree with them are the same
 * over any data between that neighbourhood and the whole. Shown by the parts: a triple pattern binds its variables, so its
 * subject is one of the neighbourhood's nodes, whose quads the neighbourhood has; what is joined is found from the solutions
 * of what comes before; what is optional or subtracted depends, for each solution of the left side, on those of the right
 * side that agree with what the left side certainly binds, which is why only that is handed on to it; a group whose keys
 * are handed on has all its members among the solutions that agree with them.
 */
interface Anchored {
  /** Variables that each solution binds, to nodes of the neighbourhood. */
  readonly reach: ReadonlySet<string>;
  /** Whether each solution takes a quad whose subject is the root. */
  readonly isRooted: boolean;
  readonly patterns: readonly LocalPattern[];
}

/** Why a part does not hang on the root. */
interface Unanchored {
  readonly reason: string;
}

interface AnchorContext {
  readonly root: string;
  /** Of the whole query; absent in EXISTS, into which values are always handed down. */
  readonly occurrences?: Occurrences;
  /** What is left of {@link LIMIT_STEPS}. */
  readonly budget: { steps: number };
}

type Names = ReadonlySet<string>;
type Result = Anchored | Unanchored;

/** Anchors a part of a query, whose paths are expanded, in the variables `from`, of which the root is one. */
function anchorPatterns(node: Operation, from: Names, context: AnchorContext): Result {
  context.budget.steps -= 1;
  if (context.budget.steps < 0) return { reason: 'it is too large' };
  switch (node.type) {
    case 'path':
      return { reason: 'it has a path of any length, or of length zero' };
    case 'pattern':
      return anchorOne(node, from, context);
    case 'bgp':
    case 'join':
      return anchorJoin(node, from, context);
    case 'union': {
      const branches: Anchored[] = [];
      for (const branch of node.input) {
        const result = anchorPatterns(branch, from, context);
        if ('reason' in result) return result;
        branches.push(result);
      }
      return {
        reach: branches.map(({ reach }) => reach).reduce(common),
        isRooted: branches.every(({ isRooted }) => isRooted),
        patterns: branches.flatMap(({ patterns }) => patterns),
      };
    }
    case 'leftjoin':
    case 'minus': {
      const left = anchorPatterns(node.input[0], from, context);
      if ('reason' in left) return left;
      const right = anchorPatterns(node.input[1], left.reach, context);
      if ('reason' in right) return right;
      const problem = handedDown(node, occurrencesIn(node.input[1]).keys(), left.reach, context);
      if (problem) return problem;
      const whole = { ...left, patterns: [...left.patterns, ...right.patterns] };
      if (node.type === 'minus' || !node.expression) return whole;
      const known = new Set([...left.reach, ...right.reach]);
      const named = new Set(occurrencesIn(node).keys());
      const asked = handedDown(node, variablesInExpression(node.expression), named, context);
      return asked ?? withExpression(whole, node.expression, known, context);
    }
    case 'filter':
    case 'extend': {
      const inner = anchorPatterns(node.input, from, context);
      if ('reason' in inner) return inner;
      const named = new Set(occurrencesIn(node.input).keys());
      const problem = handedDown(node.input, variablesInExpression(node.expression), named, context);
      return problem ?? withExpression(inner, node.expression, inner.reach, context);
    }
    case 'values':
      return { reach: common(from, boundBy(node)), isRooted: false, patterns: [] };
    case 'distinct':
      return anchorPatterns(node.input, from, context);
    case 'project':
      return anchorSubquery(node.input, from, new Set(node.variables.map(({ value }) => value)), context);
    case 'group':
      return anchorGroup(node, from, context);
    default:
      return { reason: `it uses ${refused[node.type] ?? node.type} in its pattern` };
  }
}

/**
 * Refuses a variable of an optional or subtracted part, or of a filter, that patterns outside the operation name too, but that its
 * left side does not bind. Whether an engine hands such a value down into the operation, which changes what it does, can depend
 * on how much data there is: then the solutions over a part of the data are not those over the whole.
 */
function handedDown(
  inside: Operation,
  names: Iterable<string>,
  bound: Names,
  { occurrences }: AnchorContext,
): Unanchored | undefined {
  const own = occurrencesIn(inside);
  for (const name of names) {
    if (!occurrences || bound.has(name) || (occurrences.get(name) ?? 0) <= (own.get(name) ?? 0)) continue;
    const what = `it has OPTIONAL, MINUS or FILTER about ?${name}`;
    return { reason: `${what}, which outer patterns use, but not all before it bind` };
  }
  return undefined;
}

const refused: Readonly<Record<string, string>> = {
  graph: 'GRAPH',
  service: 'SERVICE',
  slice: 'LIMIT or OFFSET',
  orderby: 'ORDER BY',
};

/** Takes the parts of a join in any order in which they can be reached. */
function anchorJoin(node: Operation, from: Names, context: AnchorContext): Result {
  const known = new Set(from);
  const reach = new Set<string>();
  const patterns: LocalPattern[] = [];
  let isRooted = false;
  let waiting = joined(node);
  let failed: Unanchored | undefined;
  for (let before = Number.POSITIVE_INFINITY; waiting.length < before; ) {
    before = waiting.length;
    failed = undefined;
    waiting = waiting.filter((part) => {
      const result = anchorPatterns(part, known, context);
      if ('reason' in result) {
        failed ??= result;
        return true;
      }
      for (const name of result.reach) {
        reach.add(name);
        known.add(name);
      }
      patterns.push(...result.patterns);
      isRooted ||= result.isRooted;
      return false;
    });
  }
  return failed ?? { reach, isRooted, patterns };
}

/** Joins within joins are one, and so are their patterns. */
function joined(node: Operation): Operation[] {
  if (node.type === 'join') return node.input.flatMap(joined);
  if (node.type === 'bgp') return [...node.patterns];
  return [node];
}

function anchorOne(pattern: Pattern, known: Names, context: AnchorContext): Result {
  const { subject, predicate, object } = pattern;
  if ([subject, object].some(({ termType }) => termType === 'Quad'))
    return { reason: 'it has a pattern with a triple term' };
  if (subject.termType !== 'Variable')
    return { reason: `it has a pattern about one fixed thing, ${subject.value}, which any solution may match` };
  if (!known.has(subject.value)) return { reason: unreached(subject.value, context.root) };
  const reach = new Set(variablesOf([subject, predicate, object]).filter((name) => known.has(name)));
  const leads = object.termType === 'Variable' && predicate.termType === 'NamedNode';
  if (leads) reach.add(object.value);
  const isRooted = subject.value === context.root;
  const leadsTo = leads && !known.has(object.value) ? object.value : undefined;
  const shape = shapeOf(pattern, '');
  const fits = (quad: Quad) => fitsShape(shape, quad);
  return { reach, isRooted, patterns: [{ subject: subject.value, predicate: shape.predicate, leadsTo, fits }] };
}

function unreached(name: string, root: string): string {
  const shown = /^(path |[eg]_|var\d)/.test(name) ? 'a node between' : `?${name}`;
  return `the patterns of ${shown} are not reached from ?${root} by patterns from subject to object`;
}

/** A variable that a subquery does not select is its own, even where it has a name that is known outside. */
function anchorSubquery(inner: Operation, from: Names, selected: Names, context: AnchorContext): Result {
  const { root } = context;
  if (!selected.has(root) && occurrencesIn(inner).has(root))
    return { reason: `it has a subquery whose ?${root} is not that outside` };
  const result = anchorPatterns(inner, common(from, selected), context);
  return 'reason' in result ? result : { ...result, reach: common(result.reach, selected) };
}

const exact: Names = new Set(['count', 'sum', 'avg', 'min', 'max']);

function anchorGroup(node: Group, from: Names, context: AnchorContext): Result {
  const inexact = node.aggregates.find(({ aggregator }) => !exact.has(aggregator));
  if (inexact) return { reason: `${inexact.aggregator.toUpperCase()} depends on the order of its input` };
  if (node.aggregates.some((aggregate) => [...nodesOf(aggregate)].some(isExistence)))
    return { reason: 'it aggregates over EXISTS' };
  const keys = new Set(node.variables.map(({ value }) => value));
  const { root } = context;
  if (!keys.has(root) && occurrencesIn(node.input).has(root)) {
    return { reason: `it aggregates over several entities: ?${root} is not among the variables of GROUP BY` };
  }
  // A key that a member may lack groups it with members that agree with nothing: it is not handed on.
  for (let known = common(from, keys); ; ) {
    const result = anchorPatterns(node.input, known, context);
    if ('reason' in result) return result;
    const certain = common(known, result.reach);
    if (certain.size === known.size) return { ...result, reach: common(result.reach, keys) };
    known = certain;
  }
}

/** EXISTS is asked for each solution, with its values in place of the variables. */
function withExpression(inner: Anchored, expression: Expression, known: Names, context: AnchorContext): Result {
  const patterns = [...inner.patterns];
  for (const node of nodesOf(expression, (part) => !isExistence(part))) {
    if (!isExistence(node)) continue;
    for (const { type } of nodesOf(node.input)) {
      if (type === 'minus' || type === 'project' || type === 'group')
        return { reason: 'it has MINUS or a subquery in EXISTS' };
    }
    const result = anchorPatterns(node.input, known, { root: context.root, budget: context.budget });
    if ('reason' in result) return result;
    patterns.push(...result.patterns);
  }
  return { ...inner, patterns };
}

function isExistence(node: AlgebraNode): node is Expression & { readonly subType: 'existence' } {
  return node.type === 'expression' && node.subType === 'existence';
}

function boundBy({ variables, bindings }: Values): Names {
  return new Set(
    variables.map(({ value }) => value).filter((name) => bindings.every((row) => row[name] !== undefined)),
  );
}

function common(some: Names, others: Names): Names {
  return new Set([...some].filter((name) => others.has(name)));
}
