/*
 * Sources that are polled over HTTP: GTFS-Realtime, timetables, documents, GBFS and SensorThings.
 *
 *   { gtfsRt: 'https://agency.example/vp.pb', every: '20s', limits: { bytes: 1000000 } } -> { kind: 'gtfsRt',
 *     intervalMs: 20000, feeds: [{ url: 'https://agency.example/vp.pb', limits: { limitBytes: 1000000 } }] }
 *
 * What is read has the names and units of the options of `@ldes-live/sources`.
 */
import {
  DEFAULT_TIMETABLE_PARTS,
  type FetchLimits,
  GBFS_FEEDS,
  type GbfsFeedName,
  type GtfsRtLimits,
  type HttpSourceLimits,
  type IriTemplates,
  presetNames,
  TIMETABLE_PARTS,
  type TimetableSourceLimits,
} from '@ldes-live/sources';
import { z } from 'zod';
import {
  absoluteUrl,
  duration,
  either,
  expanded,
  flag,
  integer,
  type LimitTable,
  limits,
  matching,
  object,
  optional,
  required,
  VARIABLE,
} from './fields.ts';
import { given } from './forms.ts';

const every = duration('100ms');
const ORIGIN = matching(/^[^\s\p{C}]{1,100}$/u, 'a name of 1 to 100 visible characters without spaces');
const headerName = matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'the name of an HTTP header field');
const headerValue = expanded(/^[\t\x20-\x7e\x80-\xff]*$/, 'the text of an HTTP header field');
const headers = z.record(headerName, headerValue, 'a mapping of HTTP header fields');

export const request = {
  origin: optional(
    ORIGIN,
    'its name in messages, which is not secret | its URL without query, fragment and user | city',
  ),
  headers: optional(headers, `header fields of every request; ${VARIABLE} | none | { x-client: example }`),
};

/** A key with limits of what is taken. */
export function limited<Options extends object>(id: string, example: string, table: LimitTable<Options>) {
  return optional(limits(id, table), `limits of size and time | each has its own | ${example}`);
}

const fetchLimits = (bytes: number, body: string): LimitTable<Partial<FetchLimits>> => ({
  bytes: ['limitBytes', integer(1), `size of the body, decompressed | \`${bytes}\` | 1000000`],
  headers: ['limitHeadersMs', duration('1ms'), 'time to the headers of the answer, with redirects | `10s` | 2s'],
  body: [
    'limitBodyMs',
    duration('1ms'),
    `time from the headers of the answer to the end of its body | \`${body}\` | 1.5m`,
  ],
  redirects: ['limitRedirects', integer(0, 100), 'how many redirects are followed | `5` | 0'],
});

const A_SHARE = 'a number from 0 to 1';
const share = z
  .number(A_SHARE)
  .min(0, A_SHARE)
  .max(1, A_SHARE)
  .meta({ description: `${A_SHARE}, 1 for any` });
const goneShare = (fallback: string) =>
  [
    'limitGoneShare',
    share,
    `the share of its entities that one poll may end without confirmation | ${fallback} | 0.9`,
  ] as const;

/** One URL, one mapping with a `url`, or a list of these; read as a list, whose names differ. */
function endpoints<Shape extends z.ZodRawShape>(noun: string, leadsTo: string, example: string, shape: Shape) {
  const expected = `the URL of a ${noun}, or a mapping with its url`;
  const address = absoluteUrl(`an http or https URL of ${leadsTo}`);
  const about = 'its http or https URL; a user and password in it are sent as basic authorization';
  const mapping = object(noun, expected, { url: required(address, `${about} | ${example}`), ...shape });
  type Endpoint = z.output<typeof mapping> & { readonly url: string; readonly origin?: string };
  const text = address.transform((only) => ({ url: only }) as Endpoint);
  const one = either({ text, mapping: mapping as unknown as z.ZodType<Endpoint> }, expected);
  const list = z
    .array(one)
    .min(1, `at least one ${noun}`)
    .superRefine((all, context) => {
      for (const [index, { origin }] of all.entries()) {
        if (origin === undefined || all.findIndex((other) => other.origin === origin) === index) continue;
        const message = `a name that no other ${noun} of the stream has`;
        context.addIssue({ code: 'custom', path: [index, 'origin'], message });
      }
    });
  const row = `${leadsTo} by its URL, or by a mapping; or a list of these, at least one | ${example}`;
  const alone = (schema: z.ZodType<Endpoint>) => schema.transform((only) => [only]);
  const alternatives = { text: alone(text), mapping: alone(mapping as never), list };
  return required(either(alternatives, `${expected}, or a list of these`), row);
}

