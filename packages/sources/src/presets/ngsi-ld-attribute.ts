import type { MappedProperty } from '../mapping/schema.ts';
import { geometryOf } from './preset-terms.ts';

// Attributes of NGSI-LD, which are values alone (key-values) or are described (normalised).

/** The value of an attribute, whether it stands alone (key-values) or is described (normalised), or is a typed one. */
export function attribute(name: string): string {
  return `${name}.value["@value"] | ${name}["@value"]`;
}

/** The same of an attribute with a list of values. */
function attributeItems(name: string): string {
  return `${name}.value[*] | ${name}[*]`;
}

/** What neither MobiVoc nor schema.org has a term for is said by the one of the data model itself. */
export const own = (name: string, convert?: string): MappedProperty => ({
  predicate: `sdm:${name}`,
  path: attribute(name),
  ...(convert === undefined ? {} : { convert }),
});
/** The same of an attribute with a list of values. */
export const ownEach = (name: string): MappedProperty => ({ predicate: `sdm:${name}`, path: attributeItems(name) });

/** Names of entities without what NGSI-LD puts before them, so that both spellings are one entity. */
export function shortId(path: string, ...types: string[]): { path: string; convert: Record<string, unknown>[] } {
  return { path, convert: types.flatMap((type) => [{ split: `urn:ngsi-ld:${type}:` }, { item: -1 }]) };
}

/** The place of an entity. */
export const ngsiLdPlace = geometryOf('location.value | location');

/** What describes an attribute, and not the entity. */
export const ofAttributes = [
  'type',
  '["@context"]',
  '[*].type',
  '[*].observedAt',
  '[*].unitCode',
  '[*].datasetId',
  '[*].createdAt',
  '[*].modifiedAt',
  '[*].value["@type"]',
];
