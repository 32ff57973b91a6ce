/*
 * What a sample is, by its bytes alone: the kind of source that reads it, and how its bytes become a document. Nothing is
 * known of what its fields mean.
 *
 *     "a;b\n1;2\n"  ->  { "source": "csv", "because": "it is a table of 2 columns", "reading": { "format": "csv", "delimiter": ";" } }
 */
import { type DocumentFormat, type DocumentReading, decodeFeed } from '@ldes-live/sources';
import type { SourceKind } from '../config/forms.ts';

/** What a sample was taken for. */
export interface Recognition {
  readonly source: SourceKind;
  /** What it was told by, for people. */
  readonly because: string;
  /** Absent for what is not a document of records. */
  readonly reading?: DocumentReading;
  /** Which feed of GBFS it is, or is taken of the system. */
  readonly gbfsFeed?: string;
}

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

type Read = (url: string) => Promise<Uint8Array>;

/** Characters that no text has, but every binary format soon. */
const BINARY = /[^\P{Cc}\t\n\r]/u;
const HTML = /^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)?<(!doctype\s+html|html[\s>])/i;
/** What may stand between columns, the usual first. */
const DELIMITERS = [',', ';', '\t', '|'];
/** What a GBFS system publishes of what can be rented, the likeliest first; these have a mapping of their own. */
export const RENTAL_FEEDS = ['station_status', 'vehicle_status', 'free_bike_status'];
/** What stands in an answer about an error. */
const OF_ERRORS =
  /^(errors?|error_?\w+|fault|exception|status(_?code)?|code|message|msg|details?|description|title|type|path|timestamp|success|ok|trace|instance)$/i;

/**
 * What a sample is.
 *
 * @param read - the bytes at a URL: a GBFS system says where its feeds are
 * @returns the rest of a sentence where it is not data; `undefined` where it is nothing that is known
 */
export async function recognise(bytes: Uint8Array, read: Read): Promise<Recognition | string | undefined> {
  const { text, charset } = decoded(bytes);
  const start = text.trimStart();
  if (start === '') return 'is empty';
  if (start.startsWith('PK\u0003\u0004')) {
    return 'is a zip. For a timetable (GTFS), set source: { gtfs: URL } in the configuration';
  }
  if (HTML.test(start)) return 'is a web page (HTML), not data';
  if (start.startsWith('<')) return document('xml', 'it is XML');
  if (/^[[{]/.test(start)) return await ofJson(start, read);
  const table = BINARY.test(text.slice(0, 2000)) ? undefined : ofTable(start, charset);
  return table ?? ofProtobuf(bytes);
}

/** The text of bytes in UTF-8, or else in the encoding of older spreadsheets, windows-1252, which takes any bytes. */
function decoded(bytes: Uint8Array): { text: string; charset?: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), charset: 'windows-1252' };
  }
}

function ofProtobuf(bytes: Uint8Array): Recognition | undefined {
  try {
    decodeFeed(bytes);
    return { source: 'gtfsrt', because: 'it is a GTFS-Realtime message in Protocol Buffers' };
  } catch {
    return undefined;
  }
}

/** A table has the same number of columns in its first lines, more than one. */
function ofTable(text: string, charset: string | undefined): Recognition | undefined {
  const lines = text.split(/\r?\n/, 20).filter((line) => line !== '');
  const [header, ...rows] = lines.length > 2 ? lines.slice(0, -1) : lines;
  if (header === undefined || rows.length === 0) return undefined;
  // Delimiters within quotes do not count.
  const columns = (line: string, delimiter: string) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(delimiter).length;
  const [best] = DELIMITERS.map((delimiter) => ({ delimiter, count: columns(header, delimiter) }))
    .filter(({ delimiter, count }) => count > 1 && rows.every((row) => columns(row, delimiter) === count))
    .sort((left, right) => right.count - left.count);
  if (!best) return undefined;
  const { delimiter, count } = best;
  const reading = { format: 'csv', ...(charset && { charset }), ...(delimiter !== ',' && { delimiter }) } as const;
  return { source: 'csv', because: `it is a table of ${count} columns`, reading };
}

