/*
 * When a polling client asks next: the article's, which looks at its own cache every so often, and a cheap form of ours, which
 * plans by a MAL as @ldes-live/client does. Both ask by the tag of what they have.
 */
import { planPoll, quantile } from '@ldes-live/latency';
import type { Answer } from './answers.ts';

/** When a polling client asks. */
export interface PollBehaviour {
  /**
   * `article`: so long after its last answer, and at steps as long from there on: while its own copy is fresh, by `max-age` or
   * `Expires` less `Age`, a step is answered by that copy and costs nothing. `mal`: as late as a MAL allows.
   */
  readonly kind: 'article' | 'mal';
  /** The pause after an answer, or the MAL: how far two instants of a client are apart. */
  readonly stepMs: number;
}

/**
 * When one client asks next that got an answer of 200 or 304; instants are of one clock.
 *
 * @param isFirst - whether the answer is the first that the client got
 */
export type PollPace = (answer: Answer, askedMs: number, nowMs: number, isFirst: boolean) => number;

/** What paces need that the answers do not have. */
interface PaceOptions {
  /** Of the client, among all: in [0, 1). */
  readonly phase: number;
  readonly estimate: ReadEstimate;
  /** Epoch milliseconds where the clock of the instants is 0. */
  readonly epochMs: number;
}

/** The pace of one client. */
export function pollPace({ kind, stepMs }: PollBehaviour, options: PaceOptions): PollPace {
  return kind === 'mal' ? malPace(stepMs, options) : articlePace(stepMs, options);
}

function articlePace(pauseMs: number, { phase }: PaceOptions): PollPace {
  return (answer, askedMs, nowMs, isFirst) => {
    // As if the first had been answered at any moment of the pause before.
    const fromMs = nowMs - (isFirst ? phase * pauseMs : 0);
    return fromMs + pauseMs * Math.max(1, Math.ceil((askedMs + freshForMs(answer) - fromMs) / pauseMs));
  };
}

/** How much of the MAL is for timers and servers that are a little late, as in @ldes-live/client. */
const SAFETY_SHARE = 0.1;
const MAX_SAFETY_MS = 1000;
const MAX_READ_SHARE = 0.5;

function malPace(malMs: number, { phase, estimate, epochMs }: PaceOptions): PollPace {
  let lastUpdateMs: number | undefined;
  let intervalMs: number | undefined;
  const safetyMs = Math.min(malMs * SAFETY_SHARE, MAX_SAFETY_MS);
  return (answer, askedMs, nowMs) => {
    estimate.note(nowMs - askedMs);
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
  };
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
