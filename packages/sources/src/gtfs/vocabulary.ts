/* What describes the RDF of GTFS-Realtime, all of it read from the table of fields.ts: the vocabulary of the own terms, their
 * JSON-LD context, the SHACL shapes of members, and the table of specs/gtfs-realtime.md.
 *
 *   current_status: value(own('currentStatus', 'Where the vehicle is ...'))
 *     -> rt:currentStatus a rdf:Property ; rdfs:comment "Where the vehicle is ..."@en ; rdfs:range skos:Concept ; ...
 *     -> "currentStatus": { "@id": "rt:currentStatus", "@type": "@vocab" }
 *     -> [ sh:path rt:currentStatus ; sh:maxCount 1 ; sh:in ( rt:IncomingAt rt:StoppedAt rt:InTransitTo ) ] */
import {
  dct,
  languageLiteral,
  literal,
  live,
  type NodeShape,
  namedNode,
  nodeShapeQuads,
  type PropertyShape,
  prefixes,
  prov,
  quad,
  rdf,
  terms,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { conceptName, entityNodes, type FieldTable, type Line, matches, nodes, type Range, rangeOf } from './fields.ts';
import { enums } from './generated/gtfs-realtime.ts';
import { type EnumName, type MessageName, type PlannedField, planOf } from './messages.ts';

const OWL = 'http://www.w3.org/2002/07/owl#';
const REFERENCE = 'https://gtfs.org/documentation/realtime/reference/';
const rdfs = terms('rdfs', 'Class comment isDefinedBy label range seeAlso');
const skos = terms('skos', 'Concept ConceptScheme closeMatch inScheme notation prefLabel');
const geo = terms('geo', 'Geometry asWKT wktLiteral');
/** What members are, one of. */
const KINDS = Object.values(entityNodes);

/** The enumerations that members are written with, each a concept scheme; a feed's own incrementality is not. */
export const conceptEnums = (Object.keys(enums) as EnumName[]).filter((name) => name !== 'Incrementality');

/** A property, and the values that a field of a message has by it. */
interface WrittenField {
  readonly message: MessageName;
  readonly property: string;
  readonly comment?: string | undefined;
  readonly range: Range;
  readonly values: Omit<PropertyShape, 'path'>;
}

/** Names of the shapes, which are fragments of the document that they are served in. */
type ShapeName = (name: string) => string;

/** What a table writes, field by field; messages that are said of their holder included. */
function writtenFields({ message, lines, derived }: FieldTable, shapeName: ShapeName): WrittenField[] {
  const { fields } = planOf(message);
  const written = Object.entries(lines).flatMap(([name, line]): WrittenField[] => {
    const field = fields.find((planned) => planned.name === name) as PlannedField;
    if (line.kind === 'inline') return writtenFields(line, shapeName);
    const range = rangeOf(line, field);
    // A text and a link have one value for each language.
    const isMany = field.repeated || field.message?.name === 'TranslatedString';
    const values = { ...(isMany ? {} : { maxCount: 1 }), ...valuesOf(line, field, range, shapeName) };
    return [{ ...line, message, range, values }];
  });
  const made = derived.map(({ values, isMany, ...line }): WrittenField => {
    const count = isMany ? {} : { maxCount: 1 };
    const about = { ...line, message };
    if (values === 'resource') return { ...about, range: values, values: { ...count, nodeKindIri: true } };
    if ('in' in values) return { ...about, range: 'resource', values: { ...count, in: values.in } };
    return { ...about, range: 'node', values: { ...count, node: shapeName(values.node) } };
  });
  return [...written, ...made];
}

const datatypes: Partial<Record<Range, readonly string[]>> = {
  string: [xsd.string],
  text: [xsd.string, rdf.langString],
  integer: [xsd.integer],
  decimal: [xsd.decimal],
  dateTime: [xsd.dateTime],
  duration: [xsd.duration],
};

function valuesOf(
  line: Line,
  { type, of }: PlannedField,
  range: Range,
  shapeName: ShapeName,
): Omit<PropertyShape, 'path'> {
  if (line.kind === 'node') return { node: shapeName(line.node) };
  if (range === 'concept') return { in: conceptsOf(of as EnumName).map((name) => prefixes.rt + name) };
  if (range === 'resource') return { nodeKindIri: true };
  return { datatypes: datatypes[range], ...(type === 'uint32' && { minInclusive: 0 }) };
}

const conceptsOf = (values: EnumName) => Object.keys(enums[values]).map((value) => conceptName(values, value));

const ownName = (iri: string) => (iri.startsWith(prefixes.rt) ? iri.slice(prefixes.rt.length) : undefined);

/** The own properties by local name, each as the line that introduces it has it. */
function ownProperties(): ReadonlyMap<string, WrittenField> {
  const properties = new Map<string, WrittenField>();
  for (const field of Object.values(nodes).flatMap((table) => writtenFields(table, String))) {
    const name = ownName(field.property);
    if (name !== undefined && field.comment !== undefined && !properties.has(name)) properties.set(name, field);
  }
  return properties;
}

/** The own classes by local name, with the message that each stands for. */
function ownClasses(): ReadonlyMap<string, MessageName> {
  return new Map(
    Object.values(nodes)
      .map(({ type, message }) => [ownName(type) ?? '', message] as const)
      .filter(([name]) => name),
  );
}

type Facts = readonly (readonly [predicate: string, object: Quad_Object])[];

/**
 * The project's own vocabulary for GTFS-Realtime: a property for each own term that a feed can be written with, a class for
 * each own kind of node, a SKOS concept scheme for each enumeration.
 *
 * The terms are the same at every publisher. Each names the IRI that an earlier release of this publisher wrote in its place,
 * below its own URL, so that what is stored stays readable.
 *
 * @param publicUrl - base URL of the server, ending in `/`
 * @see specs/gtfs-realtime.md GTFS-22
 */
export function rtVocabulary(publicUrl: string): Quad[] {
  const ontology = namedNode(prefixes.rt.slice(0, -1));
  const former = (name: string) => namedNode(`${publicUrl}ns/rt#${name}`);
  const say = (subject: Quad['subject'], facts: Facts) =>
    facts.map(([predicate, object]) => quad(subject, namedNode(predicate), object));
  const described = (name: string, type: string, sameness: string, facts: Facts) =>
    say(term(name), [
      [rdf.type, namedNode(type)],
      [rdfs.isDefinedBy, ontology],
      ...facts,
      ...(matches[name] === undefined ? [] : [[skos.closeMatch, namedNode(matches[name])] as const]),
      [OWL + sameness, former(name)],
    ]);
  return [
    ...say(ontology, [
      [rdf.type, namedNode(`${OWL}Ontology`)],
      [dct.title, english('GTFS-Realtime terms of ldes-live')],
      [rdfs.seeAlso, namedNode(REFERENCE)],
    ]),
    ...[...ownClasses()].flatMap(([name, message]) =>
      described(name, rdfs.Class, 'equivalentClass', [
        [rdfs.label, english(words(name))],
        [rdfs.comment, english(`What the message ${message} of GTFS-Realtime says.`)],
        [rdfs.seeAlso, messageAnchor(message)],
      ]),
    ),
    ...[...ownProperties()].flatMap(([name, { message, range, comment = '' }]) => {
      const rangeIri = range === 'concept' ? skos.Concept : range === 'text' ? undefined : datatypes[range]?.[0];
      return described(name, `${prefixes.rdf}Property`, 'equivalentProperty', [
        [rdfs.label, english(words(name))],
        [rdfs.comment, english(comment)],
        ...(rangeIri === undefined ? [] : [[rdfs.range, namedNode(rangeIri)] as const]),
        [rdfs.seeAlso, messageAnchor(message)],
      ]);
    }),
    ...conceptEnums.flatMap((values) => [
      ...described(`${values}Scheme`, skos.ConceptScheme, 'sameAs', [
        [rdfs.label, english(words(values))],
        [rdfs.seeAlso, enumAnchor(values)],
      ]),
      ...Object.keys(enums[values]).flatMap((value) =>
        described(conceptName(values, value), skos.Concept, 'sameAs', [
          [skos.prefLabel, english(value.toLowerCase().replaceAll('_', ' '))],
          [skos.notation, literal(value)],
          [skos.inScheme, term(`${values}Scheme`)],
          [rdfs.seeAlso, enumAnchor(values)],
        ]),
      ),
    ]),
    ...say(former('tripShortName'), [[`${OWL}equivalentProperty`, namedNode(`${prefixes.gtfs}shortName`)]]),
  ];
}

const term = (name: string) => namedNode(prefixes.rt + name);
const messageAnchor = (message: string) => namedNode(`${REFERENCE}#message-${message.toLowerCase()}`);

function enumAnchor(values: EnumName) {
  // The reference has two enumerations of one name on its page.
  const anchors: Partial<Record<EnumName, string>> = {
    StopTimeScheduleRelationship: 'schedulerelationship',
    TripScheduleRelationship: 'schedulerelationship_1',
  };
  return namedNode(`${REFERENCE}#enum-${anchors[values] ?? values.toLowerCase()}`);
}

const words = (name: string) => name.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
const english = (text: string) => languageLiteral(text, 'en');

/** A JSON-LD term definition. */
export type ContextEntry = string | { readonly '@id': string; readonly '@type': string };

/**
 * A JSON-LD context for the project's own GTFS-Realtime terms: properties with the types of their values, classes and
 * concepts by their local names.
 *
 * @see specs/gtfs-realtime.md GTFS-22
 */
export function rtContext(): Readonly<Record<string, ContextEntry>> {
  const named = [...ownClasses().keys(), ...conceptEnums.flatMap(conceptsOf)];
  const properties = [...ownProperties()].map(([name, { range }]): [string, ContextEntry] => {
    const type = contextType(range);
    return [name, type === undefined ? `rt:${name}` : { '@id': `rt:${name}`, '@type': type }];
  });
  return Object.fromEntries<ContextEntry>([
    ['rt', prefixes.rt],
    ...properties,
    ...named.map((name): [string, ContextEntry] => [name, `rt:${name}`]),
  ]);
}

function contextType(range: Range): string | undefined {
  if (range === 'concept') return '@vocab';
  if (range === 'resource' || range === 'node') return '@id';
  // Plain strings and texts of any language: JSON-LD needs no type for them.
  return range === 'string' || range === 'text' ? undefined : datatypes[range]?.[0];
}

/** A SHACL shape, and the quads that say it. */
export interface RtShape {
  readonly iri: string;
  readonly quads: readonly Quad[];
}

/**
 * The SHACL shape of what entities of GTFS-Realtime are written as: which properties a member has, how often, and what their
 * values are. Closed: a member that says anything else does not have the shape.
 *
 * @param documentUrl - URL of the document that the shape is served in: where its parts stand
 * @param sequencePath - of the log
 * @see specs/gtfs-realtime.md GTFS-16
 * @see specs/documents.md DOC-54
 */
export function rtShape(documentUrl: string, sequencePath: string = live.sequence): RtShape {
  const shapeName: ShapeName = (name) => `${documentUrl}#${name}`;
  // What every member says, whatever it is of.
  const ofMembers = [rdf.type, dct.isVersionOf, prov.generatedAtTime, sequencePath];
  const closed = (name: string, type: string, properties: readonly PropertyShape[]): NodeShape => ({
    iri: shapeName(name),
    properties: [{ path: rdf.type, maxCount: 1, hasValue: [type] }, ...properties],
    ignoredProperties: KINDS.includes(name) ? ofMembers : [rdf.type],
  });
  const point: PropertyShape = {
    path: geo.asWKT,
    minCount: 1,
    maxCount: 1,
    datatypes: [geo.wktLiteral],
    pattern: '^POINT \\(-?[0-9.]+ -?[0-9.]+\\)$',
  };
  const iri = shapeName('GtfsRealtime');
  const shapes: NodeShape[] = [
    { iri, properties: [], or: KINDS.map(shapeName) },
    ...Object.entries(nodes).map(([name, table]) => closed(name, table.type, propertyShapes(table, shapeName))),
    closed('Geometry', geo.Geometry, [point]),
  ];
  return { iri, quads: shapes.flatMap(nodeShapeQuads) };
}

/** One for each property: a selector and its trip have the same. */
function propertyShapes(table: FieldTable, shapeName: ShapeName): PropertyShape[] {
  const shapes = writtenFields(table, shapeName).map(({ property, values }) => ({ path: property, ...values }));
  return [...new Map(shapes.map((shape) => [shape.path, shape])).values()];
}
