import type { DocumentReading, MappedProperty, MappedValue, Mapping } from '@ldes-live/sources';
import { topicLike } from '../topic-like.ts';
import { type FoundRecords, findRecords } from './find-records.ts';
import { areIris, type Identity, identityField } from './guess-identity.ts';
import { guessPlace } from './guess-place.ts';
import { COMMA, type GuessedValue, guessValue, hasDecimalComma, isSentinel } from './guess-property.ts';
import { timeConversion, timeForm, versionField } from './guess-time.ts';
import { className, ownName } from './own-name.ts';
import { type SampleField, sampleFields } from './sample-fields.ts';

/** A first mapping, and why each of its parts is as it is. */
export interface MappingGuess {
  readonly mapping: Mapping;
  /** How many records the sample has. */
  readonly records: number;
  /** What to know of single keys and properties, by path in the mapping, joined by dots. */
  readonly remarks: Readonly<Record<string, string>>;
}

/** What a guess rests on. */
export interface GuessInput {
  readonly document: unknown;
  readonly reading: DocumentReading;
  readonly stream: string;
  /** Filters of MQTT, where the document is a message. */
  readonly topics?: readonly string[];
  /** IANA name of the zone of times that state none, if the publisher said it. */
  readonly timeZone?: string;
}

/** Where names begin that no vocabulary is known for: it moves with the stream, and is no document of the server. */
const NAMESPACE = '{+stream}/terms#';

/** Well-known predicates by the names of fields. */
const KNOWN: readonly (readonly [pattern: RegExp, predicate: string])[] = [
  [/^(names?|titles?|labels?)$/i, 'rdfs:label'],
  [/^(descriptions?|desc)$/i, 'dct:description'],
];

/** A first mapping of an unknown document. */
export function guessMapping(input: GuessInput): MappingGuess {
  const { document, reading, stream, topics, timeZone = 'UTC' } = input;
  const found = findRecords(document);
  const fields = sampleFields(found.records);
  const times = fields.filter((field) => field.kind === 'one' && !['date', undefined].includes(timeForm(field)));
  const version = versionField(times);
  const remarks: Record<string, string> = {};
  const isLocal = fields.some((field) => timeForm(field) === 'local');
  if (isLocal) remarks.timeZone = 'CHECK: some times state no zone; this is the one they are read in';
  if (found.others.length > 0) {
    remarks.records = `CHECK: other lists of the sample are not read: ${found.others.join(', ')}`;
  }
  const subject = guessTopicSubject(topics, remarks) ?? guessSubject(found, fields, remarks);
  const isKeyed = subject.variables?.key?.path === '$key' && found.keyed;
  const isFeature = reading.format === 'geojson';
  const { leftOut, properties } = guessProperties({
    fields,
    version,
    isKeyed,
    under: found.under?.name,
    isFeature,
    remarks,
  });
  const mapping: Mapping = {
    ...(reading.format === 'json' && Object.keys(reading).length === 1 ? {} : { reads: reading }),
    prefixes: { own: NAMESPACE },
    ...(isLocal && { timeZone }),
    ...(found.path !== undefined && { records: found.path }),
    ...subject,
    type: `own:${className(stream)}`,
    ...(version && {
      versionTime: { path: version.path, ...convertOf(version) },
      ignoreForChange: [version.path],
    }),
    properties,
    ...(leftOut.length > 0 && { leftOut }),
  };
  return { mapping, records: found.records.length, remarks };
}

function guessSubject(
  { records, keyed, under }: FoundRecords,
  fields: readonly SampleField[],
  remarks: Record<string, string>,
): Pick<Mapping, 'subject' | 'variables'> {
  if (under && !identityField(fields, records.length)?.isNamed) {
    const own = identityField(sampleFields(under.longest), under.longest.length);
    if (!own) remarks.subject = 'CHECK: the place in the list tells records apart: name a field that does';
    const variables = { group: { path: '^.$key' }, id: { path: own?.field.path ?? '$key' } };
    return { variables, subject: '{+stream}/entities/{group}/{id}' };
  }
  const identity = identityField(fields, records.length);
  if (identity && areIris(identity.field) && (identity.isNamed || !keyed)) {
    return named(identity.field.path, (name) => `{+${name}}`);
  }
  const variables: Record<string, MappedValue> = { key: { path: '$key' } };
  // A key that tells records apart in their mapping does so for sure.
  if (keyed) return { variables, subject: '{+stream}/entities/{key}' };
  if (identity) return entityOf(identity, remarks);
  if (records.length === 1) return { subject: '{+stream}/entities/1' };
  remarks.subject =
    'CHECK: no single field of the sample tells records apart, so their place in the list does: name those that do together';
  return { variables, subject: '{+stream}/entities/{key}' };
}

function entityOf(
  { field, isNamed }: Identity,
  remarks: Record<string, string>,
): Pick<Mapping, 'subject' | 'variables'> {
  if (!isNamed) {
    remarks.subject = `CHECK: no field is called an id; ${field.path} is different in each record of the sample`;
  }
  return named(field.path, (name) => `{+stream}/entities/{${name}}`);
}

