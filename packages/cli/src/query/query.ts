import { createLiveClient } from '@ldes-live/client';
import { comunica, type EvaluatorFactory, type LiveQueryStatus, oxigraph, withQueries } from '@ldes-live/query';
import { evaluateInWorker } from '@ldes-live/query/worker';
import type { QueryCommand } from '../command-line/query-command.ts';
import { counted } from '../counted.ts';
import type { Environment } from '../environment.ts';
import { formatSpan } from '../follow/summary.ts';
import { TextOutput } from '../terminal/text-output.ts';
import { KeptWatch } from './kept-watch.ts';
import { type QueryPresentation, queryPresentation } from './query-presentation.ts';

/** How often it is looked how old the answer is, milliseconds. */
const LOOK_MS = 250;

/**
 * Asks a query over streams and prints what its answer is and becomes, until the count is reached, it is interrupted, or
 * nobody reads.
 *
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @throws {@link StreamError} those of the client that mean that a URL leads to no stream, and those of a live query
 */
export async function query(command: QueryCommand, edge: Environment): Promise<void> {
  const { urls, sparql, mal, windowMs, engine, count = Number.POSITIVE_INFINITY } = command;
  const output = new TextOutput(edge.stdout);
  const signal = AbortSignal.any([edge.interrupted, output.ended]);
  const presentation = queryPresentation(command, edge, output);
  const live = withQueries(createLiveClient({ mal })).query(urls, sparql, {
    signal,
    // A query that takes its time must not hold up what is read.
    evaluators: explaining(evaluateInWorker(), presentation),
    engine: engine === 'oxigraph' ? oxigraph() : comunica(),
    ...(windowMs !== undefined && { window: { type: 'time', range: windowMs / 1000 } }),
  });
  const kept = new KeptWatch(mal * 1000);
  const look = () => {
    const [status, nowMs] = [live.status, edge.clock()];
    return { status, nowMs, isKept: kept.look(status, nowMs) };
  };
  const looking = setInterval(() => presentation.look(look()), LOOK_MS);
  let results = 0;
  try {
    for await (const result of live) {
      await presentation.tell(result, look());
      results += 1;
      if (results >= count) break;
    }
    await presentation.look(look());
  } catch (error) {
    // The end that was asked for is no failure, however it comes back.
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearInterval(looking);
    output.close();
  }
  if (!output.ended.aborted) edge.stderr.write(`${lastLine(live.status, results, kept.notKeptMs)}\n`);
}

/** Tells how a query is answered as soon as that is known: the first answer may be long in coming. */
function explaining(evaluators: EvaluatorFactory, presentation: QueryPresentation): EvaluatorFactory {
  return async (task) => {
    const evaluator = await evaluators(task);
    presentation.explain(evaluator.explanation);
    return evaluator;
  };
}

function lastLine({ evaluations, overruns, skipped }: LiveQueryStatus, results: number, notKeptMs: number): string {
  if (evaluations === 0) return `${counted(results, 'result')}: nothing could be asked, since nothing has been read`;
  const asked = `asked ${counted(evaluations, 'time')}, ${counted(skipped, 'commit')} could not matter`;
  const over = `over the MAL ${counted(overruns, 'time')}, older than it for ${formatSpan(notKeptMs)} in all`;
  return `${counted(results, 'result')}; ${asked}; ${over}`;
}
