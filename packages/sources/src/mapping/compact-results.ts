import { isMapping } from '../convert/argument.ts';
import type { MappingPath } from '../errors.ts';
import type { Compiling } from './compiling.ts';
import type { Conversion } from './schema.ts';

/**
 * Notes compact IRIs that a converter gives where IRIs are meant, and that nobody would expand: they would be published
 * as they are, as IRIs of a scheme that there is not.
 *
 * @see specs/mappings.md MAP-45
 */
export function noteCompactResults(
  conversions: Conversion | readonly Conversion[] | undefined,
  at: MappingPath,
  { iris, mistakes }: Compiling,
): void {
  const last = (Array.isArray(conversions) ? conversions : [conversions]).at(-1) as Conversion | undefined;
  if (!isMapping(last)) return;
  const compact = [...resultsOf(last.enum), last.default].find(
    (result): result is string => typeof result === 'string' && iris.expand(result) !== result,
  );
  if (compact === undefined) return;
  const remedy = last.enum === undefined ? 'write it out' : 'add iri: true to the table, or write it out';
  mistakes.add(at, `"${compact}" is compact, and would be published so: ${remedy}, as ${iris.expand(compact)}`);
}

/** What a table of `enum` gives as it stands. */
function resultsOf(table: unknown): readonly unknown[] {
  if (!isMapping(table) || table.iri === true) return [];
  return [...Object.values(isMapping(table.values) ? table.values : table), table.otherwise];
}
