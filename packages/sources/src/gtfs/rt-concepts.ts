import { enums } from './generated/gtfs-realtime.ts';
import type { EnumName } from './messages.ts';

/** The enumerations that members are written with, each a concept scheme; a feed's own incrementality is not. */
export const conceptEnums: readonly EnumName[] = (Object.keys(enums) as EnumName[]).filter(
  (values) => values !== 'Incrementality',
);

/** Local name of the concept scheme of an enumeration. */
export function schemeName(values: EnumName): string {
  return `${values}Scheme`;
}

const pascalCase = (value: string) =>
  value.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const names = conceptNames();

/**
 * Local name of the concept of an enumeration's value: the value's name, such as `StoppedAt`. A name that
 * several enumerations have is told apart by the enumeration's, but for the plain ones of a trip's
 * schedule relationship.
 *
 * @see specs/gtfs-realtime.md GTFS-18
 */
export function conceptName(values: EnumName, value: string): string {
  return names.get(values)?.get(value) as string;
}

function conceptNames(): Map<EnumName, Map<string, string>> {
  const entries = Object.entries(enums) as [EnumName, Record<string, number>][];
  const all = entries.flatMap(([, values]) => Object.keys(values));
  const shared = new Set(all.filter((value, index) => all.indexOf(value) !== index));
  const nameOf = (of: EnumName, value: string) =>
    shared.has(value) && of !== 'TripScheduleRelationship' ? prefixOf(of) + pascalCase(value) : pascalCase(value);
  return new Map(
    entries.map(([of, values]) => [of, new Map(Object.keys(values).map((value) => [value, nameOf(of, value)]))]),
  );
}

function prefixOf(values: EnumName): string {
  return values === 'StopTimeScheduleRelationship' ? 'StopTime' : values;
}
