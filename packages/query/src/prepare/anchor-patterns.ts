import type { AlgebraNode, Expression, Group, Operation, Pattern, Values } from './algebra.ts';
import { correlated, type Occurrences, occurrencesIn, variablesInExpression } from './correlated-variables.ts';
import { nodesOf, variablesOf } from './walk-algebra.ts';

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
export interface Anchored {
  /** Variables that each solution binds, to nodes of the neighbourhood. */
  readonly reach: ReadonlySet<string>;
  /** Whether each solution takes a quad whose subject is the root. */
  readonly isRooted: boolean;
  readonly patterns: readonly AnchoredPattern[];
}

/** A triple pattern whose subject is reached. */
export interface AnchoredPattern extends Pattern {
  /** The variable of its object, where that is reached by it first. */
  readonly leadsTo?: string;
}

/** Why a part does not hang on the root. */
interface Unanchored {
  readonly reason: string;
}

/** What holds for the whole of a query. */
export interface AnchorContext {
  readonly root: string;
  /** Of the whole query; absent in EXISTS, into which values are always handed down. */
  readonly occurrences?: Occurrences;
}

type Names = ReadonlySet<string>;
type Result = Anchored | Unanchored;

/**
 * Anchors a part of a query in the variables `from`, of which the root is one.
 *
 * @param node - of an algebra whose paths are expanded
 */
