import {
  closePaths,
  hideProperty,
  leaveAsItIs,
  reduceFully,
  requireValues,
  tellOfBinds,
  tellOfGroups,
} from './actor-mendings.ts';
import { type ComunicaActor, comunicaBuses } from './comunica-buses.ts';

type Mending = readonly [name: string, mend: (actor: ComunicaActor) => boolean];

/** What is wrong in the pinned version of Comunica (5.4.1), by the actor that is at fault. */
const optimizations: readonly Mending[] = [
  // It takes branches of UNION and of | out that no quad fits, and where none is left, takes the whole query for one without
  // solutions, also when they stand in MINUS or EXISTS, or are counted.
  ['prune-empty-source-operations', leaveAsItIs],
  // It moves FILTERs that compare with a constant to the patterns that they are about, and forgets them where there is none,
  // as in a branch of UNION without the variable; a path in GRAPH becomes one of the default graph.
  ['filter-pushdown', leaveAsItIs],
];
const operations: readonly Mending[] = [
  // It tells that there is nothing where nothing is counted, and that its variables have values where they have none.
  ['group', tellOfGroups],
  // It tells that its variable has a value where the expression fails.
  ['extend', tellOfBinds],
  // It takes ?b for the property without asking whether the query has one, and tells those that join of it.
  ['path-nps', hideProperty],
  // They find only the cycles of one step where both ends are the same variable.
  ['path-one-or-more', closePaths],
  ['path-zero-or-more', closePaths],
  ['path-zero-or-one', closePaths],
  // It takes those for equal that differ in language or datatype only.
  ['reduced', reduceFully],
];
// They lose solutions in which a variable of both sides has no value.
const joins: readonly Mending[] = [
  ['optional-hash-undef-blocking', requireValues],
  ['optional-hash-undef-nonblocking', requireValues],
];

/**
 * Mends what is known to give wrong solutions in the pinned version of Comunica, of one engine only.
 *
 * @returns the first actor that is not there to be mended; `undefined` when all is well
 * @see specs/query.md QUERY-27
 */
export function mendActors(engine: object): string | undefined {
  const buses = comunicaBuses(engine);
  return (
    firstMissing(buses.optimizations?.actors, optimizations) ??
    firstMissing(buses.operations?.actors, operations) ??
    firstMissing(buses.joins?.actors, joins)
  );
}

function firstMissing(actors: readonly ComunicaActor[] = [], mendings: readonly Mending[]): string | undefined {
  const missing = mendings.find(([name, mend]) => {
    const actor = actors.find((each) => each.name?.endsWith(`#${name}`));
    return !actor || !mend(actor);
  });
  return missing?.[0];
}
