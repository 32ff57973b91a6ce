import { checkFeedUrl, checkHeaders, checkInteger, checkShare, MAX_INTERVAL_MS, printableUrl } from '../options.ts';
import { type FetchLimits, fetchLimits } from '../polling/fetch.ts';
import { DEFAULT_LIMIT_GONE_SHARE } from '../polling/judge.ts';
import { createPolledSource } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import { createRtReader, type RtReaderOptions } from './feed.ts';
import { createEntityIris, type EntityKind, type NaturalKey } from './keys.ts';
import type { DecodeLimits } from './wire.ts';

/** How much of a feed is taken, and how long it may take. */
export interface GtfsRtLimits extends Partial<FetchLimits>, DecodeLimits {
  /**
   * The share of the feed's living entities that one poll may end, from 0 to 1; more must be confirmed by a
   * second poll.
   * @defaultValue 0.5 of what is no alert; alerts may end as they will
   */
  readonly limitGoneShare?: number;
}

/** A GTFS-Realtime feed, and how it becomes RDF. */
export interface GtfsRtSourceOptions extends RtReaderOptions {
  /** Where it is: absolute, http or https. Keys in its query and its user are never shown. */
  readonly url: string;
  /**
   * Its name within the stream, never a secret.
   * @defaultValue `url` without query and user
   */
  readonly origin?: string;
  /** How often it is polled, milliseconds: from 1 to 86400000, a day. */
  readonly intervalMs: number;
  /** Header fields of every request, such as keys; not sent to where another origin is redirected to. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: GtfsRtLimits;
}

/**
 * Makes the source of a GTFS-Realtime feed that is polled over HTTP.
 *
 * @param edge - the world as the source sees it; where parts are absent, as it is
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
export function createGtfsRtSource(options: GtfsRtSourceOptions, edge: Partial<SourceEnvironment> = {}): Source {
  const { intervalMs, headers = {}, limits = {} } = options;
  const url = checkFeedUrl('url', options.url);
  const { limitGoneShare = DEFAULT_LIMIT_GONE_SHARE } = limits;
  checkInteger('intervalMs', intervalMs, 1, MAX_INTERVAL_MS);
  checkHeaders('headers', headers);
  checkShare('limitGoneShare', limitGoneShare);
  const origin = options.origin ?? printableUrl(url);
  const { limitDepth = 32, limitEntities = 1, limitEntityBytes = 1, limitUnknownNames = 0 } = limits;
  // What the specification of GTFS-Realtime nests.
  checkInteger('limitDepth', limitDepth, 6, Number.MAX_SAFE_INTEGER);
  checkInteger('limitEntities', limitEntities, 1, Number.MAX_SAFE_INTEGER);
  checkInteger('limitEntityBytes', limitEntityBytes, 1, Number.MAX_SAFE_INTEGER);
  checkInteger('limitUnknownNames', limitUnknownNames, 0, Number.MAX_SAFE_INTEGER);
  const read = createRtReader(options);
  return createPolledSource(
    {
      place: { url: url.href, lookups: {} },
      origin,
      intervalMs,
      headers,
      limits: fetchLimits(limits),
      limitGoneShare,
      endsFreely: limits.limitGoneShare === undefined ? alertTest(options) : undefined,
      read: ({ pages: [bytes] }) => read(bytes as Uint8Array),
    },
    { ...systemEnvironment, ...edge },
  );
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