/** The endpoints of a source with what is said beside them, which holds for an only one. */
function withBeside<Endpoint extends object, Beside extends object>(
  endpoints: readonly Endpoint[],
  beside: Beside,
  { key, noun }: { readonly key: string; readonly noun: string },
  context: z.RefinementCtx,
): readonly (Endpoint & Partial<Beside>)[] {
  const [first, ...others] = endpoints as readonly [Endpoint, ...Endpoint[]];
  // Said in two places, or of many endpoints, it would be for people to guess what counts.
  if (others.length === 0 && Object.keys(first).length === 1) return [{ ...first, ...beside }];
  const message = `the key in the entry of its ${noun}: it is allowed here only if ${key} is one URL`;
  for (const name of Object.keys(beside)) context.addIssue({ code: 'custom', path: [name], message });
  return endpoints as readonly (Endpoint & Partial<Beside>)[];
}

const FIELDS = 'a list of field names, such as [trip_id, start_date]';
const fields = z.array(z.string('the name of a field').min(1, 'the name of a field'), FIELDS).min(1, FIELDS);
const keys = object('keys', 'a mapping with trip or vehicle', {
  trip: optional(fields, 'fields of `TripDescriptor` | `[trip_id, start_date, start_time]`, else by route | [trip_id]'),
  vehicle: optional(fields, 'fields of `VehicleDescriptor` | `[id]` | [label]'),
});

const template = z.string('an IRI template in quotes, such as "https://agency.example/stops/{id}"');
const iri = (of: string, fallback: string) => {
  const example = `https://agency.example/${fallback.includes('{id}') ? '{id}' : 'all{/key*}'}`;
  return optional(template, `the IRI of ${of} | \`"${fallback}"\` | "${example}"`);
};
const iris = object('iris', 'a mapping of names of IRI templates to templates', {
  vehiclePosition: iri('a vehicle, by its position', '{+stream}/entities{/by,key*}'),
  tripUpdate: iri('a trip update', '{+stream}/entities{/by,key*}/update'),
  alert: iri('an alert', '{+stream}/entities{/by,key*}'),
  addedShape: iri('a shape that the feed adds', '{+stream}/entities{/by,key*}'),
  addedStop: iri('a stop that the feed adds', '{+stream}/entities{/by,key*}'),
  tripModifications: iri('modifications of trips', '{+stream}/entities{/by,key*}'),
  trip: iri('a trip of the timetable', '{+base}#trips/{id}'),
  tripInstance: iri('a trip on its day', '{+base}#trips{/key*}'),
  route: iri('a route', '{+base}#routes/{id}'),
  stop: iri('a stop of the timetable', '{+base}#stops/{id}'),
  shape: iri('a shape of the timetable', '{+base}#shapes/{id}'),
  vehicle: iri('a vehicle', '{+base}#vehicles/{id}'),
  agency: iri('an agency', '{+base}#agencies/{id}'),
} satisfies Record<keyof IriTemplates, z.ZodType>);

const timetable = z.string('the name of a stream whose source is a timetable');
const feed = {
  ...request,
  keys: optional(keys, 'which fields identify its entities | each has its own | { vehicle: [label] }'),
  limits: limited<GtfsRtLimits>('gtfsRtLimits', '{ bytes: 1000000 }', {
    ...fetchLimits(33_554_432, '30s'),
    entities: ['limitEntities', integer(1), 'entities in the feed | `100000` | 5000'],
    entityBytes: ['limitEntityBytes', integer(1), 'size of one entity; a larger one is ignored | `262144` | 100000'],
    // What the specification of GTFS-Realtime nests.
    depth: ['limitDepth', integer(6), 'nesting of messages; the feed itself is 1 | `32` | 6'],
    goneShare: goneShare('`0.5`; alerts do not count'),
  }),
  iris: optional(iris, 'other IRIs | each has its own | { stop: "https://agency.example/stops/{id}" }'),
  timetable: optional(timetable, 'the stream with its routes, stops and agencies | none, see `iris` | times'),
  publishLicensePlates: optional(
    flag,
    'whether licence plates are published, which may be personal data | `false` | true',
  ),
};

export const gtfsRt = object('gtfsRt', 'a mapping with gtfsRt and every', {
  gtfsRt: endpoints('feed', 'a GTFS-Realtime feed', 'https://agency.example/vp.pb', feed),
  every: required(every, 'how often each feed is polled | 20s'),
  ...feed,
}).transform(({ gtfsRt: feeds, every: intervalMs, ...beside }, context) => ({
  kind: 'gtfsRt' as const,
  feeds: withBeside(feeds, beside, { key: 'gtfsRt', noun: 'feed' }, context),
  intervalMs,
}));

