import type { Answer } from './answer-reader.ts';
import { firstInstantMs, nextByMalMs, nextStepMs, nextUpdateOf } from './next-poll.ts';
import type { PollBehaviour } from './poll-messages.ts';
import type { ReadEstimate } from './read-estimate.ts';

/** How an answer came; instants are microseconds of one clock. */
interface AnswerTimes {
  readonly answer: Answer;
  readonly dueMicros: number;
  readonly askedMicros: number;
  readonly nowMicros: number;
  /** Whether it is the first that the reader got. */
  readonly isFirst: boolean;
}

/** When a reader asks next. */
export interface PollPace {
  /** What two instants of its own are apart, microseconds: one that is missed is made up for so much later. */
  readonly stepMicros: number;
  next(times: AnswerTimes): number;
  afterFailure(dueMicros: number, nowMicros: number): number;
  /** Requests that are due, of a reader whose request was due then and is not answered. */
  waiting(dueMicros: number, nowMicros: number): number;
}

/** What paces need that the answers do not tell. */
export interface PaceEdge {
  /** Of the reader, among all: in [0, 1). */
  readonly phase: number;
  readonly estimate: ReadEstimate;
  /** Epoch milliseconds where the clock of the instants is 0. */
  readonly epochMs: number;
}

/** Two requests after a failure are this far apart, of a reader with a MAL, milliseconds. */
const RETRY_MS = 1000;

/** The pace of one reader. */
export function pollPace(behaviour: PollBehaviour, edge: PaceEdge): PollPace {
  if (behaviour.kind === 'article') return articlePace(behaviour.pauseMs, edge);
  if (behaviour.kind === 'mal') return malPace(behaviour.malSeconds * 1000, edge);
  return openLoopPace(behaviour.everyMs, edge);
}

function articlePace(pauseMs: number, { phase }: PaceEdge): PollPace {
  return {
    stepMicros: pauseMs * 1000,
    next: ({ answer, askedMicros, nowMicros, isFirst }) => {
      // As if the first had been answered at any moment of the pause before.
      const fromMs = nowMicros / 1000 - (isFirst ? phase * pauseMs : 0);
      return nextStepMs(fromMs, pauseMs, askedMicros / 1000, isKept(answer) ? answer : undefined) * 1000;
    },
    afterFailure: (_due, nowMicros) => nowMicros + pauseMs * 1000,
    waiting: () => 1,
  };
}

function openLoopPace(everyMs: number, { phase }: PaceEdge): PollPace {
  const everyMicros = everyMs * 1000;
  const after = (dueMicros: number) => dueMicros + everyMicros;
  return {
    stepMicros: everyMicros,
    next: ({ dueMicros, nowMicros, isFirst }) =>
      isFirst ? firstInstantMs(nowMicros / 1000, everyMs, phase) * 1000 : after(dueMicros),
    afterFailure: after,
    waiting: (dueMicros, nowMicros) => 1 + Math.floor(Math.max(0, nowMicros - dueMicros) / everyMicros),
  };
}

function malPace(malMs: number, { phase, estimate, epochMs }: PaceEdge): PollPace {
  let lastUpdateMs: number | undefined;
  let intervalMs: number | undefined;
  const retry = (nowMicros: number) => nowMicros + Math.min(malMs, RETRY_MS) * 1000;
  return {
    stepMicros: malMs * 1000,
    next: ({ answer, askedMicros, nowMicros }) => {
      estimate.note((nowMicros - askedMicros) / 1000);
      if (!isKept(answer)) return retry(nowMicros);
      const updateMs = nextUpdateOf(answer);
      if (updateMs !== undefined) {
        // Polls may pass updates over: the shortest distance is nearest to the interval.
        const distanceMs = updateMs - (lastUpdateMs ?? updateMs);
        if (distanceMs > 0) intervalMs = Math.min(distanceMs, intervalMs ?? distanceMs);
        lastUpdateMs = updateMs;
      }
      const askedMs = epochMs + askedMicros / 1000;
      return (nextByMalMs(answer, { malMs, phase, askedMs, readMs: estimate.ms, intervalMs }) - epochMs) * 1000;
    },
    afterFailure: (_due, nowMicros) => retry(nowMicros),
    waiting: () => 1,
  };
}

function isKept({ status }: Answer): boolean {
  return status === 200 || status === 304;
}