/** A subject by the levels of the topic that differ from message to message. */
function guessTopicSubject(
  filters: readonly string[] = [],
  remarks: Record<string, string>,
): Pick<Mapping, 'subject' | 'variables'> | undefined {
  const [filter] = filters;
  const levels = filter?.split('/').flatMap((level, index) => (level === '+' || level === '#' ? [index] : [])) ?? [];
  if (levels.length === 0) return undefined;
  if (filters.length > 1 || filter?.endsWith('#')) {
    remarks.subject = `CHECK: it is made for topics as deep as ${topicLike(filter ?? '')}`;
  }
  const variables = Object.fromEntries(levels.map((level) => [`level${level}`, { path: `$topic[${level}]` }]));
  return {
    variables,
    subject: `{+stream}/entities/${Object.keys(variables)
      .map((name) => `{${name}}`)
      .join('/')}`,
  };
}

/** A subject of one variable: its path, where a template can hold that. */
function named(path: string, template: (name: string) => string): Pick<Mapping, 'subject' | 'variables'> {
  if (/^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/.test(path)) return { subject: template(path) };
  return { variables: { id: { path } }, subject: template('id') };
}

/** Texts under the tags of their languages. */
const IN_LANGUAGES = { language: '$key', remark: 'a text in several languages' };

interface PropertyNeed {
  readonly fields: readonly SampleField[];
  readonly version: SampleField | undefined;
  /** Whether the key of a record is what it is known by. */
  readonly isKeyed: boolean;
  /** What the mapping is called whose keys have the lists of records. */
  readonly under: string | undefined;
  /** Whether the records are features of GeoJSON. */
  readonly isFeature: boolean;
  readonly remarks: Record<string, string>;
}

function guessProperties({ fields, version, isKeyed, under, isFeature, remarks }: PropertyNeed): {
  properties: MappedProperty[];
  leftOut: string[];
} {
  const properties: MappedProperty[] = [];
  const leftOut: string[] = [];
  // So objects of the client call the IRI of an entity: no property can have that name there.
  const taken = new Set(['id']);
  const put = (property: MappedProperty, remark: string) => {
    remarks[`properties.${properties.length}`] = remark;
    properties.push(property);
  };
  const leave = (path: string, remark: string) => {
    remarks[`leftOut.${leftOut.length}`] = remark;
    leftOut.push(path);
  };
  if (isKeyed) {
    taken.add('dct:identifier');
    put({ predicate: 'dct:identifier', path: '$key' }, 'the key that the record stands under');
  }
  if (under !== undefined) {
    const name = ownName([className(under)], taken);
    put(
      { predicate: `own:${name.charAt(0).toLowerCase()}${name.slice(1)}`, path: '^.$key' },
      `the key within ${under}`,
    );
  }
  const place = guessPlace(fields);
  const hasComma = [place?.latitude, place?.longitude].some((field) => field && hasDecimalComma(field.values));
  for (const field of fields) {
    const { path, names, kind } = field;
    if (field === version)
      put(
        { predicate: 'dct:modified', path, ...convertOf(field) },
        timeConversion(field)?.check ?? 'of when the record is',
      );
    else if (hasComma && field === place?.latitude) {
      put({ predicate: 'wgs:lat', path, convert: COMMA }, 'a latitude, with a decimal comma');
    } else if (hasComma && field === place?.longitude) {
      put({ predicate: 'wgs:long', path, convert: COMMA }, 'a longitude, with a decimal comma');
    } else if (place && field === place.latitude) {
      put(geometry({ paths: [place.longitude.path, path], convert: 'point' }), 'a point, by longitude and latitude');
    } else if (place && field === place.longitude) continue;
    else if (isFeature && path === 'type') leave(path, 'what every feature of GeoJSON says');
    else if (kind === 'geometry') put(geometry({ path, convert: 'geometry' }), 'a geometry of GeoJSON');
    else if (kind === 'empty') leave(path, 'always empty in the sample');
    else if (kind === 'embedded') {
      leave(path, `CHECK: ${path} is left out: it has JSON in a text, which the converter json reads`);
    } else if (kind === 'other') {
      leave(path, `CHECK: ${path} is left out: a property with node can map what is in it`);
    } else {
      const { remark } = saidBy(field);
      const isOwnId = path === 'id' || (isFeature && path === 'properties.id');
      put(
        ofField(field, isOwnId ? 'dct:identifier' : knownPredicate(names), taken),
        `${remark}, such as ${example(field)}`,
      );
    }
  }
  return { properties, leftOut };
}

function saidBy(field: SampleField): GuessedValue {
  if (field.kind === 'languages') return IN_LANGUAGES;
  if (field.kind !== 'tagged') return guessValue(field);
  return { languagePath: field.path.replace(/\["#text"\]$/, '.@lang'), remark: 'a text with its language' };
}

function knownPredicate(names: readonly string[]): string | undefined {
  return KNOWN.find(([pattern]) => pattern.test(names.at(-1) ?? ''))?.[1];
}

function ofField(field: SampleField, known: string | undefined, taken: Set<string>): MappedProperty {
  const { remark: _, ...value } = saidBy(field);
  const predicate = known !== undefined && !taken.has(known) ? known : `own:${ownName(field.names, taken)}`;
  taken.add(predicate);
  return { predicate, path: field.path, ...value };
}

function convertOf(field: SampleField): Pick<MappedValue, 'convert'> {
  const convert = timeConversion(field)?.convert;
  return convert === undefined ? {} : { convert };
}

function geometry(wkt: MappedValue): MappedProperty {
  return {
    predicate: 'geo:hasGeometry',
    node: { type: 'geo:Geometry', properties: [{ predicate: 'geo:asWKT', ...wkt }] },
  };
}

function example({ values }: SampleField): string {
  const text = JSON.stringify(values.find((value) => !isSentinel(value)) ?? values[0]);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