const PARTS = `a list of at least one of ${TIMETABLE_PARTS.join(', ')}`;
const parts = z.array(z.literal(TIMETABLE_PARTS, `one of ${TIMETABLE_PARTS.join(', ')}`), PARTS).min(1, PARTS);
const zipUrl = absoluteUrl('an http or https URL of the zip of a static GTFS');

export const gtfs = object('gtfs', 'a mapping with gtfs', {
  gtfs: required(zipUrl, 'the URL of the zip of a static GTFS | https://agency.example/gtfs.zip'),
  every: optional(every, 'how often it is polled | `6h` | 1h'),
  include: optional(parts, `what is published: ${PARTS} | \`[routes, stops, agencies]\` | [routes, trips]`),
  limits: limited<TimetableSourceLimits>('gtfsLimits', '{ bytes: 100000000 }', {
    ...fetchLimits(67_108_864, '2m'),
    files: ['limitFiles', integer(1, 65_535), 'files in the zip | `1000` | 100'],
    unpackedBytes: ['limitUnpackedBytes', integer(1), 'size of the files that are read | `100663296` | 50000000'],
    rows: ['limitRows', integer(1), 'rows of all files but those of trips and shapes, together | `200000` | 10000'],
    trips: ['limitTrips', integer(1), 'rows of `trips.txt` | `200000` | 10000'],
    points: ['limitPoints', integer(1), 'rows of `shapes.txt` | `2000000` | 100000'],
    shapePoints: ['limitShapePoints', integer(2), 'points of one shape | `20000` | 5000'],
    goneShare: goneShare('`0.5`, without trips and shapes'),
  }),
  ...request,
}).transform(({ gtfs: url, every: intervalMs, include = [...DEFAULT_TIMETABLE_PARTS], ...rest }) => ({
  ...{ kind: 'timetable' as const, ...rest, url, include },
  ...given({ intervalMs }),
}));

export type MappingChoice = { readonly file: string } | { readonly preset: string } | { readonly inline: object };

const MAPPING = 'the file of a mapping, such as ./garages.mapping.yml, or a mapping';
// What is in a mapping is for the reader of mappings to judge.
const mapping = either({ text: matching(/\S/, MAPPING), mapping: z.record(z.string(), z.unknown()) }, MAPPING);
const preset = z.literal(presetNames(), `the name of a preset, one of ${presetNames().join(', ')}`);

/** The two keys that say how data becomes RDF. */
export const mappingKeys = {
  mapping: optional(mapping, 'how it becomes RDF: a mapping, or its file | that of `preset` | ./garages.mapping.yml'),
  preset: optional(preset, 'the name of a mapping that ships | that of the kind, if it has one | parkapi'),
};

/** What JSON Schema says of the two keys where a kind has a preset of its own, and where it has none. */
const NOT_BOTH = { not: { required: Object.keys(mappingKeys) } };
export const EXACTLY_ONE = { oneOf: Object.keys(mappingKeys).map((key) => ({ required: [key] })) };

/** A source with the mapping that its two keys say; `otherwise` is the preset where nothing is said, which has to be when absent. */
export function withMapping<Said extends { readonly mapping?: string | object; readonly preset?: string }>(
  { mapping, preset, ...source }: Said,
  context: z.RefinementCtx,
  otherwise?: string,
): Omit<Said, 'mapping' | 'preset'> & { readonly mapping: MappingChoice } {
  const chosen = preset ?? otherwise;
  if (mapping !== undefined && preset !== undefined) {
    context.addIssue({ code: 'custom', path: ['preset'], message: 'either preset or mapping, not both' });
  }
  if (mapping !== undefined) {
    return { ...source, mapping: typeof mapping === 'string' ? { file: mapping } : { inline: mapping } };
  }
  if (chosen !== undefined) return { ...source, mapping: { preset: chosen } };
  const message =
    'the file of a mapping, a mapping, or the key preset instead (ldes-live map --presets lists the presets)';
  context.addIssue({ code: 'custom', path: ['mapping'], message });
  return z.NEVER;
}

const document = {
  ...request,
  limits: limited<HttpSourceLimits>('documentLimits', '{ bytes: 1000000 }', {
    ...fetchLimits(33_554_432, '30s'),
    records: ['limitRecords', integer(1, 100_000_000), 'records in the document | `200000` | 5000'],
    depth: ['limitDepth', integer(1, 1000), 'how deep it is nested | `64` | 10'],
    values: ['limitValues', integer(1, 1_000_000_000), 'values in all pages of the document | `1000000` | 50000'],
    text: ['limitTextBytes', integer(1, 268_435_456), 'bytes of one text | `1048576` | 10000'],
    pages: ['limitPages', integer(1, 10_000), 'how many pages are read in one poll | `100` | 10'],
    goneShare: goneShare('`0.5`'),
  }),
};
const documents = endpoints('document', 'a document', 'https://city.example/garages.json', document);

