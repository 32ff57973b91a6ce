/* Documents that are polled over HTTP, and become what a mapping makes of them.
 *
 *   { url: 'https://city.example/garages.json', mapping, intervalMs: 60000 }
 *     -> pages and lookups (polling/) -> values (read-document) -> entities (mapping/) -> one snapshot of all pages
 *
 * GBFS and SensorThings are the same with other URLs. */

import { findLink, linkReferences } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { MAX_PROBLEMS, type MappedDocument } from '../mapping/map-document.ts';
import { PathMistake, type PathStep, parsePath } from '../mapping/paths.ts';
import type { DocumentReading } from '../mapping/schema.ts';
import { checkFeedUrl, checkHeaders, checkInteger, checkShare, MAX_INTERVAL_MS, printableUrl } from '../options.ts';
import type { Paging, PolledLookup } from '../polling/documents.ts';
import { type FetchLimits, fetchLimits } from '../polling/fetch.ts';
import { UnmappedWatch } from '../polling/health.ts';
import { DEFAULT_LIMIT_GONE_SHARE } from '../polling/judge.ts';
import { createPolledSource, type PolledSourceOptions } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import { type DocumentLimits, documentLimits } from './document.ts';
import { readInSlices } from './read-document.ts';

/** How much of a document is taken, and how long it may take; `limitBytes` is 33554432, 32 MiB, unless given. */
export interface HttpSourceLimits extends Partial<FetchLimits>, Partial<DocumentLimits> {
  /**
   * The share of the source's living entities that one poll may end, from 0 to 1; more must be confirmed by a later
   * poll. Of no meaning for observations, which never end.
   * @defaultValue 0.5
   */
  readonly limitGoneShare?: number;
  /**
   * How many pages are read in one poll: 1 to 10000. `limitBytes` holds for all of them together.
   * @defaultValue 100
   */
  readonly limitPages?: number;
}

/** Another document that a mapping looks things up in. */
export interface HttpSourceLookup {
  /** Where it is: absolute, http or https. The header fields of the source are sent if it is of the same origin. */
  readonly url: string;
  /**
   * How often it is fetched, milliseconds: 1 to 86400000, a day.
   * @defaultValue 3600000, an hour
   */
  readonly intervalMs?: number;
}

/**
 * Where a document says that there is more of it: `link`, the `Link` field of the answer with `rel="next"`; or the path
 * from its root to the URL of the next page, such as `next` or `["@iot.nextLink"]`.
 */
export type HttpSourcePages = 'link' | { readonly next: string };

