import { mebibytes } from '../mebibytes.ts';
import type { SlowReaderSize } from './client-plan.ts';
import type { SlowReaderResult, SlowReaderRun } from './measure-slow-reader.ts';

/** What slow readers got and what that took, for a terminal. */
export function slowReaderText({ runs }: SlowReaderResult, plan: SlowReaderSize): string[] {
  const { entities, changesPerSecond, readEveryMs, durationMs } = plan;
  return [
    '',
    `${changesPerSecond} changes a second of ${entities} entities, one change read every ${readEveryMs} ms for ${durationMs / 1000} s, then the rest; one run each:`,
    ...runs.flatMap((run) => runText(run)),
  ];
}

function runText(run: SlowReaderRun): string[] {
  const { versions, slow, whole, published, publishedPerSecond, statusConflated, gaps, isWhole } = run;
  const { delivered, disordered } = whole;
  return [
    `  versions '${versions}', by ${run.mode}: ${published} published (${Math.round(publishedPerSecond)} a second)`,
    `    read slowly: ${slow.delivered} delivered, ${run.slowConflated} left out by then`,
    `    with the rest: ${delivered} delivered + ${statusConflated} left out, by the status, = ${delivered + statusConflated} of ${published}${isWhole ? '' : ', not all of it in time'}, in ${Math.round(run.restMs)} ms`,
    `    memory: ${mebibytes(run.earlyResidentBytes)} at most in the first quarter, ${mebibytes(run.peakResidentBytes)} in all; heap ${mebibytes(run.peakHeapBytes)} at most`,
    ...(disordered + gaps > 0 ? [`    ! ${disordered} changes are older than what came, ${gaps} gaps`] : []),
  ];
}
