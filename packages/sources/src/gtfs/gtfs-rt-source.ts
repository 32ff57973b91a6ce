import { checkFeedUrl, checkHeaders, checkInteger, checkShare, MAX_INTERVAL_MS, printableUrl } from '../options.ts';
import { type FetchLimits, fetchLimits } from '../polling/fetch.ts';
import { DEFAULT_LIMIT_GONE_SHARE } from '../polling/judge.ts';
import { createPolledSource } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import { createRtReader, type RtReaderOptions } from './feed.ts';
import type { DecodeLimits } from './wire.ts';

/** How much of a feed is taken, and how long it may take. */
export interface GtfsRtLimits extends Partial<FetchLimits>, DecodeLimits {
  /**
   * The share of the feed's living entities that one poll may end, from 0 to 1; more must be confirmed by a
   * second poll.
   * @defaultValue 0.5
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
  const limitGoneShare = limits.limitGoneShare ?? DEFAULT_LIMIT_GONE_SHARE;
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
      read: ({ pages: [bytes] }) => read(bytes as Uint8Array),
    },
    { ...systemEnvironment, ...edge },
  );
}
