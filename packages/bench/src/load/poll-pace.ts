/*
 * When a polling client asks next: the article's, which looks at its own cache every so often, and a cheap form of ours, which
 * plans by a MAL as @ldes-live/client does. Both ask by the tag of what they have.
 */
import { planPoll, quantile } from '@ldes-live/latency';
import type { Answer } from './answers.ts';

/** When a polling client asks. */
export type PollBehaviour =
  /**
   * So long after its last answer, and at steps as long from there on: while its own copy is fresh, by `max-age` or `Expires`
   * less `Age`, a step is answered by that copy and costs nothing.
   */
  | { readonly kind: 'article'; readonly pauseMs: number }
  /** As late as a MAL allows. */
  | { readonly kind: 'mal'; readonly malSeconds: number };

/** When one client asks next; instants are of one clock. */
export interface PollPace {
  /** How far two instants of its own are apart: one that is missed is made up for so much later. */
  readonly stepMs: number;
  /** How long it waits after a request that failed. */
  readonly retryMs: number;
  /** @param isFirst - whether the answer is the first that the client got */
  nextMs(answer: Answer, askedMs: number, nowMs: number, isFirst: boolean): number;
}

/** What paces need that the answers do not have. */
interface PaceOptions {
  /** Of the client, among all: in [0, 1). */
  readonly phase: number;
  readonly estimate: ReadEstimate;
  /** Epoch milliseconds where the clock of the instants is 0. */
  readonly epochMs: number;
}

/** The pace of one client. */
export function pollPace(behaviour: PollBehaviour, options: PaceOptions): PollPace {
  return behaviour.kind === 'mal'
    ? malPace(behaviour.malSeconds * 1000, options)
    : articlePace(behaviour.pauseMs, options);
}

function articlePace(pauseMs: number, { phase }: PaceOptions): PollPace {
  return {
    stepMs: pauseMs,
    retryMs: pauseMs,
    nextMs: (answer, askedMs, nowMs, isFirst) => {
      // As if the first had been answered at any moment of the pause before.
      const fromMs = nowMs - (isFirst ? phase * pauseMs : 0);
      const freshUntilMs = askedMs + (isKept(answer) ? freshForMs(answer) : 0);
      return fromMs + pauseMs * Math.max(1, Math.ceil((freshUntilMs - fromMs) / pauseMs));
    },
  };
}

/** Two requests after a failure are at most this far apart, of a client with a MAL. */
const RETRY_MS = 1000;
/** How much of the MAL is for timers and servers that are a little late, as in @ldes-live/client. */
const SAFETY_SHARE = 0.1;
const MAX_SAFETY_MS = 1000;
const MAX_READ_SHARE = 0.5;

function malPace(malMs: number, { phase, estimate, epochMs }: PaceOptions): PollPace {
  let lastUpdateMs: number | undefined;
  let intervalMs: number | undefined;
  const retryMs = Math.min(malMs, RETRY_MS);
  const safetyMs = Math.min(malMs * SAFETY_SHARE, MAX_SAFETY_MS);
  return {
    stepMs: malMs,
    retryMs,
    nextMs: (answer, askedMs, nowMs) => {
      estimate.note(nowMs - askedMs);
      if (!isKept(answer)) return nowMs + retryMs;
      const nextUpdateMs = Date.parse(answer.field('next-update') ?? '');
      const isNamed = !Number.isNaN(nextUpdateMs);
      if (isNamed) {
        // Polls may pass updates over: the shortest distance is nearest to the interval.
        const distanceMs = nextUpdateMs - (lastUpdateMs ?? nextUpdateMs);
        if (distanceMs > 0) intervalMs = Math.min(distanceMs, intervalMs ?? distanceMs);
        lastUpdateMs = nextUpdateMs;
      }
      const plan = planPoll({
        readAtMs: epochMs + askedMs,
        hiddenAgeMs: hiddenAgeMs(answer),
        ...(isNamed && { nextUpdateMs }),
        ...(intervalMs !== undefined && { intervalMs }),
        malMs,
        readMs: Math.min(estimate.ms + safetyMs, malMs * MAX_READ_SHARE),
        phase,
      });
      return plan.atMs - epochMs;
    },
  };
}

function isKept({ status }: Answer): boolean {
  return status === 200 || status === 304;
}

/** For how long a client's own cache may give an answer again, from when it was asked for (RFC 9111, section 4.2). */
function freshForMs(answer: Answer): number {
  if (/(?:^|,)\s*no-(?:store|cache)\s*(?:,|$)/i.test(answer.field('cache-control') ?? '')) return 0;
  // By the clock of the server alone.
  const byDate = Date.parse(answer.field('expires') ?? '') - Date.parse(answer.field('date') ?? '');
  return Math.max(0, (maxAgeMs(answer) ?? (byDate || 0)) - ageMs(answer));
}

/** What expiry is rounded to. */
const EXPIRY_STEP_MS = 1000;

// A cache that replays header fields keeps its age to itself: an answer is as old as it may be kept at most.
function hiddenAgeMs(answer: Answer): number {
  if (ageMs(answer) > 0) return ageMs(answer) + 1000;
  const lifeMs = maxAgeMs(answer) ?? 0;
  return lifeMs + Math.min(lifeMs, EXPIRY_STEP_MS);
}

function maxAgeMs(answer: Answer): number | undefined {
  const seconds = /(?:^|,)\s*max-age=(\d{1,10})\s*(?:,|$)/i.exec(answer.field('cache-control') ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function ageMs(answer: Answer): number {
  return (Number(answer.field('age')) || 0) * 1000;
}

const WINDOW = 64;

/** How long answers take, but for the slowest few: of the last ones, over all clients of a process. */
export class ReadEstimate {
  #window: number[] = [];
  #isFirst = true;
  /** 0 before the first answer. */
  ms = 0;

  note(ms: number): void {
    this.#window.push(ms);
    const isFull = this.#window.length === WINDOW;
    // Sorted once for each window, and for each of the first few.
    if (isFull || this.#isFirst) this.ms = quantile(this.#window, 0.95, 0);
    if (!isFull) return;
    this.#isFirst = false;
    this.#window = [];
  }
}