export function anchorPatterns(node: Operation, from: Names, context: AnchorContext): Result {
  switch (node.type) {
    case 'pattern':
    case 'bgp':
    case 'path':
    case 'join':
      return anchorJoin(node, from, context);
    case 'union': {
      const branches = anchorEach(node.input, from, context);
      if ('reason' in branches) return branches;
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
      const asked = handedDown(
        node,
        variablesInExpression(node.expression),
        new Set(occurrencesIn(node).keys()),
        context,
      );
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
      return anchorHiding(node.input, from, new Set(node.variables.map(({ value }) => value)), context);
    case 'group':
      return anchorGroup(node, from, context);
    default:
      return { reason: `it uses ${refused[node.type] ?? node.type} in its pattern` };
  }
}

function handedDown(
  inside: Operation,
  names: Iterable<string>,
  bound: Names,
  { occurrences }: AnchorContext,
): Unanchored | undefined {
  const name = occurrences && correlated(names, inside, occurrences, bound);
  return name === undefined
    ? undefined
    : {
        reason: `it has OPTIONAL, MINUS or FILTER about ?${name}, which patterns outside of it name, but not all before it bind`,
      };
}

const refused: Readonly<Record<string, string>> = {
  graph: 'GRAPH',
  service: 'SERVICE',
  slice: 'LIMIT or OFFSET',
  orderby: 'ORDER BY',
};

function anchorEach(parts: readonly Operation[], from: Names, context: AnchorContext): Anchored[] | Unanchored {
  const results: Anchored[] = [];
  for (const part of parts) {
    const result = anchorPatterns(part, from, context);
    if ('reason' in result) return result;
    results.push(result);
  }
  return results;
}

/** Takes what is joined in whatever order it can be reached. */
function anchorJoin(node: Operation, from: Names, context: AnchorContext): Result {
  const reach = new Set<string>();
  const patterns: AnchoredPattern[] = [];
  let isRooted = false;
  let waiting = joined(node);
  let failed: Unanchored | undefined;
  for (let before = Number.POSITIVE_INFINITY; waiting.length < before; ) {
    before = waiting.length;
    failed = undefined;
    waiting = waiting.filter((part) => {
      const known = new Set([...from, ...reach]);
      const result = part.type === 'pattern' ? anchorOne(part, known, context) : anchorUnlessPath(part, known, context);
      if ('reason' in result) {
        failed ??= result;
        return true;
      }
      for (const name of result.reach) reach.add(name);
      patterns.push(...result.patterns);
      isRooted ||= result.isRooted;
      return false;
    });
  }
  return failed ?? { reach, isRooted, patterns };
}

function anchorUnlessPath(part: Operation, known: Names, context: AnchorContext): Result {
  if (part.type === 'path') return { reason: 'it has a path that may have any length, or none' };
  return anchorPatterns(part, known, context);
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
    return { reason: `it has a pattern about one thing alone, ${subject.value}, which any solution may take` };
  if (!known.has(subject.value)) return { reason: unreached(subject.value, context.root) };
  const reach = new Set(variablesOf([subject, predicate, object]).filter((name) => known.has(name)));
  const leads = object.termType === 'Variable' && predicate.termType === 'NamedNode';
  if (leads) reach.add(object.value);
  const isRooted = subject.value === context.root;
  const first = leads && !known.has(object.value);
  return { reach, isRooted, patterns: [first ? { ...pattern, leadsTo: object.value } : pattern] };
}

function unreached(name: string, root: string): string {
  const shown = /^(path |[eg]_|var\d)/.test(name) ? 'a node between' : `?${name}`;
  return `the patterns of ${shown} are not reached from ?${root} by patterns that lead from subject to object`;
}

/** A subquery: what it does not tell is its own, even where it has a name that is known outside. */
function anchorHiding(inner: Operation, from: Names, told: Names, context: AnchorContext): Result {
  const { root } = context;
  if (!told.has(root) && uses(inner, root)) return { reason: `it has a subquery whose ?${root} is not that outside` };
  const result = anchorPatterns(inner, common(from, told), context);
  return 'reason' in result
    ? result
    : { ...result, reach: common(result.reach, told), isRooted: result.isRooted && told.has(root) };
}

const exact: Names = new Set(['count', 'sum', 'avg', 'min', 'max']);

function anchorGroup(node: Group, from: Names, context: AnchorContext): Result {
  const inexact = node.aggregates.find(({ aggregator }) => !exact.has(aggregator));
  if (inexact) return { reason: `${inexact.aggregator.toUpperCase()} depends on the order of what it takes` };
  if (node.aggregates.some(asksExistence)) return { reason: 'it aggregates over EXISTS' };
  const keys = new Set(node.variables.map(({ value }) => value));
  const { root } = context;
  if (!keys.has(root) && uses(node.input, root)) {
    return { reason: `it aggregates over several things: ?${root} is not among the variables of GROUP BY` };
  }
  // A key that a member may lack groups it with members that agree with nothing: it is not handed on.
  for (let known = common(from, keys); ; ) {
    const result = anchorPatterns(node.input, known, context);
    if ('reason' in result) return result;
    const certain = common(known, result.reach);
    if (certain.size === known.size) {
      return { ...result, reach: common(result.reach, keys), isRooted: result.isRooted && keys.has(root) };
    }
    known = certain;
  }
}

/** EXISTS is asked for each solution, with what that binds in place of the variables. */
function withExpression(inner: Anchored, expression: Expression, known: Names, context: AnchorContext): Result {
  const patterns = [...inner.patterns];
  for (const node of nodesOf(expression, (part) => !isExistence(part))) {
    if (!isExistence(node)) continue;
    for (const { type } of nodesOf(node.input)) {
      if (type === 'minus' || type === 'project' || type === 'group')
        return { reason: 'it has MINUS or a subquery in EXISTS' };
    }
    const result = anchorPatterns(node.input, known, { root: context.root });
    if ('reason' in result) return result;
    patterns.push(...result.patterns);
  }
  return { ...inner, patterns };
}

function isExistence(node: AlgebraNode): node is Expression & { readonly subType: 'existence' } {
  return node.type === 'expression' && node.subType === 'existence';
}

function asksExistence(expression: Expression): boolean {
  for (const node of nodesOf(expression)) if (isExistence(node)) return true;
  return false;
}

/** Whether a part names a variable. */
function uses(node: Operation, name: string): boolean {
  return occurrencesIn(node).has(name);
}

function boundBy({ variables, bindings }: Values): Names {
  return new Set(
    variables.map(({ value }) => value).filter((name) => bindings.every((row) => row[name] !== undefined)),
  );
}

function common(some: Names, others: Names): Names {
  return new Set([...some].filter((name) => others.has(name)));
}