async function ofJson(text: string, read: Read): Promise<Recognition | string> {
  const { value: json, mistake } = parsed(text);
  if (isObject(json)) return errorIn(json) ?? (await ofGbfs(json, read)) ?? ofObject(json);
  if (mistake === undefined) return document('json', 'it is JSON');
  const lines = text.split('\n', 10).filter((line) => line.trim() !== '');
  // The last of ten lines is whole only if the text ends there, so it need not be looked at.
  const whole = lines.length === 1 ? lines : lines.slice(0, -1);
  if (whole.every((line) => isObject(parsed(line).value))) return document('ndjson', 'each of its lines is JSON');
  return `starts like JSON, but is not valid: ${mistake}`;
}

function document(format: DocumentFormat, because: string): Recognition {
  return { source: format, because, reading: { format } };
}

/** What an answer says that is about an error, and nothing else. */
function errorIn(json: JsonObject): string | undefined {
  const name = ['error', 'errors', 'fault', 'exception'].find((key) => json[key]);
  if (name === undefined || !Object.keys(json).every((key) => OF_ERRORS.test(key))) return undefined;
  return `is an answer that says ${name}: ${JSON.stringify(json[name])}`.slice(0, 100);
}

function ofObject(json: JsonObject): Recognition {
  const { type, features, value } = json;
  if (type === 'FeatureCollection' && Array.isArray(features)) {
    return document('geojson', 'it is a FeatureCollection of GeoJSON');
  }
  const parts = [json, ...(Array.isArray(value) ? value : [])].filter(isObject);
  const isOfService = parts.some((part) => '@iot.id' in part || (part.name === 'Observations' && 'url' in part));
  const found = document('json', isOfService ? 'it is from a SensorThings service' : 'it is JSON');
  return isOfService ? { ...found, source: 'sensorthings' } : found;
}

async function ofGbfs({ data, ttl }: JsonObject, read: Read): Promise<Recognition | undefined> {
  if (!isObject(data) || ttl === undefined) return undefined;
  // The feeds of a system stand in a list, or before version 3 in one for each language.
  const lists = [data, ...Object.values(data)].flatMap((part) => (isObject(part) ? [part.feeds] : []));
  const feeds = lists.find((list) => Array.isArray(list))?.filter(isObject);
  const gbfsFeed = feeds ? await feedOfSystem(feeds, read) : feedOf(data);
  const isListed = feeds?.some(({ name }) => name === gbfsFeed);
  const because = feeds
    ? `it lists the feeds of a GBFS system, and this one is published: ${gbfsFeed}${isListed ? '' : ' (CHECK: it is not listed)'}`
    : `it is the feed ${gbfsFeed} of a GBFS system`;
  return gbfsFeed === undefined ? undefined : { ...document('json', because), source: 'gbfs', gbfsFeed };
}

function feedOf({ stations, vehicles, bikes }: JsonObject): string | undefined {
  if (vehicles) return 'vehicle_status';
  if (bikes) return 'free_bike_status';
  if (!Array.isArray(stations)) return undefined;
  return isObject(stations[0]) && 'lat' in stations[0] ? 'station_information' : 'station_status';
}

/** What a system publishes of what can be rented: its stations, or its vehicles where it has none. */
async function feedOfSystem(feeds: readonly JsonObject[], read: Read): Promise<string> {
  const [first, second] = RENTAL_FEEDS.flatMap((name) => feeds.filter((feed) => feed.name === name));
  const { name = 'station_status', url } = first ?? {};
  if (name !== 'station_status' || !second) return String(name);
  // It may not answer just now: what the system lists counts then.
  const bytes = await read(String(url)).catch(() => new Uint8Array());
  const status = parsed(new TextDecoder().decode(bytes)).value as { data?: { stations?: unknown[] } } | undefined;
  return String(status?.data?.stations?.length === 0 ? second.name : name);
}

function parsed(text: string): { readonly value?: unknown; readonly mistake?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
