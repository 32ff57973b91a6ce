import type { MappedProperty, MappedValue, Mapping } from '../mapping/schema.ts';

// Pieces that several presets share: prefixes, and properties that are written alike wherever they come from.

/** Prefixes of the vocabularies that presets write besides the usual ones. */
export const presetPrefixes = {
  datex: 'http://vocab.datex.org/terms#',
  gbfs: 'https://w3id.org/gbfs#',
  mv: 'http://schema.mobivoc.org/#',
  qudt: 'http://qudt.org/schema/qudt/',
  sdm: 'https://smartdatamodels.org/dataModel.Parking/',
  unit: 'http://qudt.org/vocab/unit/',
} as const satisfies Mapping['prefixes'];

/** How many vehicles a car park holds. */
export function totalSpaces(path: string): MappedProperty {
  return {
    predicate: 'mv:capacity',
    node: { type: 'mv:Capacity', properties: [{ predicate: 'mv:maximumValue', path, convert: 'integer' }] },
  };
}

/** How many spaces are free now and, where it is told, out of how many. */
export function freeSpaces(path: string, maximum?: string): MappedProperty {
  const properties: MappedProperty[] = [{ predicate: 'mv:currentValue', path, convert: 'integer' }];
  if (maximum !== undefined) properties.push({ predicate: 'mv:maximumValue', path: maximum, convert: 'integer' });
  return { predicate: 'mv:capacity', node: { type: 'mv:RealTimeCapacity', properties } };
}

/** How many spaces are taken: as it is told, never worked out. */
export function takenSpaces(path: string): MappedProperty {
  return { predicate: 'datex:parkingNumberOfOccupiedSpaces', path, convert: 'integer' };
}

/** A status of MobiVoc by the words of the source; what is not among them is `otherwise`, or nothing. */
export function status(path: string, table: Readonly<Record<string, string>>, otherwise = 'absent'): MappedProperty {
  return {
    predicate: 'mv:civicStructureStatus',
    path,
    convert: { enum: { values: table, otherwise, iri: true } },
    iri: true,
  };
}

/** A point by the paths of its longitude and latitude. `subject` as in {@link geometryOf}. */
export function pointOf(longitude: string, latitude: string, subject?: string): MappedProperty {
  return hasGeometry({ paths: [longitude, latitude], convert: 'point' }, subject);
}

/**
 * A geometry of GeoJSON.
 *
 * @param subject - template of the IRI of the geometry, for things that many members say the same of: blank nodes would
 *   be as many geometries in one page
 */
export function geometryOf(path: string, subject?: string): MappedProperty {
  return hasGeometry({ path, convert: 'geometry' }, subject);
}

function hasGeometry(value: MappedValue, subject: string | undefined): MappedProperty {
  const properties: MappedProperty[] = [{ predicate: 'geo:asWKT', ...value }];
  const node = { ...(subject === undefined ? {} : { subject }), type: 'geo:Geometry', properties };
  return { predicate: 'geo:hasGeometry', node };
}

/** A page about it: text of the type of URIs, since what people type in is not always one. */
export function pageOf(path: string): MappedProperty {
  return { predicate: 'schema:url', path, datatype: 'xsd:anyURI' };
}
