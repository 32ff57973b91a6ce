import { type Log, startRetention } from '@ldes-live/log';
import { isStreamError, type RetentionPolicy, type StreamError } from '@ldes-live/rdf-stream';
import type { Sleep } from '@ldes-live/sources';

/** What {@link retain} keeps, and how. */
export interface Retention {
  /** Nothing is removed when absent. */
  readonly policy: RetentionPolicy | undefined;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told when the log could not remove anything; it is tried again after a wait. */
  readonly onFailure: (error: StreamError) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/** Keeps a log to its policy until the signal ends it; resolves once nothing more is done to the log. */
export async function retain({ policy, onFailure, ...parts }: Retention): Promise<void> {
  if (!policy) return;
  let failed: unknown;
  const broken = new AbortController();
  await startRetention({
    ...parts,
    policy,
    signal: AbortSignal.any([parts.signal, broken.signal]),
    onError: (error) => {
      if (isStreamError(error)) return onFailure(error);
      // No fault of the store, so trying again would not mend it.
      failed = error;
      broken.abort();
    },
  });
  if (broken.signal.aborted) throw failed;
}
