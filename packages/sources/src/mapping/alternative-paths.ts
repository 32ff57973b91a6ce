import type { FollowedPath } from './follow-path.ts';
import { RecordProblem } from './record-problem.ts';
import type { Scope } from './scope.ts';

/** A path among alternatives. */
export interface AlternativePath extends FollowedPath {
  /** The list that its first wildcard takes items of, if it has one. */
  readonly list: (scope: Scope) => unknown;
}

/** Separates the alternatives of a path; between quotation marks it is a part of a name. */
const ALTERNATIVES = /"(?:[^"\\]|\\.)*"|\s*(\|)\s*/gu;

/**
 * The alternatives of a path, such as `vehicle_id | bike_id`: one that has none is its only one.
 *
 * @see specs/mappings.md MAP-3
 */
export function splitAlternatives(path: string): readonly string[] {
  const alternatives: string[] = [];
  let from = 0;
  for (const match of path.matchAll(ALTERNATIVES)) {
    if (match[1] === undefined) continue;
    alternatives.push(path.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...alternatives, path.slice(from)];
}

/**
 * Follows the first path that leads to anything, if only to a list without items. One that cannot be followed leads
 * nowhere, unless it is the last: what is a mistake by one form of the data is right by another.
 */
export function firstOf(paths: readonly AlternativePath[]): FollowedPath {
  const last = paths.length - 1;
  const many = paths.some((path) => path.many);
  return {
    many,
    one: (scope) => {
      for (const [index, path] of paths.entries()) {
        const found = index === last ? path.one(scope) : unlessProblem(() => path.one(scope));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    each: (scope, visit) => {
      for (const [index, path] of paths.entries()) {
        const found: Scope[] = [];
        const follow = () => path.each(scope, (at) => found.push(at));
        if (index === last) follow();
        else unlessProblem(follow);
        for (const at of found) visit(at);
        if (found.length > 0 || isEmptyList(unlessProblem(() => path.list(scope)))) return;
      }
    },
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function unlessProblem<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RecordProblem) return undefined;
    throw error;
  }
}
