import { dct, languageLiteral, literal, namedNode, prefixes, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { enums } from './generated/gtfs-realtime.ts';
import type { EnumName } from './messages.ts';
import { rtClasses } from './rt-classes.ts';
import { conceptEnums, conceptName, schemeName } from './rt-concepts.ts';
import { genericProperties, type RtProperty, type RtRange, rtProperties } from './rt-properties.ts';
import { gtfs, owl, rdf, rdfs, skos } from './standard-terms.ts';

const REFERENCE = 'https://gtfs.org/documentation/realtime/reference/';

/** The vocabulary as a set of descriptions: each of a local name, its class and what is said of it. */
interface TermDescription {
  readonly name: string;
  readonly type: Quad_Object;
  readonly facts: readonly (readonly [ReturnType<typeof namedNode>, Quad_Object])[];
}

/**
 * The project's own vocabulary for GTFS-Realtime: a property for each own term that a feed can be written
 * with, a class for each own kind of node, a SKOS concept scheme for each enumeration.
 *
 * The terms are the same at every publisher. Each names the IRI that an earlier release of this publisher wrote in
 * its place, below its own URL, so that what is stored stays readable.
 *
 * @param publicUrl - base URL of the server, ending in `/`
 * @see specs/gtfs-realtime.md GTFS-22
 */
export function rtVocabulary(publicUrl: string): Quad[] {
  const ontology = namedNode(prefixes.rt.slice(0, -1));
  const former = (name: string) => namedNode(`${publicUrl}ns/rt#${name}`);
  const own = [...classTerms(), ...propertyTerms(), ...enumTerms()];
  return [
    quad(ontology, rdf.type, owl.Ontology),
    quad(ontology, namedNode(dct.title), english('GTFS-Realtime terms of ldes-live')),
    quad(ontology, rdfs.seeAlso, namedNode(REFERENCE)),
    ...own.flatMap(({ name, type, facts }) => [
      quad(term(name), rdf.type, type),
      quad(term(name), rdfs.isDefinedBy, ontology),
      ...facts.map(([predicate, object]) => quad(term(name), predicate, object)),
      ...(matches[name] ? [quad(term(name), skos.closeMatch, namedNode(matches[name]))] : []),
      quad(term(name), sameness.get(type) ?? owl.sameAs, former(name)),
    ]),
    quad(former('tripShortName'), owl.equivalentProperty, gtfs.shortName),
  ];
}

const term = (name: string) => namedNode(prefixes.rt + name);

/** What says that two terms are one, by their class; of individuals it is owl:sameAs. */
const sameness = new Map<Quad_Object, ReturnType<typeof namedNode>>([
  [rdf.Property, owl.equivalentProperty],
  [rdfs.Class, owl.equivalentClass],
]);

const LINKED_CONNECTIONS = 'http://semweb.mmlab.be/ns/linkedconnections#';

/** Terms of other vocabularies that are nearly the same, but of another domain or with other values. */
const matches: Readonly<Record<string, string>> = {
  arrivalDelay: `${LINKED_CONNECTIONS}arrivalDelay`,
  departureDelay: `${LINKED_CONNECTIONS}departureDelay`,
  directionId: `${prefixes.gtfs}direction`,
  wheelchairAccessible: `${prefixes.gtfs}wheelchairAccessible`,
  WheelchairAccessible: `${prefixes.gtfs}WheelchairAccessible`,
  WheelchairInaccessible: `${prefixes.gtfs}NotWheelchairAccessible`,
  wheelchairBoarding: `${prefixes.gtfs}wheelchairAccessible`,
  parentStation: `${prefixes.gtfs}parentStation`,
  zoneId: `${prefixes.gtfs}zone`,
  stopTimezone: `${prefixes.gtfs}timeZone`,
  stopLat: `${prefixes.wgs}lat`,
  stopLon: `${prefixes.wgs}long`,
  Stop: `${prefixes.gtfs}Stop`,
  Shape: `${prefixes.gtfs}Shape`,
  Regular: `${prefixes.gtfs}Regular`,
  None: `${prefixes.gtfs}NotAvailable`,
  PhoneAgency: `${prefixes.gtfs}MustPhone`,
  CoordinateWithDriver: `${prefixes.gtfs}MustCoordinateWithDriver`,
};

/** The properties of the vocabulary, by local name. */
export function ownProperties(): Map<string, RtProperty> {
  return new Map<string, RtProperty>([...Object.entries(rtProperties), ...genericProperties()]);
}

function classTerms(): TermDescription[] {
  return Object.entries(rtClasses).map(([name, message]) => ({
    name,
    type: rdfs.Class,
    facts: [
      [rdfs.label, english(words(name))],
      [rdfs.comment, english(`What the message ${message} of GTFS-Realtime says.`)],
      [rdfs.seeAlso, messageAnchor(message)],
    ],
  }));
}

function propertyTerms(): TermDescription[] {
  return [...ownProperties()].map(([name, { range, field, comment }]) => {
    const rangeIri = ranges[range];
    return {
      name,
      type: rdf.Property,
      facts: [
        [rdfs.label, english(words(name))],
        [rdfs.comment, english(comment)],
        ...(rangeIri ? [[rdfs.range, namedNode(rangeIri)] as const] : []),
        [rdfs.seeAlso, messageAnchor(field.slice(0, field.indexOf('.')))],
      ],
    };
  });
}

function enumTerms(): TermDescription[] {
  return conceptEnums.flatMap((values) => [
    {
      name: schemeName(values),
      type: skos.ConceptScheme,
      facts: [
        [rdfs.label, english(words(values))],
        [rdfs.seeAlso, enumAnchor(values)],
      ],
    },
    ...Object.keys(enums[values]).map((value): TermDescription => {
      const name = conceptName(values, value);
      return {
        name,
        type: skos.Concept,
        facts: [
          [skos.prefLabel, english(value.toLowerCase().replaceAll('_', ' '))],
          [skos.notation, literal(value)],
          [skos.inScheme, term(schemeName(values))],
          [rdfs.seeAlso, enumAnchor(values)],
        ],
      };
    }),
  ]);
}

const ranges: Readonly<Record<RtRange, string | undefined>> = {
  string: xsd.string,
  integer: xsd.integer,
  decimal: xsd.decimal,
  dateTime: xsd.dateTime,
  duration: xsd.duration,
  concept: skos.Concept.value,
  // With a language or without, and resources of classes that are others' to define.
  text: undefined,
  resource: undefined,
  node: undefined,
};

function messageAnchor(message: string) {
  return namedNode(`${REFERENCE}#message-${message.toLowerCase()}`);
}

function enumAnchor(values: EnumName) {
  // The reference has two enumerations of one name on its page.
  const anchors: Partial<Record<EnumName, string>> = {
    StopTimeScheduleRelationship: 'schedulerelationship',
    TripScheduleRelationship: 'schedulerelationship_1',
  };
  return namedNode(`${REFERENCE}#enum-${anchors[values] ?? values.toLowerCase()}`);
}

function words(name: string): string {
  return name.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
}

function english(text: string) {
  return languageLiteral(text, 'en');
}
