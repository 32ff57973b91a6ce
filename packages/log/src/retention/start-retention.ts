import { isStreamError, type RetentionPolicy } from '@ldes-live/rdf-stream';
import type { StreamLog } from '../stream-log.ts';
import { RetentionRunner } from './retention-runner.ts';

/** What {@link startRetention} takes. */
export interface RetentionOptions {
  /** Its `limitRead` has to be 250 at least. */
  readonly log: StreamLog;
  readonly policy: RetentionPolicy;
  /** Tells the time: epoch milliseconds. May jump. */
  readonly clock: () => number;
  /** Waits so many milliseconds, or until the signal is aborted, and then resolves or rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /**
   * How long pages stay whole after nothing leads to them any more, for readers that are on their way: milliseconds,
   * 0 or more.
   * @defaultValue 60000
   */
  readonly unlinkLeadMs?: number;
  /**
   * How long members are kept past what the policy says, for readers whose clock is late: milliseconds, 0 or more.
   * @defaultValue 60000
   */
  readonly clockSkewMs?: number;
  /**
   * Told of what the log throws, as `ERR_STORE_WRITE`; the same is tried again 10 seconds later. `ERR_SHELF_WRITE` holds
   * nothing up: it is told once, until documents go with their page again, and the next opening sweeps the shelf.
   */
  readonly onError?: (error: unknown) => void;
}

const UNLINK_LEAD_MS = 60_000;
const CLOCK_SKEW_MS = 60_000;
/** Between two steps while there is work, so that retention never takes the machine for itself. */
const BUSY_PAUSE_MS = 5;
/** The longest wait while there is none, so that commits are noticed. */
const IDLE_PAUSE_MS = 1000;
const ERROR_PAUSE_MS = 10_000;

/**
 * Keeps a log to its policy from now on: removes the sealed pages of which no member is kept.
 *
 * It works in steps that look at up to 250 members, unlink one page and erase one. It holds `versionAmount` versions
 * of each entity in memory; when it begins it reads what the log has, in such steps, before it removes anything.
 *
 * @returns resolves when the signal was aborted, or the log was closed, and the last step has ended
 * @see specs/retention.md RET-1
 */
export async function startRetention(options: RetentionOptions): Promise<void> {
  const { log, policy, clock, sleep, signal, onError = () => {} } = options;
  const { unlinkLeadMs = UNLINK_LEAD_MS, clockSkewMs = CLOCK_SKEW_MS } = options;
  const runner = new RetentionRunner({ log, policy, clock, unlinkLeadMs, clockSkewMs, onError });
  try {
    while (!signal.aborted) {
      const pauseMs = await runner.step().then(
        (nextMs) => Math.min(Math.max(nextMs - clock(), BUSY_PAUSE_MS), IDLE_PAUSE_MS),
        (error) => {
          if (isStreamError(error, 'ERR_LOG_CLOSED')) return undefined;
          onError(error);
          return ERROR_PAUSE_MS;
        },
      );
      if (pauseMs === undefined) return;
      // A sleep that is cut short may reject: the loop sees to it by the signal.
      await sleep(pauseMs, signal).catch(() => {});
    }
  } finally {
    runner.end();
  }
}