/** What sources that poll documents over HTTP have in common. */
export interface DocumentSourceOptions {
  /** How its records become RDF. */
  readonly mapping: CompiledMapping;
  /**
   * Its name within the stream, never a secret.
   * @defaultValue `url` without query and user
   */
  readonly origin?: string;
  /**
   * How often it is polled, milliseconds: 1 to 86400000, a day.
   * @defaultValue as the document says by the `documentTtl` of its mapping, else 60000, a minute
   */
  readonly intervalMs?: number;
  /**
   * The least time between polls that what a document says of its next update may lead to, milliseconds: 1 to 86400000.
   * @defaultValue 5000
   */
  readonly minIntervalMs?: number;
  /**
   * The longest time between polls that what a document says of its next update may lead to, milliseconds:
   * `minIntervalMs` to 86400000, a day.
   * @defaultValue 3600000, an hour, or `minIntervalMs` if that is more
   */
  readonly maxIntervalMs?: number;
  /** Header fields of every request, such as keys; not sent to another origin than that of `url`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: HttpSourceLimits;
}

/** A document that is polled over HTTP, and how it becomes RDF. */
export interface HttpSourceOptions extends DocumentSourceOptions {
  /** Where it is: absolute, http or https. Keys in its query and its user are never shown. */
  readonly url: string;
  /** Where the lookups of the mapping are, each by its name; all that it has, and no other. */
  readonly lookups?: Readonly<Record<string, HttpSourceLookup>>;
  /** How it goes on. @defaultValue it is one page */
  readonly pages?: HttpSourcePages;
}

/**
 * Makes the source of a document that is polled over HTTP and mapped: JSON, NDJSON, GeoJSON, CSV or XML.
 *
 * @param environment - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range, a lookup of the mapping without a URL,
 *   or one that the mapping does not have
 * @example
 * ```ts
 * const mapping = compileMapping(parseMapping(yaml), { publicUrl, streamUrl });
 * const source = createHttpSource({ url: 'https://city.example/garages.json', intervalMs: 60_000, mapping });
 * for await (const batch of source.drafts(log.latest, signal)) await log.append(batch);
 * ```
 * @see specs/sources.md SRC-1
 */
export function createHttpSource(options: HttpSourceOptions, environment: Partial<SourceEnvironment> = {}): Source {
  const { lookups = {}, mapping } = options;
  const url = checkFeedUrl('url', options.url);
  const { feed, limits, lookup } = documentFeed(url, options);
  const known = Object.keys(mapping.lookups);
  for (const name of Object.keys(lookups)) {
    if (known.includes(name)) continue;
    const expected = `one of the lookups of the mapping (${known.join(', ') || 'it has none'})`;
    throw errors.ERR_SOURCE_OPTION({ option: 'lookups', value: `"${name}"`, expected });
  }
  const polled = known.map((name) => {
    if (Object.hasOwn(lookups, name)) return [name, lookup(name, lookups[name] as HttpSourceLookup)] as const;
    const expected = 'the URL of the lookup document of the mapping';
    throw errors.ERR_SOURCE_OPTION({ option: `lookups["${name}"]`, value: 'missing', expected });
  });
  const place = { url: url.href, lookups: Object.fromEntries(polled) };
  const paging = options.pages && {
    limitPages: limits.limitPages,
    // What of a state is left unread would look as if it had ended; an observation cannot.
    needsAll: mapping.kind === 'state',
    next: pageLinks(options.pages, mapping.reading, limits),
  };
  return createPolledSource({ ...feed, place, paging }, { ...systemEnvironment, ...environment });
}

/** Where a SensorThings service says that there is more. */
const OBSERVATION_PAGES = { next: '["@iot.nextLink"]' } as const;

/** How many pages of the newest observations are read in one poll: all that were made since the last are among them. */
const OBSERVATION_PAGE_COUNT = 10;

/** What an observation belongs to, and the newest first: as the preset `sensorthings` takes them. */
const OBSERVATION_QUERY = {
  $expand: 'Datastream($expand=Thing,Sensor,ObservedProperty),FeatureOfInterest',
  $orderby: 'phenomenonTime%20desc',
  $top: '100',
};

/**
 * Makes the source of the newest observations of an OGC SensorThings service.
 *
 * @param options - as of `createHttpSource`; `url` is that of the service, or of observations, and is asked with what
 *   its query lacks of `$expand`, `$orderby` and `$top`; `pages` follow `@iot.nextLink`, and `limitPages` is 10, unless
 *   they are given
 * @param environment - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - as `createHttpSource`
 * @see specs/sources.md SRC-29
 */
export function createSensorThingsSource(
  options: HttpSourceOptions,
  environment: Partial<SourceEnvironment> = {},
): Source {
  const service = checkFeedUrl('url', options.url);
  const { origin = printableUrl(service), pages = OBSERVATION_PAGES } = options;
  const limits = { limitPages: OBSERVATION_PAGE_COUNT, ...options.limits };
  return createHttpSource({ ...options, url: observationsUrl(service), origin, pages, limits }, environment);
}

function observationsUrl(service: URL): string {
  const url = new URL(service);
  if (!/\/Observations\/?$/.test(url.pathname)) {
    // Another collection, or a service of its own kind: its query is somebody's decision.
    if (url.search !== '') return url.href;
    url.pathname = url.pathname.replace(/\/?$/, '/Observations');
  }
  const lacking = Object.entries(OBSERVATION_QUERY).filter(([name]) => !url.searchParams.has(name));
  url.search = [url.search.slice(1), ...lacking.map((parameter) => parameter.join('='))].filter(Boolean).join('&');
  return url.href;
}

const DEFAULT_INTERVAL_MS = 60_000;
const DEFAULT_MIN_INTERVAL_MS = 5000;
const DEFAULT_MAX_INTERVAL_MS = 3_600_000;
/** How often a document beside a feed is gotten, unless configured, milliseconds. */
export const DEFAULT_LOOKUP_INTERVAL_MS = 3_600_000;

const MAX_PAGES = 10_000;
export const DEFAULT_LIMIT_PAGES = 100;
/** Unless configured: two polls of such documents, the last and the next, fit a heap of 512 MiB. */
export const DEFAULT_LIMIT_BYTES = 33_554_432;

/**
 * Checks what sources of documents have in common, and fills in the defaults.
 *
 * @returns what is polled, the limits of its documents, and what checks a lookup of the mapping
 * @throws {@link StreamError} `ERR_SOURCE_OPTION`, also by `lookup` - an option out of its range
 */
export function documentFeed(url: URL, options: DocumentSourceOptions) {
  const { mapping, headers = {}, intervalMs, minIntervalMs = DEFAULT_MIN_INTERVAL_MS } = options;
  const { limitGoneShare = DEFAULT_LIMIT_GONE_SHARE, limitPages = DEFAULT_LIMIT_PAGES } = options.limits ?? {};
  if (intervalMs !== undefined) checkInteger('intervalMs', intervalMs, 1, MAX_INTERVAL_MS);
  checkInteger('minIntervalMs', minIntervalMs, 1, MAX_INTERVAL_MS);
  const { maxIntervalMs = Math.max(DEFAULT_MAX_INTERVAL_MS, minIntervalMs) } = options;
  checkInteger('maxIntervalMs', maxIntervalMs, minIntervalMs, MAX_INTERVAL_MS);
  checkHeaders('headers', headers);
  checkInteger('limitPages', limitPages, 1, MAX_PAGES);
  checkShare('limitGoneShare', limitGoneShare);
  const origin = options.origin ?? printableUrl(url);
  const limits = { limitPages, ...documentLimits(options.limits) };
  // A lookup changes seldom: as long as its bytes are held, what was read of them is.
  const lookupDocuments = new WeakMap<Uint8Array, unknown>();
  const readLookup = async (name: string, bytes: Uint8Array) => {
    const reading = mapping.lookups[name]?.reads ?? {};
    if (!lookupDocuments.has(bytes)) lookupDocuments.set(bytes, await readInSlices(bytes, reading, limits));
    return lookupDocuments.get(bytes);
  };
  return {
    feed: {
      origin,
      headers,
      limits: fetchLimits({ limitBytes: DEFAULT_LIMIT_BYTES, ...options.limits }),
      limitGoneShare,
      intervalMs: intervalMs ?? DEFAULT_INTERVAL_MS,
      // An interval that is configured is the operator's word; what the document says is the producer's.
      ...(intervalMs === undefined ? { minIntervalMs, maxIntervalMs } : {}),
      read: mappedReader(mapping, limits, readLookup),
    },
    limits,
    lookup(name: string, given: HttpSourceLookup): PolledLookup {
      const { href } = checkFeedUrl(`lookups["${name}"].url`, given.url);
      const { intervalMs: everyMs = DEFAULT_LOOKUP_INTERVAL_MS } = given;
      checkInteger(`lookups["${name}"].intervalMs`, everyMs, 1, MAX_INTERVAL_MS);
      return { url: href, intervalMs: everyMs, check: async (bytes) => void (await readLookup(name, bytes)) };
    },
  };
}

/**
 * Makes what finds the URL of the next page: in the `Link` field, or by a path in the document. An absent value, null
 * and the empty text say that there is none.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - no path, or one that does not lead from the root to one value
 * @see specs/sources.md SRC-5
 */
function pageLinks(pages: HttpSourcePages, reading: DocumentReading, limits: DocumentLimits): Paging['next'] {
  if (pages === 'link')
    return ({ link }) => (link === undefined ? undefined : findLink(linkReferences(link), 'next')?.reference);
  const steps = stepsOf(pages.next);
  return async ({ bytes }) => {
    const found = steps.reduce(stepInto, await readInSlices(bytes, reading, limits));
    if (found === undefined || found === null || found === '') return undefined;
    // What is no text is no URL either, and is refused as such.
    return typeof found === 'string' ? found : NO_URL;
  };
}

const NO_URL = 'http://';

function stepsOf(path: string): readonly PathStep[] {
  try {
    const { start, steps, ofKey } = parsePath(path);
    const isFromRoot = start.from === 'record' || start.from === 'root';
    if (isFromRoot && !ofKey && !steps.includes('each')) return steps;
  } catch (thrown) {
    if (!(thrown instanceof PathMistake)) throw thrown;
  }
  const expected = 'a path from the root of the document to one value, such as next or ["@iot.nextLink"]';
  throw errors.ERR_SOURCE_OPTION({ option: 'pages.next', value: `"${path}"`, expected });
}

function stepInto(value: unknown, step: PathStep): unknown {
  if (typeof value !== 'object' || value === null || step === 'each') return undefined;
  if ('item' in step) return Array.isArray(value) ? value[step.item] : undefined;
  return Object.hasOwn(value, step.field) ? (value as Record<string, unknown>)[step.field] : undefined;
}

/** A document is looked at for fields that are not mapped once in this time, milliseconds. */
const LOOK_UNMAPPED_MS = 600_000;

/**
 * Makes the reader of a feed of documents that a mapping maps: page by page, beside the lookups.
 *
 * It throws those of `readDocument` and of the mapping, and `ERR_RECORDS_UNREADABLE` where there are records, and none
 * of them can be mapped: that is a mistake of the mapping or of the source, and no sign that all has ended.
 *
 * @see specs/sources.md SRC-2, SRC-3
 */
function mappedReader(
  mapping: CompiledMapping,
  limits: DocumentLimits,
  readLookup: (name: string, bytes: Uint8Array) => Promise<unknown>,
): PolledSourceOptions['read'] {
  const watch = new UnmappedWatch({ looks: 1, everyMs: LOOK_UNMAPPED_MS });
  // What was seen last holds until the next look.
  let unmapped = new Set<string>();
  return async (body, { nowMs }) => {
    const lookups: Record<string, unknown> = {};
    for (const [name, bytes] of Object.entries(body.lookups)) lookups[name] = await readLookup(name, bytes);
    const pages: MappedDocument[] = [];
    const budget = { left: limits.limitValues };
    let records = 0;
    for (const bytes of body.pages) {
      const document = await readInSlices(bytes, mapping.reading, limits, budget);
      const recordLimit = { limitRecords: limits.limitRecords, before: records };
      const page = await mapping.map({ document, lookups, recordLimit });
      records += page.records;
      pages.push(page);
    }
    const entities = pages.flatMap((page) => page.entities);
    const problems = pages.flatMap((page) => page.problems).slice(0, MAX_PROBLEMS);
    if (records > 0 && entities.length === 0) {
      const [problem] = problems;
      throw errors.ERR_RECORDS_UNREADABLE({ records, first: problem?.message ?? 'it has no key.' }, problem);
    }
    const findings: Record<string, number> = {};
    for (const [name, count] of pages.flatMap((page) => Object.entries(page.findings))) {
      findings[name] = (findings[name] ?? 0) + count;
    }
    if (watch.mayLook(nowMs)) {
      unmapped = new Set();
      for (const page of pages) for (const path of await page.unmapped()) unmapped.add(path);
      watch.note([...unmapped]);
    }
    if (unmapped.size > 0) findings.unmapped = unmapped.size;
    const notice = watch.tell(nowMs);
    return {
      entities,
      deleted: [],
      unreadable: pages.flatMap((page) => page.unreadableEntities),
      unnamedRecords: sum(pages.map((page) => page.unnamedRecords)),
      // An observation does not end by being absent.
      differential: mapping.kind === 'observation',
      findings,
      problems: notice ? [notice, ...problems] : problems,
      headerMs: pages[0]?.documentTimeMs,
      ttlMs: pages[0]?.documentTtlMs,
    };
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
