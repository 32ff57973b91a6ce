import { startChild } from '../child.ts';
import type { Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import { ENGINES, type EngineName, type EvaluationReport, type EvaluationTask } from './evaluation-messages.ts';
import type { EvaluationSize } from './query-plan.ts';

/** What evaluations take and hold, for each number of quads and each engine. */
export interface EvaluationResult {
  readonly rows: readonly EvaluationRow[];
}

/** One engine over one number of quads. Times in milliseconds. */
export interface EvaluationRow {
  readonly quads: number;
  readonly engine: EngineName;
  readonly local: LocalTimes;
  readonly whole: WholeTimes;
}

/** Of the entity-local query. */
interface LocalTimes {
  readonly solutions: number;
  /** From a commit being handed out to its result in the reader's hands. */
  readonly told: Spread;
  /** Asking Comunica again in full after the same commit. */
  readonly again: Spread;
  /** How many times as long the second takes, pair by pair. */
  readonly ratio: Spread;
  /** Resident memory of a process that has this live query alone; absent where there was none. */
  readonly residentBytes?: number;
}

/** Of the aggregate over all. */
interface WholeTimes {
  /** From the state being handed out to the first result. */
  readonly startMs: number;
  /** One evaluation. */
  readonly evaluation: Spread;
  /** Resident memory of a process that has this live query alone. */
  readonly residentBytes: number;
}

/** Measures both queries by each engine, each in new processes on the first core. */
export async function measureEvaluation(
  { quads: sizes, alone: isAlone, ...size }: EvaluationSize,
  { onProgress }: Setting,
): Promise<EvaluationResult> {
  const rows: EvaluationRow[] = [];
  for (const quads of sizes) {
    for (const engine of ENGINES) {
      const task = { ...size, quads, engine };
      const beside = await run({ ...task, query: 'local', isBeside: true }, 'local');
      const alone = isAlone ? await run({ ...task, query: 'local', isBeside: false }, 'local') : undefined;
      const whole = await run({ ...task, query: 'whole', isBeside: false }, 'full');
      const row = { quads, engine, local: localTimes(beside, alone), whole: wholeTimes(whole) };
      const { ratio } = row.local;
      rows.push(row);
      onProgress(
        `evaluation: ${engine} over ${quads} quads: ${ratio.median.toFixed(1)} times as fast as asking again`,
        rows.length / (sizes.length * ENGINES.length),
      );
    }
  }
  return { rows };
}

async function run(task: EvaluationTask, strategy: EvaluationReport['strategy']): Promise<EvaluationReport> {
  const child = startChild<EvaluationReport>(new URL('./evaluation-process.js', import.meta.url), [
    JSON.stringify(task),
  ]);
  const report = await child.next();
  await child.ended;
  if (report.strategy !== strategy) throw new Error(`the query '${task.query}' is answered by '${report.strategy}'`);
  return report;
}

/** @param alone - of a process that had no other store beside */
function localTimes(beside: EvaluationReport, alone?: EvaluationReport): LocalTimes {
  const pairs = beside.commits.flatMap(({ toldMs, againMs }) => (againMs === undefined ? [] : [{ toldMs, againMs }]));
  return {
    solutions: beside.solutions,
    told: spread(pairs.map(({ toldMs }) => toldMs)),
    again: spread(pairs.map(({ againMs }) => againMs)),
    ratio: spread(pairs.map(({ toldMs, againMs }) => againMs / toldMs)),
    ...(alone && { residentBytes: alone.residentBytes }),
  };
}

function wholeTimes({ startMs, commits, residentBytes }: EvaluationReport): WholeTimes {
  return { startMs, evaluation: spread(commits.map(({ evaluationMs }) => evaluationMs)), residentBytes };
}
