import { prefixes, xsd } from '@ldes-live/rdf-stream';
import { enums } from './generated/gtfs-realtime.ts';
import { rtClasses } from './rt-classes.ts';
import { conceptEnums, conceptName } from './rt-concepts.ts';
import type { RtRange } from './rt-properties.ts';
import { ownProperties } from './rt-vocabulary.ts';

/** A JSON-LD term definition. */
export type ContextEntry = string | { readonly '@id': string; readonly '@type': string };

const types: Readonly<Record<RtRange, string | undefined>> = {
  // Plain strings and texts of any language: JSON-LD needs no type for them.
  string: undefined,
  text: undefined,
  integer: xsd.integer,
  decimal: xsd.decimal,
  dateTime: xsd.dateTime,
  duration: xsd.duration,
  resource: '@id',
  node: '@id',
  concept: '@vocab',
};

/**
 * A JSON-LD context for the project's own GTFS-Realtime terms: properties with the types of their values,
 * classes and concepts by their local names.
 *
 * @see specs/gtfs-realtime.md GTFS-22
 */
export function rtContext(): Readonly<Record<string, ContextEntry>> {
  const concepts = conceptEnums.flatMap((values) =>
    Object.keys(enums[values]).map((value) => conceptName(values, value)),
  );
  const named = [...Object.keys(rtClasses), ...concepts];
  const properties = [...ownProperties()].map(([name, { range }]): [string, ContextEntry] => {
    const type = types[range];
    return [name, type === undefined ? `rt:${name}` : { '@id': `rt:${name}`, '@type': type }];
  });
  return Object.fromEntries<ContextEntry>([
    ['rt', prefixes.rt],
    ...properties,
    ...named.map((name): [string, ContextEntry] => [name, `rt:${name}`]),
  ]);
}
