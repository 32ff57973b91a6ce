import type { StallsResult, StallsRun } from './measure-stalls.ts';
import type { StallsSize } from './query-plan.ts';

/** What following costs the thread that follows, for a terminal. */
export function stallsText({ runs }: StallsResult, size: StallsSize): string[] {
  const { quads, entities, malSeconds, intervalMs, durationMs } = size;
  return [
    '',
    `An aggregate over ${quads} quads that a thread beside evaluates, MAL ${malSeconds} s, a commit of ${entities} observations every ${intervalMs} ms for ${durationMs / 1000} s, one run each:`,
    ...runs.flatMap((run) => runLines(run, malSeconds)),
    '  to be shown: at most one evaluation for each MAL, stalls under 50 ms after the first answer, none claims more than it has',
  ];
}

function runLines(run: StallsRun, malSeconds: number): string[] {
  const { median, min, max } = run.evaluation;
  return [
    `  ${run.engine}`,
    `    evaluations        ${run.evaluations}, ${run.perMal.toFixed(2)} for each MAL; at least ${milliseconds(run.leastIntervalMs)} from one to the next`,
    `    an evaluation      ${milliseconds(median)} (${milliseconds(min)} to ${milliseconds(max)}, ${run.evaluation.repeats} times); the first answer after ${milliseconds(run.startMs)}`,
    `    stalls             ${run.stallMs.toFixed(1)} ms at most where it is followed; ${run.startStallMs.toFixed(1)} ms while the state was handed over, ${run.idleStallMs.toFixed(1)} ms with nothing to do`,
    `    age of the answer  ${milliseconds(run.oldestMs)} at most; ${milliseconds(run.oldestBeforeEvaluationMs)} without the evaluation that ended it (MAL ${malSeconds * 1000} ms)`,
    `    answers            ${run.answers} on ${run.commits} commits: ${run.overclaims} claimed more than they had, ${run.torn} had a commit in part, ${run.overruns} said that they overran`,
  ];
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
