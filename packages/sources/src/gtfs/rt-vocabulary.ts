import { dct, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { rtClasses } from './rt-classes.ts';
import { conceptEnums, conceptName, schemeName } from './rt-concepts.ts';
import { genericProperties, type RtProperty, type RtRange, rtProperties } from './rt-properties.ts';
import { rdf, rdfs, skos, sosa } from './standard-terms.ts';
import { type WireEnumName, wireEnums } from './wire-enums.ts';

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
 * @param namespace - the IRI that the terms start with, ending in `#`
 * @see specs/gtfs-realtime.md GTFS-22
 */
export function rtVocabulary(namespace: string): Quad[] {
  const term = (name: string) => namedNode(namespace + name);
  const own = [...classTerms(), ...propertyTerms(), positionTerm(), ...enumTerms(term)];
  return [
    // The document itself, which the terms are fragments of.
    quad(namedNode(namespace), rdf.type, namedNode('http://www.w3.org/2002/07/owl#Ontology')),
    quad(namedNode(namespace), namedNode(dct.title), languageLiteral('GTFS-Realtime terms of ldes-live', 'en')),
    quad(namedNode(namespace), rdfs.seeAlso, namedNode(REFERENCE)),
    ...own.flatMap(({ name, type, facts }) => [
      quad(term(name), rdf.type, type),
      ...facts.map(([predicate, object]) => quad(term(name), predicate, object)),
    ]),
  ];
}

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

function positionTerm(): TermDescription {
  return {
    name: 'vehiclePosition',
    type: sosa.Property,
    facts: [
      [rdfs.label, english('vehicle position')],
      [rdfs.comment, english('Where a vehicle is, and how full: what a vehicle position observes.')],
      [rdfs.seeAlso, messageAnchor('VehiclePosition')],
    ],
  };
}

function enumTerms(term: (name: string) => Quad_Object): TermDescription[] {
  return conceptEnums.flatMap((values) => [
    {
      name: schemeName(values),
      type: skos.ConceptScheme,
      facts: [
        [rdfs.label, english(words(values))],
        [rdfs.seeAlso, enumAnchor(values)],
      ],
    },
    ...Object.keys(wireEnums[values]).map((value): TermDescription => {
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

function enumAnchor(values: WireEnumName) {
  // The reference has two enumerations of one name on its page.
  const anchors: Partial<Record<WireEnumName, string>> = {
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
