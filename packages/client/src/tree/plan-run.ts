import { type PollPlan, planPoll } from '@ldes-live/latency';
import type { PageAnswer } from './page-answer.ts';

/** What is known at the end of a synchronisation run. */
export interface RunCircumstances {
  /** The answers of all pages that may change, one or more. */
  readonly heads: readonly PageAnswer[];
  /** How long the publisher wishes readers to wait between runs, milliseconds. */
  readonly pollingIntervalMs?: number;
  /** The maximum acceptable latency, milliseconds. */
  readonly malMs: number;
  /** How long a run takes from its first request to its last member, milliseconds. */
  readonly readMs: number;
  /** The server's clock minus ours, milliseconds. */
  readonly clockOffsetMs: number;
  /** The client's place among all others, in [0, 1). */
  readonly phase: number;
}

/** The instant up to which nothing published is missing by the oldest of some answers, epoch milliseconds. */
export function currentAt(heads: readonly PageAnswer[]): number {
  return heads.reduce((oldestMs, { sentMs, ageMs }) => Math.min(oldestMs, sentMs - ageMs), Number.POSITIVE_INFINITY);
}

/**
 * Plans the next look at all pages that may change, together: never later than the MAL allows, and within that not
 * before their copies in caches end and the publisher's wish is met.
 *
 * @see specs/any-ldes.md READ-25
 */
export function planRun(circumstances: RunCircumstances): PollPlan {
  const { heads, pollingIntervalMs, malMs, readMs, clockOffsetMs, phase } = circumstances;
  const currentAtMs = currentAt(heads);
  let firstSentMs = Number.POSITIVE_INFINITY;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  // Pages that say nothing of their next update may change at any moment.
  let nextUpdateMs = Number.POSITIVE_INFINITY;
  for (const head of heads) {
    firstSentMs = Math.min(firstSentMs, head.sentMs);
    lastSentMs = Math.max(lastSentMs, head.sentMs);
    nextUpdateMs = Math.min(nextUpdateMs, (head.nextUpdateMs ?? Number.NEGATIVE_INFINITY) - clockOffsetMs);
  }
  const isPredicted = nextUpdateMs > currentAtMs;
  const plan = planPoll({
    readAtMs: firstSentMs,
    hiddenAgeMs: firstSentMs - currentAtMs,
    ...(isPredicted ? { nextUpdateMs } : {}),
    malMs,
    readMs,
    phase,
  });
  const oldestMs = isPredicted ? nextUpdateMs : currentAtMs;
  const latestMs = Math.max(plan.atMs, oldestMs + malMs - readMs);
  let { atMs } = plan;
  const wait = (untilMs: number) => {
    if (untilMs <= latestMs) atMs = Math.max(atMs, untilMs);
  };
  for (const { freshUntilMs = 0 } of heads) wait(freshUntilMs);
  if (pollingIntervalMs !== undefined) wait(lastSentMs + pollingIntervalMs);
  return { atMs, lagBoundMs: atMs - oldestMs + readMs };
}
