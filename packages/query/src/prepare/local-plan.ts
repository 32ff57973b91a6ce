import type { Quad } from '@rdfjs/types';
import type { LocalPattern } from '../prepared-query.ts';
import type { Operation, Pattern } from './algebra.ts';
import { type Anchored, type AnchoredPattern, anchorPatterns } from './anchor-patterns.ts';
import { occurrencesIn } from './correlated-variables.ts';
import { expandPaths } from './expand-path.ts';
import { constantOf, fitsShape, type QuadShape } from './quad-shape.ts';
import type { QueryForm } from './query-form.ts';
import { makesBlankNodes } from './query-functions.ts';
import { nodesOf } from './walk-algebra.ts';

/** How the solutions of a query belong to roots. */
export interface RootedPatterns {
  readonly root: string;
  readonly patterns: readonly LocalPattern[];
}

/**
 * Finds a variable by which a query can be answered from what changed.
 *
 * Each solution binds the root and takes a quad of which it is the subject; every other quad that it takes, or that decides
 * about it, is found from there by patterns that lead from subject to object ({@link Anchored}). So the solutions of a root
 * follow from its neighbourhood, and are as they were unless a quad of the neighbourhood came or went. The roots to ask
 * again are found over the data after the change, by going back from the subject of each such quad: where a quad on
 * the way back is gone, that quad has changed itself, and the root is found from it.
 *
 * @param named - the variables that the query's text names; others cannot be told
 * @see specs/query.md QUERY-16
 */
export function findRoot(form: QueryForm, named: ReadonlySet<string>): RootedPatterns | { readonly reason: string } {
  const refusal = refusalOf(form);
  if (refusal) return { reason: refusal };
  const pattern = expandPaths(form.pattern);
  const occurrences = occurrencesIn(pattern);
  let best: (RootedPatterns & { readonly score: number }) | undefined;
  let reason: string | undefined;
  for (const root of candidates(pattern, named)) {
    const result = anchorPatterns(pattern, new Set([root]), { root, occurrences });
    const problem = 'reason' in result ? result.reason : unrooted(result, root);
    if ('reason' in result || problem) {
      reason ??= problem;
      continue;
    }
    const own = result.patterns.filter(({ subject }) => subject.value === root).length;
    const score = own + (form.variables.includes(root) ? result.patterns.length : 0);
    if (!best || score > best.score) best = { root, patterns: localPatterns(result.patterns), score };
  }
  if (best) return { root: best.root, patterns: best.patterns };
  return { reason: reason ?? 'no variable is the subject of a triple pattern' };
}

function refusalOf(form: QueryForm): string | undefined {
  if (form.form === 'ask') return 'ASK has one answer over all entities';
  if (form.form === 'describe') return 'DESCRIBE leaves to the engine what it tells';
  if (form.isOrdered) return 'ORDER BY, LIMIT or OFFSET choose among the solutions of all entities';
  if (makesBlankNodes(form.pattern)) return 'BNODE makes other nodes each time';
  return undefined;
}

function unrooted({ reach, isRooted }: Anchored, root: string): string | undefined {
  return isRooted && reach.has(root) ? undefined : `not every solution has a pattern with ?${root} as its subject`;
}

/** Variables that are subjects, those with most patterns first. */
function candidates(pattern: Operation, named: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const node of nodesOf(pattern)) {
    // A path that stays one cannot be answered so, but is what the reason is to be about.
    if (node.type !== 'pattern' && node.type !== 'path') continue;
    if (node.subject.termType !== 'Variable' || !named.has(node.subject.value)) continue;
    counts.set(node.subject.value, (counts.get(node.subject.value) ?? 0) + 1);
  }
  return [...counts].sort(([, some], [, others]) => others - some).map(([name]) => name);
}

function localPatterns(patterns: readonly AnchoredPattern[]): LocalPattern[] {
  const subjects = new Set(patterns.map(({ subject }) => subject.value));
  return patterns.map((pattern) => {
    const shape = shapeOf(pattern);
    const { leadsTo } = pattern;
    return {
      subject: pattern.subject.value,
      ...(shape.predicate !== undefined && { predicate: shape.predicate }),
      ...(leadsTo !== undefined && subjects.has(leadsTo) && { leadsTo }),
      fits: (quad: Quad) => fitsShape(shape, quad),
    };
  });
}

function shapeOf({ predicate, object }: Pattern): QuadShape {
  const constant = constantOf(object);
  return {
    graph: '',
    ...(predicate.termType === 'NamedNode' && { predicate: predicate.value }),
    ...(constant && { object: constant }),
  };
}
