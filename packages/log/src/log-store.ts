import type { StreamDescription } from '@ldes-live/rdf-stream';
import type { StreamLog } from './stream-log.ts';

/** A place that holds the logs of any number of streams. */
export interface LogStore {
  /**
   * Opens the log of a stream; makes it, under a new epoch, where the store has none of that name.
   *
   * @throws {@link StreamError} `ERR_LOG_OPEN` - that log is open already
   * @throws {@link StreamError} `ERR_STORE_CLOSED` - after {@link LogStore.close}
   * @throws {@link StreamError} `ERR_STREAM_MOVED` - the log was written for another `publicUrl`, which its members name
   */
  open(description: StreamDescription): Promise<StreamLog>;

  /** Closes all logs, then the store. May be called more than once. */
  close(): Promise<void>;
}

/** What every store takes. */
export interface LogStoreOptions {
  /** Tells the time: epoch milliseconds. May jump. */
  readonly clock: () => number;
  /** Gives random numbers in [0, 1), for the epoch of a new log. */
  readonly random: () => number;
  /**
   * How many appends of one log may be unsettled before more are refused with `ERR_LOG_BUSY`: an integer >= 1.
   * @defaultValue 1000
   */
  readonly limitPendingAppends?: number;
  /**
   * How many members one read may ask for, which bounds its memory: an integer >= 1.
   * @defaultValue 10000
   */
  readonly limitRead?: number;
  /**
   * How long at least pages that were erased are `emptied` before they are `gone`; up to a 60th longer, so that what
   * is remembered of them stays small. Milliseconds, 0 or more.
   * @defaultValue 3600000
   */
  readonly graceMs?: number;
}

/** {@link LogStoreOptions.graceMs} where none is given. */
export const GRACE_MS = 3_600_000;
