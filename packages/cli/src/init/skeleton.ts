/*
 * A first mapping of an unknown document that runs as it stands.
 *
 * document -> its records -> their fields -> what the sample shows for sure as keys, and what has to be known of its
 * meaning as comments. So each record of the sample is mapped at once, and nothing in the mapping is a guess.
 *
 *     { "stations": [{ "code": "A", "air": { "temperature": "11.2" }, "measured": 1700000000 }] }
 *
 *     records: stations[*]
 *     variables: { id: { path: code } }
 *     subject: "{+stream}/entities/{id}"
 *     # versionTime: { path: measured, convert: epoch } # such as 1700000000
 *     properties:
 *       - { predicate: dct:identifier, path: code } # text, such as "A"
 *       - { predicate: own:temperature, path: air.temperature } # text, such as "11.2"; convert: number reads it
 */

import type { DocumentReading } from '@ldes-live/sources';
import { stringify } from 'yaml';
import { plural } from '../terminal.ts';
import { isObject, type JsonObject } from './recognise.ts';

/** Where records are, of which one is a list, or the values of a mapping; the document has no path. */
interface Records {
  readonly path?: string;
  readonly records: readonly JsonObject[];
  readonly isKeyed: boolean;
}

/** What all records have at a path, in one form or several. */
interface Field {
  readonly names: readonly string[];
  readonly path: string;
  readonly values: (string | number | boolean)[];
  readonly forms: Set<'value' | 'list' | 'geometry' | 'mapping' | 'mappings'>;
}

