import { startChild } from '../child.ts';
import type { Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import { ENGINES, type EngineName } from './evaluation-messages.ts';
import { type Judgement, judgeAnswers } from './judge-answers.ts';
import type { StallsSize } from './query-plan.ts';
import type { StallsReport, StallsTask } from './stalls-messages.ts';

/** What following costs the thread that follows, and what it knows, by each engine. */
export interface StallsResult {
  readonly runs: readonly StallsRun[];
}

/** One run of one engine. */
export interface StallsRun
  extends Judgement,
    Pick<StallsReport, 'evaluations' | 'idleStallMs' | 'startMs' | 'startStallMs' | 'stallMs'> {
  readonly engine: EngineName;
  readonly commits: number;
  readonly answers: number;
  /** Of all evaluations after the first, milliseconds. */
  readonly evaluation: Spread;
}

/** Follows a stream by an aggregate over all that a thread beside evaluates, by each engine once. */
export async function measureStalls(size: StallsSize, { onProgress }: Setting): Promise<StallsResult> {
  const runs: StallsRun[] = [];
  for (const engine of ENGINES) {
    const task: StallsTask = { ...size, engine };
    const module = new URL('./stalls-process.js', import.meta.url);
    // Its threads need a core each.
    const child = startChild<StallsReport>(module, [JSON.stringify(task)], 'any');
    const { published, answers, ...told } = await child.next();
    await child.ended;
    const judgement = judgeAnswers(published, answers, size.malSeconds);
    const evaluation = spread(answers.slice(1).map(({ evaluationMs }) => evaluationMs));
    const run = { engine, commits: published.length, answers: answers.length, ...told, ...judgement, evaluation };
    runs.push(run);
    onProgress(
      `stalls: ${engine}: ${run.stallMs.toFixed(1)} ms at most, ${run.startStallMs.toFixed(1)} at the start`,
      runs.length / ENGINES.length,
    );
  }
  return { runs };
}
