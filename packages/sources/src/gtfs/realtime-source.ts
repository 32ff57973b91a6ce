/* The source of a GTFS-Realtime feed: its options, checked, and what tells its alerts from what may not end all at once.
 *
 *   { url, intervalMs: 20000, publicUrl, streamUrl } -> polling -> bytes -> feed.ts -> { entities, deleted, ... } */
import {
  checkedNumbers,
  checkFeedUrl,
  checkHeaders,
  checkInteger,
  checkShare,
  MAX_INTERVAL_MS,
  printableUrl,
} from '../options.ts';
import { type FetchLimits, fetchLimits } from '../polling/fetch.ts';
import { DEFAULT_LIMIT_GONE_SHARE } from '../polling/judge.ts';
import { createPolledSource } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import { DECODE_RANGES, type DecodeLimits } from './decode-limits.ts';
import { createRtReader, type RtReaderOptions } from './feed.ts';
import { createEntityIris, type EntityKind, type NaturalKey } from './keys.ts';

/** Unless configured, bytes: the last body and the next fit into 512 MiB with what is read of them. */
const DEFAULT_LIMIT_BYTES = 33_554_432;

/** How much of a feed is taken, and how long it may take; `limitBytes` is 33554432, 32 MiB, unless given. */
export interface GtfsRtLimits extends Partial<FetchLimits>, DecodeLimits {
  /**
   * The share of the feed's living entities that one poll may end, from 0 to 1; more must be confirmed by a
   * second poll.
   * @defaultValue 0.5 of what is no alert; alerts may end as they will
   */
  readonly limitGoneShare?: number;
}

/** A file of GTFS that is polled. */
export interface PolledGtfs {
  /** Where it is: absolute, http or https. Keys in its query and its user are never shown. */
  readonly url: string;
  /**
   * Its name within the stream, never a secret.
   * @defaultValue `url` without query and user
   */
  readonly origin?: string;
  /** Header fields of every request, such as keys; not sent to where another origin is redirected to. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Partial<FetchLimits> & { readonly limitGoneShare?: number };
}

/** A GTFS-Realtime feed, and how it becomes RDF. */
export interface GtfsRtSourceOptions extends PolledGtfs, RtReaderOptions {
  /** How often it is polled, milliseconds: from 1 to 86400000, a day. */
  readonly intervalMs: number;
  readonly limits?: GtfsRtLimits;
}

/**
 * Makes the source of a GTFS-Realtime feed that is polled over HTTP.
 *
 * @param environment - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range
 * @throws {@link StreamError} `ERR_KEY_FIELD` - `keys` names no field
 * @throws {@link StreamError} `ERR_IRI_TEMPLATE` - a template of `iris` cannot make IRIs
 * @example
 * ```ts
 * const url = 'https://agency.example/vehiclepositions.pb';
 * const { publicUrl, url: streamUrl } = describeStream({ publicUrl: 'https://live.example.org/', name: 'vehicles' });
 * const source = createGtfsRtSource({ url, intervalMs: 20_000, publicUrl, streamUrl });
 * for await (const batch of source.drafts(log.latest, signal)) await log.append(batch);
 * ```
 * @see specs/gtfs-realtime.md GTFS-30
 */
export function createGtfsRtSource(options: GtfsRtSourceOptions, environment: Partial<SourceEnvironment> = {}): Source {
  const { limits = {} } = options;
  const read = createRtReader({ ...options, limits: checkedNumbers(DECODE_RANGES, limits) });
  return createPolledSource(
    {
      ...polledFeed(options, { limitBytes: DEFAULT_LIMIT_BYTES }),
      endsFreely: limits.limitGoneShare === undefined ? alertTest(options) : undefined,
      read: ({ pages: [bytes] }) => read(bytes as Uint8Array),
    },
    { ...systemEnvironment, ...environment },
  );
}

/** What is polled, checked. */
export function polledFeed(options: PolledGtfs & { readonly intervalMs: number }, otherwise: Partial<FetchLimits>) {
  const { intervalMs, headers = {}, limits = {} } = options;
  const { limitGoneShare = DEFAULT_LIMIT_GONE_SHARE } = limits;
  const url = checkFeedUrl('url', options.url);
  checkInteger('intervalMs', intervalMs, 1, MAX_INTERVAL_MS);
  checkHeaders('headers', headers);
  checkShare('limitGoneShare', limitGoneShare);
  return {
    place: { url: url.href, lookups: {} },
    origin: options.origin ?? printableUrl(url),
    intervalMs,
    headers,
    limits: fetchLimits({ ...otherwise, ...limits }),
    limitGoneShare,
  };
}

/** What may stand for an id in an IRI. */
const PROBE = 'ldes-live-probe';

// The last disruption ends on a good day: that all alerts are gone is no sign of an error. Which entity is an alert is told
// by its IRI alone, since it may have been published before the source was started.
function alertTest(options: RtReaderOptions): ((entity: string) => boolean) | undefined {
  const iris = createEntityIris({ base: options.publicUrl, stream: options.streamUrl }, options.iris);
  const start = (kind: EntityKind, by: NaturalKey['by']) =>
    iris.entity(kind, { by, parts: [PROBE] }, 1).split(PROBE, 1)[0] ?? '';
  const ofAlerts = start('alert', 'alerts');
  const others = [
    ...(['vehicles', 'trips', 'routes'] as const).flatMap((by) => [start('vehicle', by), start('trip_update', by)]),
    ...[start('shape', 'shapes'), start('stop', 'stops'), start('trip_modifications', 'trip-modifications')],
  ];
  // Templates may make IRIs that do not tell.
  const isTold = others.every((other) => !other.startsWith(ofAlerts) && !ofAlerts.startsWith(other));
  return isTold ? (entity) => entity.startsWith(ofAlerts) : undefined;
}
