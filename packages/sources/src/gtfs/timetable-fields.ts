/* The columns of a static GTFS timetable, and what they are in RDF. One line a column: its name, the kind of its values,
 * and the property that says it. specs/timetable.md has the same table: change both, and raise MAPPING_VERSION.
 *
 * What a row says is its content: values in the one form of their kind, by their columns, texts with their language.
 *
 *   { 'stop_name@fr': 'Gare du Nord', stop_lat: '50.86', stop_lon: '4.36' }
 *     -> <.../entities/stops/7> a gtfs:Stop ; rdfs:label "Gare du Nord"@fr ; wgs:lat 50.86 ; wgs:long 4.36 ; ... */

import { languageLiteral, literal, namedNode, prefixes, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { routeTypes } from './fields.ts';
import type { EntityIris } from './keys.ts';
import { decimalText, geometryQuads, httpIri, languageTag } from './to-rdf.ts';

/** What of a timetable can be published. */
export const TIMETABLE_PARTS = ['routes', 'stops', 'agencies', 'trips', 'shapes'] as const;

/** A part of a timetable. */
export type TimetablePart = (typeof TIMETABLE_PARTS)[number];

/** What an entity of a part is called where it is referred to. */
export const REFERENCES = {
  routes: 'route',
  stops: 'stop',
  agencies: 'agency',
  trips: 'trip',
  shapes: 'shape',
} as const satisfies Readonly<Record<TimetablePart, string>>;

/** What a row says, by columns, with `@` and the tag of its language after that of a text whose language is known. */
type Content = Readonly<Record<string, string>>;

/** A kind of values. */
interface Kind {
  /** The value in its one form; `undefined` for what is not of the kind, which is counted as `unusable-` and `odd`. */
  readonly read: (value: string) => string | undefined;
  readonly odd?: 'color' | 'language' | 'number' | 'url';
  /** None for a value that the vocabulary has no term for. */
  readonly term: (value: string, tag: string | undefined, iris: EntityIris) => Quad_Object | undefined;
  /** What it refers to. */
  readonly part?: TimetablePart;
}

const nodes = new Map<string, ReturnType<typeof namedNode>>();

/** The node of a prefixed name of the vocabularies here, of which there are few. */
function named(name: string): ReturnType<typeof namedNode> {
  const [prefix, local] = name.split(':') as [keyof typeof prefixes, string];
  const node = nodes.get(name) ?? namedNode(prefixes[prefix] + local);
  nodes.set(name, node);
  return node;
}

const asItIs = (value: string) => value;
const code = (term: Kind['term']): Kind => ({
  read: (value) => (/^\d{1,9}$/.test(value) ? String(Number(value)) : undefined),
  odd: 'number',
  term,
});
const degrees = (most: number): Kind => ({
  read: (value) => (Math.abs(Number(value)) <= most ? decimalText(Number(value), 'double') : undefined),
  odd: 'number',
  term: (value) => literal(value, xsd.decimal),
});
const reference = (part: TimetablePart): Kind => ({
  read: asItIs,
  term: (value, _tag, iris) => namedNode(iris.reference(REFERENCES[part], value)),
  part,
});
const accessible = [undefined, named('gtfs:WheelchairAccessible'), named('gtfs:NotWheelchairAccessible')];

const KINDS = {
  string: { read: asItIs, term: (value) => literal(value) },
  text: { read: asItIs, term: (value, tag) => (tag === undefined ? literal(value) : languageLiteral(value, tag)) },
  language: { read: languageTag, odd: 'language', term: (value) => literal(value) },
  link: { read: httpIri, odd: 'url', term: (value) => namedNode(value) },
  color: { read: (value) => /^#?([\da-f]{6})$/i.exec(value)?.[1], odd: 'color', term: (value) => literal(value) },
  integer: code((value) => literal(value, xsd.integer)),
  routeType: code((value) => routeTypes[Number(value)]),
  wheelchair: code((value) => accessible[Number(value)]),
  latitude: degrees(90),
  longitude: degrees(180),
  agency: reference('agencies'),
  route: reference('routes'),
  stop: reference('stops'),
  shape: reference('shapes'),
} satisfies Record<string, Kind>;

/**
 * A column: its name, the kind of its values, the property that says it, if one does, and the one that says the number of
 * what the vocabulary has no term for.
 */
type Column = readonly [name: string, kind: keyof typeof KINDS, property?: string, other?: string];

/** A file whose rows are entities. */
interface Table {
  readonly file: string;
  readonly id: string;
  readonly type: (content: Content) => string;
  /** The columns that may name an entity, the best one first. */
  readonly label: readonly string[];
  readonly columns: readonly Column[];
}

const TABLES: Readonly<Record<Exclude<TimetablePart, 'shapes'>, Table>> = {
  agencies: {
    file: 'agency.txt',
    id: 'agency_id',
    type: () => 'gtfs:Agency',
    label: ['agency_name'],
    columns: [
      ['agency_name', 'text', 'foaf:name'],
      ['agency_url', 'link', 'foaf:page'],
      ['agency_timezone', 'string', 'gtfs:timeZone'],
      ['agency_lang', 'language', 'dct:language'],
    ],
  },
  routes: {
    file: 'routes.txt',
    id: 'route_id',
    type: () => 'gtfs:Route',
    label: ['route_long_name', 'route_short_name'],
    columns: [
      ['agency_id', 'agency', 'gtfs:agency'],
      ['route_short_name', 'string', 'gtfs:shortName'],
      ['route_long_name', 'text', 'gtfs:longName'],
      ['route_desc', 'text', 'dct:description'],
      ['route_type', 'routeType', 'gtfs:routeType', 'rt:routeType'],
      ['route_url', 'link', 'foaf:page'],
      ['route_color', 'color', 'gtfs:color'],
      ['route_text_color', 'color', 'gtfs:textColor'],
    ],
  },
  stops: {
    file: 'stops.txt',
    id: 'stop_id',
    // Nothing stops at an entrance, a node or a boarding area of a station.
    type: ({ location_type = '0' }) => ['gtfs:Stop', 'gtfs:Station'][Number(location_type)] ?? 'geo:Feature',
    label: ['stop_name'],
    columns: [
      ['location_type', 'integer'],
      ['stop_name', 'text', 'foaf:name'],
      ['stop_code', 'string', 'dct:identifier'],
      ['stop_desc', 'text', 'dct:description'],
      ['stop_lat', 'latitude', 'wgs:lat'],
      ['stop_lon', 'longitude', 'wgs:long'],
      ['stop_url', 'link', 'foaf:page'],
      ['parent_station', 'stop', 'gtfs:parentStation'],
      ['wheelchair_boarding', 'wheelchair', 'gtfs:wheelchairAccessible'],
    ],
  },
  trips: {
    file: 'trips.txt',
    id: 'trip_id',
    type: () => 'gtfs:Trip',
    label: [],
    columns: [
      ['route_id', 'route', 'gtfs:route'],
      ['trip_headsign', 'text', 'gtfs:headsign'],
      ['trip_short_name', 'string', 'gtfs:shortName'],
      ['direction_id', 'integer', 'rt:directionId'],
      ['shape_id', 'shape', 'gtfs:shape'],
      ['wheelchair_accessible', 'wheelchair', 'gtfs:wheelchairAccessible'],
    ],
  },
};

/** A column that is read. */
interface ReadColumn extends Pick<Kind, 'read' | 'odd'> {
  readonly name: string;
  /** Whether its values have a language. */
  readonly isText: boolean;
}

/** A file whose rows are entities: how they are read, and written. */
export interface TimetableTable extends Pick<Table, 'file' | 'id'> {
  readonly columns: readonly ReadColumn[];
  readonly quads: (entity: string, content: Content) => Quad[];
}

/** The table of a part. A reference to a part that is not published would lead nowhere: its column is not read. */
export function timetableTable(
  part: Exclude<TimetablePart, 'shapes'>,
  include: ReadonlySet<TimetablePart>,
  iris: EntityIris,
): TimetableTable {
  const { file, id, type, label, columns } = TABLES[part];
  const read = columns.flatMap(([name, kindName, property, other]) => {
    const kind: Kind = KINDS[kindName];
    if (kind.part !== undefined && !include.has(kind.part)) return [];
    return [{ ...kind, name, isText: kindName === 'text', property, other }];
  });
  const ofName = new Map(read.map((column) => [column.name, column]));
  const quads = (entity: string, content: Content): Quad[] => {
    const subject = namedNode(entity);
    const written: Quad[] = [];
    const write = (property: string | undefined, object: Quad_Object | undefined) => {
      if (property && object) written.push(quad(subject, named(property), object));
    };
    write('rdf:type', named(type(content)));
    const values = Object.entries(content).map(([key, value]) => ({ ...nameOf(key), value }));
    const best = label.find((column) => values.some(({ name }) => name === column));
    for (const { name, tag, value } of values) {
      const { term, property, other } = ofName.get(name) as (typeof read)[number];
      const object = term(value, tag, iris);
      if (name === best) write('rdfs:label', object);
      if (object) write(property, object);
      else write(other, literal(value, xsd.integer));
    }
    const { stop_lat: lat, stop_lon: long } = content;
    return lat === undefined ? written : [...written, ...geometryQuads(subject, `POINT (${long} ${lat})`)];
  };
  return { file, id, columns: read, quads };
}

function nameOf(key: string): { name: string; tag: string | undefined } {
  const [name = '', tag] = key.split('@');
  return { name, tag };
}

/** The quads of a shape, given its points in their order: `long lat` each. */
export function shapeQuads(entity: string, points: string): Quad[] {
  const subject = namedNode(entity);
  const type = quad(subject, named('rdf:type'), named('gtfs:Shape'));
  return [type, ...geometryQuads(subject, `LINESTRING (${points})`)];
}