const GEOMETRIES = /^(Multi)?(Point|LineString|Polygon)$|^GeometryCollection$/;
const ID = [/^@?id$/i, /(^@?|[^A-Za-z])(id|uuid|uri|key|code)$/i, /[a-z](I[dD]|U(uid|UID|ri|RI)|Key|Code)$/];
const IRI = /^(https?:\/\/|urn:)[^\s<>"{}|\\^`]+$/;
const NUMERAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** Seconds or milliseconds, from 2001 on. */
const EPOCH = /^1\d{9}(\d{3})?(\.\d+)?$/;
const TIME_NAME = /time|date|stamp|seen|measur|observ|report|(^|_)(ts|at)$|[a-z]At$/i;

/**
 * A first mapping, and what to say of it; `undefined` where the document has no records with fields.
 *
 * @param topics - filters of MQTT, where the document is a message
 */
export function skeleton(document: unknown, reading: DocumentReading, stream: string, topics: readonly string[]) {
  const [found, ...others] = findRecords(document, reading);
  const { fields, left } = fieldsOf(found?.records ?? []);
  if (!found || fields.length === 0) return undefined;
  const { check, variables, subject, id } = subjectOf(found, fields, reading, topics);
  const elsewhere = others.map(({ path, records }) => `${path} (${records.length})`).join(', ');
  const isPlainJson = reading.format === 'json' && Object.keys(reading).length === 1;
  const lines = [
    `# How ${stream} becomes RDF. It maps the sample as it is. Keys in comments are suggestions.`,
    '# specs/mappings.md has every key; ldes-live map shows what it makes of a sample.',
    ...(isPlainJson ? [] : [`reads: ${flow(reading)} # the format of the document`]),
    'prefixes: { own: "{+stream}/terms#" } # own: belongs to the stream; use a known vocabulary if there is one',
    ...(found.path === undefined
      ? []
      : [`records: ${flow(found.path)} # the items of a list, or the values of a mapping`]),
    ...(elsewhere === '' ? [] : [`# More records, which are not read: ${inComment(elsewhere)}`]),
    ...(Object.keys(variables).length === 0 ? [] : [`variables: ${flow(variables)} # the variables of templates`]),
    `subject: ${flow(subject)} # the IRI of each record; it must stay the same for the same thing`,
    ...(check === undefined ? [] : [`# CHECK: ${inComment(check)}.`]),
    `type: own:${capital(camelCase([stream]))} # the class of a record`,
    ...fields.flatMap(timeSuggestion),
    'properties: # the properties of each record, with the field of the value',
    ...propertyLines(fields, id),
    ...placeSuggestions(fields),
    ...(left.length === 0
      ? []
      : ['leftOut: # fields that are not published; fields that are not in this file are reported']),
    ...left.map(({ path, reason }) => `  - ${flow(path)} # ${reason}`),
  ];
  const counts = `${plural(found.records.length, 'record')}, ${plural(fields.length, 'property', 'properties')}`;
  const notes = [`${counts}, ${plural(left.length, 'field')} in leftOut.`, ...(check ? [`CHECK: ${check}.`] : [])];
  return { text: `${lines.join('\n')}\n`, notes };
}

/** Every list of mappings, and every mapping whose values are alike, the longest first; else the document itself. */
function findRecords(document: unknown, { format }: DocumentReading): Records[] {
  const search = (value: unknown, path: string): Records[] => {
    if (Array.isArray(value)) {
      const records = value.filter(isObject);
      // What is nested in records is theirs.
      return records.length === 0 ? [] : [{ path: `${path}[*]`, records, isKeyed: false }];
    }
    if (!isObject(value)) return [];
    const children = Object.values(value);
    // In XML, [*] leads to an element and not to what is in it.
    if (format !== 'xml' && areAlike(children)) return [{ path: `${path}[*]`, records: children, isKeyed: true }];
    return Object.entries(value).flatMap(([name, child]) => search(child, into(path, name)));
  };
  const all = search(document, '').sort((left, right) => right.records.length - left.records.length);
  return all.length === 0 && isObject(document) ? [{ records: [document], isKeyed: false }] : all;
}

/** Whether they are mappings, and all have most of the fields of the first. */
function areAlike(values: readonly unknown[]): values is readonly JsonObject[] {
  if (values.length < 2 || !values.every(isObject)) return false;
  const fields = Object.keys(values[0] as JsonObject);
  const isLike = (other: JsonObject) => 2 * fields.filter((name) => Object.hasOwn(other, name)).length > fields.length;
  return fields.length > 1 && values.every(isLike);
}

/** The fields of records, those of nested mappings too, in the order of their first appearance. */
function fieldsOf(records: readonly JsonObject[]) {
  const all = new Map<string, Field>();
  const look = (value: unknown, names: readonly string[], path: string): void => {
    const field = all.get(path) ?? { names, path, values: [], forms: new Set() };
    all.set(path, field);
    if (value === null || value === '' || (isObject(value) && Object.keys(value).length === 0)) return;
    if (Array.isArray(value)) {
      for (const item of value) {
        if (item === null || item === '') continue;
        field.forms.add(typeof item === 'object' ? 'mappings' : 'list');
        field.values.push(item);
      }
    } else if (!isObject(value)) {
      field.forms.add('value');
      field.values.push(value as string);
    } else if (GEOMETRIES.test(String(value.type)) && ('coordinates' in value || 'geometries' in value)) {
      field.forms.add('geometry');
    } else {
      field.forms.add('mapping');
      for (const [name, inner] of Object.entries(value)) look(inner, [...names, name], into(path, name));
    }
  };
  for (const record of records) for (const [name, value] of Object.entries(record)) look(value, [name], into('', name));
  const found = [...all.values()].map((field) => ({ ...field, reason: reasonOf(field.forms) }));
  const isWithin = ({ path }: Field) =>
    found.some((other) => other.reason && path.startsWith(other.path) && /^[.[]/.test(path.slice(other.path.length)));
  const told = found.filter((field) => !isWithin(field));
  return {
    left: told.filter(({ reason }) => reason !== undefined),
    fields: told.filter(({ reason, forms }) => reason === undefined && !forms.has('mapping')),
  };
}

/** Why a field becomes no property. */
function reasonOf(forms: Field['forms']): string | undefined {
  if (forms.size === 0) return 'always empty in the sample';
  if (forms.has('mappings')) return 'it has lists of mappings, which a property with node can map';
  const others = forms.size - (forms.has('list') && forms.has('value') ? 1 : 0);
  return others > 1 ? 'it is a value in some records and a mapping in others' : undefined;
}

/** What tells records apart: levels of a topic, the key that they stand under, a field called an id, else their place. */
function subjectOf(
  { path, records, isKeyed }: Records,
  fields: readonly Field[],
  reading: DocumentReading,
  topics: readonly string[],
) {
  const variables: Record<string, object> = {};
  const [filter = ''] = topics;
  for (const [index, level] of filter.split('/').entries()) {
    if (level === '+' || level === '#') variables[`level${index}`] = { path: `$topic[${index}]` };
  }
  const isOfTopic = Object.keys(variables).length > 0;
  const isVague = isOfTopic && (topics.length > 1 || filter.endsWith('#'));
  const areTold = isKeyed || (isOfTopic && path === undefined);
  const id = areTold ? undefined : idField(fields, records.length, reading);
  if (id) variables.id = { path: id.path };
  else if (path !== undefined) variables.key = { path: '$key' };
  const isIri = !isOfTopic && id?.values.every((value) => IRI.test(String(value)));
  const steps = Object.keys(variables).map((name) => `{${name}}`);
  const subject = isIri ? '{+id}' : `{+stream}/entities/${steps.join('/') || '1'}`;
  let check = isVague ? `it fits topics with the levels of ${filter}` : undefined;
  if (variables.key && !isKeyed) check = 'no field is an id, so the position in the list identifies records';
  return { id, check, variables, subject };
}

/** A field of the record itself that is called an id, and whose values are all there and all different. */
function idField(fields: readonly Field[], count: number, { format }: DocumentReading): Field | undefined {
  const fit = fields.filter(({ forms, names, values }) => {
    // A field of a part of the record may be the id of another thing.
    const isOwn = names.length === (format === 'geojson' && names[0] === 'properties' ? 2 : 1);
    const areTexts = values.every((value) => typeof value === 'string' || Number.isSafeInteger(value));
    return isOwn && isOne(forms) && areTexts && values.length === count && new Set(values.map(String)).size === count;
  });
  return ID.flatMap((pattern) => fit.find(({ names }) => pattern.test(names.at(-1) ?? '')) ?? [])[0];
}

function isOne(forms: Field['forms']): boolean {
  return forms.has('value') && forms.size === 1;
}

function propertyLines(fields: readonly Field[], id: Field | undefined): string[] {
  // So objects of the client call the IRI of an entity: no property can have that name there.
  const taken = new Set(['id']);
  return fields.map((field) => {
    const { forms, names } = field;
    const path = forms.has('list') ? `${field.path}[*]` : field.path;
    // One in metres of a national grid is none of GeoJSON.
    const convert = { ifPossible: 'geometry' };
    if (forms.has('geometry')) return `  - ${flow(geometry({ path, convert }))} # a geometry of GeoJSON, in degrees`;
    const predicate = field === id ? 'dct:identifier' : `own:${ownName(names, fields, taken)}`;
    return `  - ${flow({ predicate, path })} # ${inComment(remark(field))}`;
  });
}

function remark({ names, values }: Field): string {
  const types = [...new Set(values.map((value) => (typeof value === 'string' ? 'text' : typeof value)))].join(' or ');
  const example = JSON.stringify(values[0]);
  const isNumeral = values.every((value) => typeof value === 'string' && NUMERAL.test(value));
  return [
    `${types}, such as ${example.length > 40 ? `${example.slice(0, 37)}...` : example}`,
    ...(isNumeral ? ['convert: number reads it'] : []),
    ...(/^(name|title|label)$/i.test(names.at(-1) ?? '') ? ['rdfs:label shows it as the name'] : []),
  ].join('; ');
}

/** The last name on the way to a field, or all of them where that is the last name of another, too. */
function ownName(names: readonly string[], fields: readonly Field[], taken: Set<string>): string {
  const last = camelCase(names.slice(-1));
  const isLone = fields.filter((other) => camelCase(other.names.slice(-1)) === last).length === 1;
  const base = isLone ? last : camelCase(names);
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
  taken.add(name);
  return name;
}

function camelCase(names: readonly string[]): string {
  const words = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== '');
  const [first = 'value', ...others] = words;
  const start = first === first.toUpperCase() ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  return `${start}${others.map(capital).join('')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function geometry(wkt: object): object {
  const properties = [{ predicate: 'geo:asWKT', ...wkt }];
  return { predicate: 'geo:hasGeometry', node: { type: 'geo:Geometry', properties } };
}

/** What to write where the values of a field, or its name and its values, look like times. */
function timeSuggestion({ forms, names, path, values }: Field): string[] {
  const all = (pattern: RegExp) => isOne(forms) && values.every((value) => pattern.test(String(value)));
  const isIso = all(ISO_TIME);
  if (!isIso && !(TIME_NAME.test(names.at(-1) ?? '') && all(EPOCH))) return [];
  const isLocal = isIso && !all(/(Z|[+-]\d\d:?\d\d)$/);
  const convert = isIso ? (isLocal ? 'local' : 'iso') : all(/^\d{13}/) ? 'epochMs' : 'epoch';
  return [
    ...(isLocal ? ['# timeZone: Europe/Brussels # the zone of times that state none'] : []),
    `# versionTime: ${flow({ path, convert })} # such as ${inComment(JSON.stringify(values[0]))}`,
    `# ignoreForChange: ${flow([path])} # for a time that changes while nothing else does`,
  ];
}

/** A point of two fields that stand beside each other and are called latitude and longitude. */
function placeSuggestions(fields: readonly Field[]): string[] {
  const parentOf = ({ names }: Field) => names.slice(0, -1).join('/');
  const called = (pattern: RegExp) => fields.filter(({ names }) => pattern.test(names.at(-1) ?? ''));
  const longitudes = called(/^(lon|lng|long|longitude)$/i);
  return called(/^(lat|latitude)$/i).flatMap((latitude) => {
    const longitude = longitudes.find((other) => parentOf(other) === parentOf(latitude));
    const point = longitude && geometry({ paths: [longitude.path, latitude.path], convert: 'point' });
    return point ? [`  # - ${flow(point)} # in place of the two`] : [];
  });
}

/** The path to a field of what a path leads to. */
function into(path: string, field: string): string {
  if (!/^@?[\p{L}\p{M}\p{N}_-]+$/u.test(field)) return `${path}[${JSON.stringify(field)}]`;
  return path === '' ? field : `${path}.${field}`;
}

/** A value of YAML in one line. */
export function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

/** Values of a sample stand in comments: none of them may end one. */
function inComment(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}
