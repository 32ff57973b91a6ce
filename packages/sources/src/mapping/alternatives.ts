/*
 * The alternatives of a path: `vehicle_id | bike_id` is read as two paths, of which the first is followed that leads to
 * anything.
 */
import { type FollowedPath, isSpent, RecordProblem, type Scope } from './paths.ts';

/** Separates the alternatives of a path; between quotation marks it is a part of a name. */
const ALTERNATIVES = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(\|)/gu;

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
    from = match.index + 1;
  }
  alternatives.push(path.slice(from));
  return alternatives.length === 1 ? alternatives : alternatives.map((alternative) => alternative.trim());
}

/**
 * Follows the first path that leads to anything, if only to a list without items. One that cannot be followed leads
 * nowhere, unless it is the last: what is a mistake by one form of the data is right by another.
 */
export function firstOf(paths: readonly FollowedPath[]): FollowedPath {
  const last = paths.at(-1);
  return {
    many: paths.some((path) => path.many),
    one: (scope) => {
      for (const path of paths) {
        const found = path === last ? path.one(scope) : unlessProblem(scope, () => path.one(scope));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    each: (scope, visit) => {
      for (const path of paths) {
        const found: Scope[] = [];
        const follow = () => path.each(scope, (at) => found.push(at));
        const isEmpty = path === last ? follow() : unlessProblem(scope, follow);
        for (const at of found) visit(at);
        if (found.length > 0 || isEmpty) return isEmpty === true;
      }
      return false;
    },
  };
}

function unlessProblem<Made>({ run }: Scope, make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RecordProblem && !isSpent(run)) return undefined;
    throw error;
  }
}
