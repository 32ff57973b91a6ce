/* Entities of GTFS-Realtime as RDF. The table of fields.ts is compiled once, each line to a closure that writes the quads of
 * its field; a few rules that no line can say are beside it, by the message that they are of.
 *
 *   { vehicle: { id: '12', label: 'Tram 12' }, stop_id: '70232' }
 *     -> <.../entities/vehicles/12> a schema:Vehicle ; dct:identifier "12" ; rdfs:label "Tram 12" ; rt:currentStop <.../#stops/70232> .
 *
 * What is not set, is the empty string, or is not what it should be, is not written. */
import {
  blankNode,
  isLanguageTag,
  isStrictIri,
  languageLiteral,
  literal,
  namedNode,
  prefixes,
  quad,
  rdf,
  terms,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { textOf } from '../convert/converter.ts';
import { parsedUrl } from '../options.ts';
import {
  conceptName,
  entityNodes,
  type FieldTable,
  type Line,
  nodes,
  type Range,
  rangeOf,
  routeTypes,
} from './fields.ts';
import type {
  Alert,
  EntitySelector,
  FeedEntity,
  LocalizedImage,
  Position,
  TranslatedString,
  TripDescriptor,
} from './generated/gtfs-realtime.ts';
import { enums } from './generated/gtfs-realtime.ts';
import type { EntityIris, EntityKind } from './keys.ts';
import { type EnumName, type MessageName, type PlannedField, planOf } from './messages.ts';

/** What an operator may configure of the RDF. */
export interface RdfOptions {
  readonly iris: Pick<EntityIris, 'reference' | 'tripInstance'>;
  /** Licence plates can be personal data. */
  readonly publishLicensePlates: boolean;
}

/** A node, and the quads that what is said of it goes to. */
interface DescribedNode {
  readonly subject: Quad_Subject;
  readonly quads: Quad[];
  readonly options: RdfOptions;
}

type NamedNode = ReturnType<typeof namedNode>;
type Write = (node: DescribedNode, value: unknown) => void;
type Message = Readonly<Record<string, unknown>>;

/** What no line of the table can say of a message. */
interface Rule {
  /** What is written instead of it. */
  readonly prepare?: (said: Message) => object;
  /** Adds what is made from several fields. */
  readonly add?: (node: DescribedNode, said: Message) => void;
}

const rdfType = namedNode(rdf.type);
const geo = terms('geo', 'Geometry asWKT hasGeometry wktLiteral');
const hasGeometry = namedNode(geo.hasGeometry);
const geometryClass = namedNode(geo.Geometry);
const asWkt = namedNode(geo.asWKT);
const subjectOf = namedNode(`${prefixes.dct}subject`);
const gtfsRouteType = namedNode(`${prefixes.gtfs}routeType`);
const tripInstance = namedNode(`${prefixes.rt}tripInstance`);

/**
 * What an entity is of one kind, as RDF. Delays are not carried on to later stops: a reader who wants that has the rule from
 * the specification of GTFS-Realtime.
 *
 * @param iri - the IRI that it is published under
 * @see specs/gtfs-realtime.md GTFS-16
 */
export function entityQuads(iri: string, entity: FeedEntity, kind: EntityKind, options: RdfOptions): Quad[] {
  const node = { subject: namedNode(iri), quads: [], options };
  nodeWriter(entityNodes[kind])(node, entity[kind]);
  return node.quads;
}

const writers = new Map<string, Write>();

/** Writes what a node of the table is said to be, its class included. */
function nodeWriter(name: string): Write {
  let write = writers.get(name);
  if (!write) {
    const table = nodes[name] as (typeof nodes)[string];
    const type = namedNode(table.type);
    const fields = tableWriter(table);
    write = (node, said) => {
      add(node, rdfType, type);
      fields(node, said);
    };
    writers.set(name, write);
  }
  return write;
}

function tableWriter({ message, lines }: FieldTable): Write {
  const { fields } = planOf(message);
  const steps = Object.entries(lines).map(([name, line]) => {
    const field = fields.find((planned) => planned.name === name) as PlannedField;
    const write = lineWriter(line, field);
    const each: Write = (node, values) => {
      for (const value of values as readonly unknown[]) write(node, value);
    };
    return { name, write: field.repeated ? each : write };
  });
  const { prepare, add: addDerived } = rules[message] ?? {};
  return (node, said) => {
    const prepared = (prepare ? prepare(said as Message) : said) as Message;
    for (const { name, write } of steps) {
      const value = prepared[name];
      if (value !== undefined) write(node, value);
    }
    addDerived?.(node, said as Message);
  };
}

function lineWriter(line: Line, field: PlannedField): Write {
  if (line.kind === 'inline') return tableWriter(line);
  const predicate = namedNode(line.property);
  switch (line.kind) {
    case 'node': {
      // A message that is written nowhere else is compiled with the first that has it.
      const write = nodeWriter(line.node);
      return (node, said) => write(addNode(node, predicate), said);
    }
    case 'reference':
      return ({ subject, quads, options }, id) => {
        if (id) quads.push(quad(subject, predicate, namedNode(options.iris.reference(line.to, id as string))));
      };
    case 'link':
      return field.message
        ? (node, texts) => eachText(texts, ({ text }) => addLink(node, predicate, text))
        : (node, text) => addLink(node, predicate, text as string);
    case 'plate':
      return (node, text) => {
        if (node.options.publishLicensePlates) addText(node, predicate, text);
      };
    default:
      return valueWriter(predicate, rangeOf(line, field), field);
  }
}

function valueWriter(predicate: NamedNode, range: Range, { type, of }: PlannedField): Write {
  switch (range) {
    case 'concept':
      return conceptWriter(predicate, of as EnumName);
    case 'text':
      return (node, texts) =>
        eachText(texts, ({ text, language }) => {
          const tag = language === undefined ? undefined : languageTag(language);
          if (text) add(node, predicate, tag === undefined ? literal(text) : languageLiteral(text, tag));
        });
    case 'decimal':
      return (node, number) => {
        const text = decimalText(number as number, type as 'float' | 'double');
        if (text !== undefined) add(node, predicate, literal(text, xsd.decimal));
      };
    case 'dateTime':
      return (node, seconds) => {
        const text = dateTimeText(seconds as number);
        if (text !== undefined) add(node, predicate, literal(text, xsd.dateTime));
      };
    case 'duration':
      return (node, seconds) => add(node, predicate, literal(durationText(seconds as number), xsd.duration));
    case 'string':
      return (node, text) => addText(node, predicate, text);
    default:
      return (node, number) => add(node, predicate, literal(String(number), xsd.integer));
  }
}

function conceptWriter(predicate: NamedNode, values: EnumName): Write {
  const concepts = new Map<unknown, NamedNode>(
    Object.keys(enums[values]).map((value) => [value, namedNode(prefixes.rt + conceptName(values, value))]),
  );
  return (node, value) => add(node, predicate, concepts.get(value) as NamedNode);
}

const rules: Partial<Record<MessageName, Rule>> = {
  TripDescriptor: {
    add: (node, trip) => {
      const instance = instanceOf(node.options, trip);
      if (instance !== undefined) add(node, tripInstance, namedNode(instance));
    },
  },
  // A place lacks both numbers and the geometry if it lacks one.
  Position: {
    prepare: (said) => (isPlace(said) ? said : { ...said, latitude: undefined, longitude: undefined }),
    add: (node, said) => {
      if (!isPlace(said)) return;
      const text = `POINT (${decimalText(said.longitude, 'float')} ${decimalText(said.latitude, 'float')})`;
      node.quads.push(...geometryQuads(node.subject, text));
    },
  },
  Alert: {
    add: (node, { informed_entity }: Alert) => {
      // A set: several selectors may well name one thing.
      const subjects = new Set(informed_entity?.map((selector) => soleSubject(node.options, selector)));
      for (const subject of subjects) if (subject !== undefined) add(node, subjectOf, namedNode(subject));
    },
  },
  EntitySelector: {
    // What the selector itself says wins: twice the same would be one too many, and two routes would hold together.
    prepare: ({ route_type, trip, ...said }: EntitySelector) => ({
      ...said,
      ...(routeTypeNode(route_type) ? {} : { route_type }),
      ...(trip && {
        trip: {
          ...trip,
          ...(said.route_id && { route_id: undefined }),
          ...(said.direction_id !== undefined && { direction_id: undefined }),
        },
      }),
    }),
    add: (node, { route_type }: EntitySelector) => {
      const known = routeTypeNode(route_type);
      if (known) add(node, gtfsRouteType, known);
    },
  },
  LocalizedImage: {
    prepare: ({ language, ...said }: Partial<LocalizedImage>) =>
      language === undefined ? said : { ...said, language: languageTag(language) },
  },
};

const routeTypeNode = (routeType: number | undefined) => (routeType === undefined ? undefined : routeTypes[routeType]);

function isPlace(said: Message): said is Message & Position {
  return Number.isFinite(said.latitude) && Number.isFinite(said.longitude);
}

/** The IRI of the trip on its day; `undefined` where the feed does not say which day. */
function instanceOf({ iris }: RdfOptions, { trip_id, start_date, start_time }: TripDescriptor): string | undefined {
  return trip_id && start_date ? iris.tripInstance(trip_id, start_date, start_time || undefined) : undefined;
}

/** The IRI of what a selector names, if it has one key only and that names a thing. */
function soleSubject(options: RdfOptions, said: EntitySelector): string | undefined {
  const { iris } = options;
  if (Object.values(said).filter((value) => value !== '').length !== 1) return undefined;
  if (said.agency_id) return iris.reference('agency', said.agency_id);
  if (said.route_id) return iris.reference('route', said.route_id);
  if (said.stop_id) return iris.reference('stop', said.stop_id);
  if (!said.trip?.trip_id) return undefined;
  return instanceOf(options, said.trip) ?? iris.reference('trip', said.trip.trip_id);
}

function add({ subject, quads }: DescribedNode, predicate: NamedNode, object: Quad_Object): void {
  quads.push(quad(subject, predicate, object));
}

/** A place or a line as a geometry of what is there. */
export function geometryQuads(subject: Quad_Subject, wkt: string): Quad[] {
  const geometry = blankNode();
  return [
    quad(subject, hasGeometry, geometry),
    quad(geometry, rdfType, geometryClass),
    quad(geometry, asWkt, literal(wkt, geo.wktLiteral)),
  ];
}

function addNode({ subject, quads, options }: DescribedNode, predicate: NamedNode): DescribedNode {
  const inner = blankNode();
  quads.push(quad(subject, predicate, inner));
  return { subject: inner, quads, options };
}

function addText(node: DescribedNode, predicate: NamedNode, text: unknown): void {
  if (text) add(node, predicate, literal(text as string));
}

function addLink(node: DescribedNode, predicate: NamedNode, text: string): void {
  const iri = httpIri(text);
  if (iri !== undefined) add(node, predicate, namedNode(iri));
}

function eachText(texts: unknown, write: (text: { readonly text: string; readonly language?: string }) => void): void {
  for (const translation of (texts as TranslatedString).translation ?? []) write(translation);
}

const SMALLEST_NORMAL_FLOAT = 2 ** -126;

/**
 * Prints a number as an xsd:decimal: the shortest decimal that reads back as the same number, never in exponent notation.
 *
 * @param precision - whether it reads back as the same 32-bit or 64-bit float
 * @returns `undefined` for what no decimal says: infinities and not-a-number
 * @see specs/gtfs-realtime.md GTFS-20
 */
export function decimalText(value: number, precision: 'float' | 'double'): string | undefined {
  return textOf(precision === 'float' ? shortestFloat(value) : value);
}

/** The number of fewest digits that rounds to a 32-bit float. */
function shortestFloat(value: number): number {
  // Six digits survive the way to a normal float and back, so fewer are found by dropping zeros; nine always suffice.
  const least = Math.abs(value) < SMALLEST_NORMAL_FLOAT ? 1 : 6;
  for (let digits = least; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === Math.fround(value)) return candidate;
  }
  return Number(value.toPrecision(9));
}

