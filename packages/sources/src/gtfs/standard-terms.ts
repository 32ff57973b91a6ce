import { namedNode, prefixes, terms } from '@ldes-live/rdf-stream';

function nodes<Name extends string>(iris: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(iris).map(([name, iri]) => [name, namedNode(iri)]);
  return Object.fromEntries(entries) as Readonly<Record<Name, ReturnType<typeof namedNode>>>;
}

/** @see https://www.w3.org/TR/rdf-schema/ */
export const rdf = nodes(terms('rdf', 'type Property'));
/** @see https://www.w3.org/TR/rdf-schema/ */
export const rdfs = nodes(terms('rdfs', 'Class comment isDefinedBy label range seeAlso'));
/** @see https://www.w3.org/TR/owl2-overview/ */
export const owl = {
  Ontology: namedNode('http://www.w3.org/2002/07/owl#Ontology'),
  equivalentClass: namedNode('http://www.w3.org/2002/07/owl#equivalentClass'),
  equivalentProperty: namedNode('http://www.w3.org/2002/07/owl#equivalentProperty'),
  sameAs: namedNode('http://www.w3.org/2002/07/owl#sameAs'),
};
/** @see https://www.w3.org/TR/skos-reference/ */
export const skos = nodes(terms('skos', 'Concept ConceptScheme closeMatch inScheme notation prefLabel'));
/** Static timetables. @see http://vocab.gtfs.org/terms */
export const gtfs = nodes(
  terms('gtfs', 'agency dropOffType headsign pickupType route routeType shape shortName stop stopSequence trip'),
);
/** The types of routes by `route_type`, as far as the static vocabulary has them. */
export const routeTypes = ['LightRail', 'Subway', 'Rail', 'Bus', 'Ferry', 'CableCar', 'Gondola', 'Funicular'].map(
  (name) => namedNode(prefixes.gtfs + name),
);
/** The classes of GTFS-Realtime. @see https://w3id.org/mobility/gtfs-rt/core */
export const grt = nodes(terms('grt', 'Alert EntitySelector StopTimeUpdate TripUpdate'));
/** @see https://www.w3.org/TR/vocab-ssn/ */
export const sosa = nodes(terms('sosa', 'resultTime'));
/** @see https://www.w3.org/2003/01/geo/ */
export const wgs = nodes(terms('wgs', 'lat long'));
/** @see https://www.ogc.org/standard/geosparql/ */
export const geo = nodes(terms('geo', 'Geometry asWKT hasGeometry wktLiteral'));
/** @see https://schema.org/ */
export const schema = nodes(terms('schema', 'Vehicle arrivalTime departureTime'));
/** @see https://www.dublincore.org/specifications/dublin-core/dcmi-terms/ */
export const dct = nodes(terms('dct', 'PeriodOfTime description identifier language subject temporal title'));
/** @see https://www.w3.org/TR/vocab-dcat-3/ */
export const dcat = nodes(terms('dcat', 'endDate startDate'));
/** @see http://xmlns.com/foaf/spec/ */
export const foaf = nodes(terms('foaf', 'page'));
