import { MAX_RETRY_AFTER_MS } from '@ldes-live/latency';
import type { StreamError } from '@ldes-live/rdf-stream';
import { fieldsFor } from './get-pages.ts';
import { type HttpGetLimits, httpGet } from './http-get.ts';
import { named, requestedWaitMs } from './named-error.ts';
import type { SourceEnvironment } from './source.ts';
import type { Validators } from './validators.ts';

/** How soon a document that could not be gotten is asked for again, milliseconds; its own interval if that is less. */
export const LOOKUP_RETRY_MS = 60_000;

/** A document beside a feed that changes less often than it. */
export interface PolledLookup {
  /** Absolute, http or https. */
  readonly url: string;
  /** How often it is gotten, milliseconds. */
  readonly intervalMs: number;
  /** Throws if the bytes are not what they should be: then those from before stay. */
  readonly check: (bytes: Uint8Array) => Promise<void>;
}

/** A document as it was gotten last. */
export interface HeldLookup {
  readonly bytes: Uint8Array;
  /** Of where it came from. */
  readonly url: string;
  readonly validators: Validators | undefined;
  /** When it is to be gotten again, epoch milliseconds. */
  readonly dueMs: number;
}

/** What a lookup is now, and what went wrong where it is still the one from before. */
export interface RefreshedLookup {
  readonly held: HeldLookup;
  readonly error?: StreamError;
}

/** What requests of lookups have in common with those of their feed. */
export interface LookupRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** The URL whose origin the header fields are meant for. */
  readonly home: string;
  readonly limits: HttpGetLimits;
}

/**
 * Gets a lookup again if that is due; one that cannot be gotten, or is not what it should be, stays as it was.
 *
 * @param held - as it was gotten last; whatever fails is thrown when there is none
 * @throws {@link StreamError} those of `httpGet`, and what `check` throws - where nothing is held
 * @see specs/sources.md SRC-10
 */
export async function refreshLookup(
  lookup: PolledLookup,
  held: HeldLookup | undefined,
  request: LookupRequest,
  edge: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<RefreshedLookup> {
  const { url, intervalMs, check } = lookup;
  const former = held?.url === url ? held : undefined;
  if (former && isWaiting(former, intervalMs, edge.clock())) return { held: former };
  try {
    const headers = fieldsFor(url, request.home, request.headers);
    const answer = await httpGet(
      { url, headers, validators: former?.validators, limits: request.limits },
      edge,
      signal,
    );
    const dueMs = edge.clock() + intervalMs;
    if (answer.kind === 'unchanged') return { held: { ...(former as HeldLookup), dueMs } };
    const { bytes, validators } = answer;
    // The bytes that are held may have been read already, and are not read again.
    const isSame = former !== undefined && Buffer.compare(bytes, former.bytes) === 0;
    if (!isSame) await check(bytes);
    return { held: { bytes: isSame ? former.bytes : bytes, url, validators, dueMs } };
  } catch (thrown) {
    // A lookup that has moved is another: that of the former place says nothing of it.
    if (!former || signal.aborted) throw thrown;
    const error = named(thrown);
    const askedMs = Math.min(requestedWaitMs(error) ?? 0, MAX_RETRY_AFTER_MS);
    const waitMs = Math.max(Math.min(intervalMs, LOOKUP_RETRY_MS), askedMs);
    // As with a feed: after a body that was not taken, the next request must bring a whole one.
    return { held: { ...former, validators: undefined, dueMs: edge.clock() + waitMs }, error };
  }
}

// A clock that was set back must not put it off for longer than its interval.
function isWaiting({ dueMs }: HeldLookup, intervalMs: number, nowMs: number): boolean {
  return nowMs < dueMs && dueMs - nowMs <= Math.max(intervalMs, MAX_RETRY_AFTER_MS);
}