const YEAR_10000_SECONDS = 253_402_300_800;

/**
 * Whether a number is a POSIX time of this era: not 0 or less, which producers send for "unknown", nor beyond the year 9999,
 * as milliseconds are.
 */
export function isUsableTime(seconds: number): boolean {
  return seconds > 0 && seconds < YEAR_10000_SECONDS;
}

/**
 * A POSIX time as xsd:dateTime in UTC.
 *
 * @param seconds - whole POSIX seconds
 * @returns `undefined` for what {@link isUsableTime} refuses
 * @see specs/gtfs-realtime.md GTFS-19
 */
export function dateTimeText(seconds: number): string | undefined {
  if (!isUsableTime(seconds)) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** A length of time in whole seconds as xsd:duration. */
export function durationText(seconds: number): string {
  return `${seconds < 0 ? '-' : ''}PT${Math.abs(seconds)}S`;
}

/**
 * A language tag as RDF has it.
 *
 * @returns in lower case, as all RDF formats read it back; `undefined` for what is not well-formed by BCP 47
 * @see specs/gtfs-realtime.md GTFS-21
 * @see https://www.rfc-editor.org/rfc/rfc5646#section-2.1
 */
export function languageTag(tag: string): string | undefined {
  return isLanguageTag(tag) ? tag.toLowerCase() : undefined;
}

/** A web address that is an IRI as it stands; `undefined` for anything else. */
export function httpIri(text: string): string | undefined {
  const trimmed = text.trim();
  return /^https?:\/\/./i.test(trimmed) && isStrictIri(trimmed) && parsedUrl(trimmed) ? trimmed : undefined;
}
