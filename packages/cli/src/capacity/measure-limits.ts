/** What measuring a URL may cost at most. */
export interface MeasureLimits {
  /** All requests, those that look at the answer included. */
  readonly requests: number;
  /** Requests under way at a time. */
  readonly connections: number;
  /** How long to go on asking, milliseconds. */
  readonly askMs: number;
  /** Between an answer and the next request of the same connection, milliseconds. */
  readonly pauseMs: number;
  /** After which everything is given up, milliseconds. */
  readonly totalMs: number;
  /** The largest answer, bytes. */
  readonly answerBytes: number;
}

/** For a server on this machine: hard enough to see what it can do. */
export const LOOPBACK_LIMITS: MeasureLimits = {
  requests: 100_000,
  connections: 16,
  askMs: 3000,
  pauseMs: 0,
  totalMs: 15_000,
  answerBytes: 64 * 1024 ** 2,
};

/** For the server of others: no more than a reader or two would ask. */
export const REMOTE_LIMITS: MeasureLimits = {
  requests: 5,
  connections: 1,
  askMs: 20_000,
  pauseMs: 1000,
  totalMs: 30_000,
  answerBytes: 16 * 1024 ** 2,
};

/** Of a hundred answers so many may fail before a measurement says nothing, in parts of 1. */
export const MOST_FAILED = 0.01;
