import { planPoll } from '@ldes-live/latency';
import type { AnswerHeader } from './answer-header.ts';
import { freshForMs, maxAgeSeconds } from './client-cache.ts';

/** What {@link planPoll} is given by this project's client: the most of the MAL for timers and servers that are a little late. */
const SAFETY_SHARE = 0.1;
const LONGEST_SAFETY_MS = 1000;
const LONGEST_READ_SHARE = 0.5;
/** What expiry is rounded to, milliseconds. */
const EXPIRY_STEP_MS = 1000;

/**
 * The first step of the article's client that its own copy cannot answer, milliseconds.
 *
 * @param fromMs - where its steps begin: at its last answer
 * @param askedMs - when that answer was asked for, on the same clock
 */
export function nextStepMs(fromMs: number, pauseMs: number, askedMs: number, header: AnswerHeader | undefined): number {
  const freshUntilMs = askedMs + (header === undefined ? 0 : freshForMs(header));
  return fromMs + pauseMs * Math.max(1, Math.ceil((freshUntilMs - fromMs) / pauseMs));
}

/**
 * The first instant of its own at which a reader asks in open loop, milliseconds.
 *
 * @param phase - in [0, 1)
 */
export function firstInstantMs(afterMs: number, everyMs: number, phase: number): number {
  return (Math.ceil(afterMs / everyMs - phase) + phase) * everyMs;
}

/** What a reader with a MAL plans by. */
export interface MalCircumstances {
  readonly malMs: number;
  readonly phase: number;
  /** When the answer was asked for, epoch milliseconds. */
  readonly askedMs: number;
  /** How long answers take, but for a few, milliseconds. */
  readonly readMs: number;
  /** From one update to the next, as far as it has been learned. */
  readonly intervalMs: number | undefined;
}

/** When a reader with a MAL asks next, epoch milliseconds, as this project's client plans it. */
export function nextByMalMs(header: AnswerHeader, circumstances: MalCircumstances): number {
  const { malMs, phase, askedMs, readMs, intervalMs } = circumstances;
  const nextUpdateMs = nextUpdateOf(header);
  return planPoll({
    readAtMs: askedMs,
    hiddenAgeMs: hiddenAgeMs(header),
    ...(nextUpdateMs !== undefined && { nextUpdateMs }),
    ...(intervalMs !== undefined && { intervalMs }),
    malMs,
    readMs: Math.min(readMs + Math.min(malMs * SAFETY_SHARE, LONGEST_SAFETY_MS), malMs * LONGEST_READ_SHARE),
    phase,
  }).atMs;
}

/** The next update that an answer names, epoch milliseconds. */
export function nextUpdateOf({ nextUpdate }: AnswerHeader): number | undefined {
  const ms = nextUpdate === undefined ? Number.NaN : Date.parse(nextUpdate);
  return Number.isNaN(ms) ? undefined : ms;
}

// A cache that replays header fields keeps its age to itself: an answer is as old as it may be kept at most.
function hiddenAgeMs({ ageSeconds, cacheControl }: AnswerHeader): number {
  if (ageSeconds > 0) return (ageSeconds + 1) * 1000;
  const maxAgeMs = (maxAgeSeconds(cacheControl) ?? 0) * 1000;
  return maxAgeMs + Math.min(maxAgeMs, EXPIRY_STEP_MS);
}
