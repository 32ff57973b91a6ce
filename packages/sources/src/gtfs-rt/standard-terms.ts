import { type namedNode as makeNode, namedNode, prefixes } from '@ldes-live/rdf-stream';

type Terms<Name extends string> = Readonly<Record<Name, ReturnType<typeof makeNode>>>;

function terms<const Name extends string>(namespace: string, names: readonly Name[]): Terms<Name> {
  return Object.fromEntries(names.map((name) => [name, namedNode(namespace + name)])) as Terms<Name>;
}

/** @see https://www.w3.org/TR/rdf-schema/ */
export const rdf = terms(prefixes.rdf, ['type', 'Property']);
/** @see https://www.w3.org/TR/rdf-schema/ */
export const rdfs = terms(prefixes.rdfs, ['Class', 'comment', 'label', 'range', 'seeAlso']);
/** @see https://www.w3.org/TR/skos-reference/ */
export const skos = terms(prefixes.skos, ['Concept', 'ConceptScheme', 'inScheme', 'notation', 'prefLabel']);
/** Static timetables. @see http://vocab.gtfs.org/terms */
export const gtfs = terms(prefixes.gtfs, [
  'agency',
  'dropOffType',
  'headsign',
  'pickupType',
  'route',
  'routeType',
  'stop',
  'stopSequence',
  'trip',
]);
/** The types of routes by `route_type`, as far as the static vocabulary has them. */
export const routeTypes = ['LightRail', 'Subway', 'Rail', 'Bus', 'Ferry', 'CableCar', 'Gondola', 'Funicular'].map(
  (name) => namedNode(prefixes.gtfs + name),
);
/** The classes of GTFS-Realtime. @see https://w3id.org/mobility/gtfs-rt/core */
export const grt = terms(prefixes.grt, ['Alert', 'EntitySelector', 'StopTimeUpdate', 'TripUpdate', 'VehiclePosition']);
/** @see https://www.w3.org/TR/vocab-ssn/ */
export const sosa = terms(prefixes.sosa, [
  'Observation',
  'Property',
  'hasFeatureOfInterest',
  'observedProperty',
  'resultTime',
]);
/** @see https://www.w3.org/2003/01/geo/ */
export const wgs = terms(prefixes.wgs, ['lat', 'long']);
/** @see https://www.ogc.org/standard/geosparql/ */
export const geo = terms(prefixes.geo, ['Geometry', 'asWKT', 'hasGeometry', 'wktLiteral']);
/** @see https://schema.org/ */
export const schema = terms(prefixes.schema, ['arrivalTime', 'departureTime']);
/** @see https://www.dublincore.org/specifications/dublin-core/dcmi-terms/ */
export const dct = terms(prefixes.dct, [
  'PeriodOfTime',
  'description',
  'identifier',
  'language',
  'subject',
  'temporal',
  'title',
]);
/** @see https://www.w3.org/TR/vocab-dcat-3/ */
export const dcat = terms(prefixes.dcat, ['endDate', 'startDate']);
/** @see http://xmlns.com/foaf/spec/ */
export const foaf = terms(prefixes.foaf, ['page']);
