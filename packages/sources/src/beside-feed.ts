import type { StreamError } from '@ldes-live/rdf-stream';
import { type HeldLookup, type LookupRequest, type PolledLookup, refreshLookup } from './refresh-lookup.ts';
import type { SourceEnvironment } from './source.ts';

/** Where a feed is, and the documents that are read beside it. */
export interface FeedPlace {
  /** Of its first page; absolute, http or https. */
  readonly url: string;
  /** By name. */
  readonly lookups: Readonly<Record<string, PolledLookup>>;
}

/** A document that says where a feed is. */
export interface FeedDirectory {
  readonly lookup: PolledLookup;
  /** Where its bytes say that the feed is; what it throws fails the poll. */
  readonly place: (bytes: Uint8Array) => FeedPlace;
}

/** What is held of the documents beside a feed. */
export interface HeldBeside {
  readonly directory?: HeldLookup;
  readonly lookups: Readonly<Record<string, HeldLookup>>;
}

/** Where the feed is now, with the documents beside it as they are now. */
export interface BesideFeed {
  readonly url: string;
  readonly held: HeldBeside;
  /** Of documents that stay as they were. */
  readonly problems: readonly StreamError[];
}

/**
 * Gets the documents beside a feed that are due: first the directory, then the lookups, all at once.
 *
 * @throws {@link StreamError} that of a document of which nothing is held
 * @see specs/sources.md SRC-10
 */
export async function besideFeed(
  place: FeedPlace | FeedDirectory,
  held: HeldBeside,
  request: LookupRequest,
  edge: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<BesideFeed> {
  const refresh = (lookup: PolledLookup, former: HeldLookup | undefined) =>
    refreshLookup(lookup, former, request, edge, signal);
  const directory = 'lookup' in place ? await refresh(place.lookup, held.directory) : undefined;
  const { url, lookups } = 'lookup' in place ? place.place(directory?.held.bytes as Uint8Array) : place;
  const refreshed = await Promise.all(
    Object.entries(lookups).map(async ([name, lookup]) => ({
      name,
      ...(await refresh(lookup, held.lookups[name])),
    })),
  );
  const errors = [directory?.error, ...refreshed.map(({ error }) => error)];
  return {
    url,
    held: {
      ...(directory && { directory: directory.held }),
      lookups: Object.fromEntries(refreshed.map(({ name, held: now }) => [name, now])),
    },
    problems: errors.filter((error) => error !== undefined),
  };
}

/**
 * What is held once a poll has failed: the feed may have moved, so the directory is due; and a lookup that changed since
 * the body that was last taken may be at fault, so it is due as a whole.
 *
 * @param taken - the bytes of the lookups that were read with that body
 */
export function afterFailure(
  { directory, lookups }: HeldBeside,
  taken: Readonly<Record<string, Uint8Array>>,
): HeldBeside {
  const suspect = ([name, held]: [string, HeldLookup]): [string, HeldLookup] =>
    taken[name] === held.bytes ? [name, held] : [name, { ...held, validators: undefined, dueMs: 0 }];
  return {
    ...(directory && { directory: { ...directory, dueMs: 0 } }),
    lookups: Object.fromEntries(Object.entries(lookups).map(suspect)),
  };
}