const LOOKUP = 'the URL of a document, or a mapping with its url';
const lookupUrl = absoluteUrl('an http or https URL of a document');
const lookup = object('lookup', LOOKUP, {
  url: required(lookupUrl, 'its http or https URL | https://city.example/sites.json'),
  every: optional(every, 'how often it is fetched | `1h` | 10m'),
}).transform(({ url, every: intervalMs }) => ({ url, ...given({ intervalMs }) }));
const bareLookup = lookupUrl.transform((url): z.output<typeof lookup> => ({ url }));
const lookupName = matching(/^\w{1,64}$/, 'the name of a lookup of the mapping');
const eachLookup = either({ text: bareLookup, mapping: lookup }, LOOKUP);
const lookups = optional(
  z.record(lookupName, eachLookup, 'a mapping of names of lookups to URLs'),
  'other documents of the mapping | none, or as GBFS names them | { sites: "https://city.example/sites.json" }',
);

const PAGES = '"link", or a mapping with next such as { next: paging.next }';
const next = z.string('the path in the document to the URL of its next page').min(1, 'a path');
const nextPage = object('pages', PAGES, {
  next: required(next, 'the [path](mappings.md) in the document to the URL of its next page | paging.next'),
});
const pages = either({ text: z.literal('link', PAGES), mapping: nextPage }, PAGES);
const MORE = 'where the next page is: `link` for the header `Link` with `rel="next"`, or a mapping';

export const documentsOf = (format: 'json' | 'ndjson' | 'geojson' | 'csv' | 'xml') =>
  object(
    format,
    `a mapping with ${format}, every and mapping`,
    {
      [format as 'json']: documents,
      every: required(every, 'how often each document is polled | 60s'),
      ...mappingKeys,
      lookups,
      pages: optional(pages, `${MORE} | it is one page | link`),
      ...document,
    },
    EXACTLY_ONE,
  ).transform(({ [format as 'json']: all, every: intervalMs, mapping, preset, lookups, pages, ...beside }, context) => {
    const documents = withBeside(all, beside, { key: format, noun: 'document' }, context);
    const said = given({ mapping, preset, lookups, pages });
    return withMapping({ kind: 'documents' as const, format, documents, intervalMs, ...said }, context);
  });

const FEED_PRESETS: { readonly [Feed in GbfsFeedName]?: string } = {
  station_status: 'gbfs-station-status',
  vehicle_status: 'gbfs-vehicle-status',
  free_bike_status: 'gbfs-vehicle-status',
};

const feedName = z.literal(GBFS_FEEDS, `one of ${GBFS_FEEDS.join(', ')}`);
const gbfsUrl = absoluteUrl('an http or https URL of gbfs.json');
const language = matching(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'a language of the system, such as en');

export const gbfs = object(
  'gbfs',
  'a mapping with gbfs and feed',
  {
    gbfs: required(gbfsUrl, 'the URL of the discovery document, `gbfs.json` | https://bikes.example/gbfs.json'),
    feed: required(feedName, `which feed: ${GBFS_FEEDS.join(', ')} | station_status`),
    every: optional(every, 'how often it is polled | as the feed says by `ttl` | 30s'),
    language: optional(language, 'the language, if the system has several | the first that has the feed | en'),
    lookups,
    ...mappingKeys,
    ...document,
  },
  NOT_BOTH,
).transform(({ gbfs: url, every: intervalMs, ...said }, context) =>
  withMapping({ kind: 'gbfs' as const, ...said, url, ...given({ intervalMs }) }, context, FEED_PRESETS[said.feed]),
);

const SERVICE = 'an http or https URL of a SensorThings service, such as https://sensors.example/v1.1/';
const serviceUrl = absoluteUrl(SERVICE);

export const sensorThings = object(
  'sensorThings',
  'a mapping with sensorThings and every',
  {
    sensorThings: required(serviceUrl, 'the URL of the service, or of observations | https://sensors.example/v1.1/'),
    every: required(every, 'how often they are asked for | 60s'),
    pages: optional(pages, `${MORE} | as @iot.nextLink says | { next: more }`),
    ...mappingKeys,
    ...document,
  },
  NOT_BOTH,
).transform(({ sensorThings: url, every: intervalMs, ...said }, context) =>
  withMapping({ kind: 'sensorThings' as const, ...said, url, intervalMs }, context, 'sensorthings'),
);
