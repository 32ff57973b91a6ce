import type { Explanation } from '../evaluator.ts';
import { liveQuery } from '../live-query.ts';
import type { EvaluatorFactory } from '../live-query-options.ts';
import { prepareQuery } from '../prepare/prepare-query.ts';
import { AnswerLine } from './answers/answer-line.ts';
import { StateThread, type Thread } from './answers/state-thread.ts';
import { LiveQueries } from './live/live-queries.ts';
import type { RunningQuery } from './live/shared-live-query.ts';
import type { QueriedStream } from './queried-stream.ts';
import { type SparqlLimits, sparqlLimits } from './sparql-limits.ts';

/** What {@link openQueries} needs beside the stream. */
export interface QueriesEdge {
  /** Makes what evaluates the live queries of a stream. */
  readonly evaluators: (limits: SparqlLimits) => EvaluatorFactory;
  /** Starts the thread that answers the others. */
  readonly startThread: (limits: SparqlLimits) => Thread;
  readonly heartbeatMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** The queries of one stream, live ones and others. */
export interface StreamQueries {
  readonly limits: SparqlLimits;
  readonly live: LiveQueries;
  readonly answers: AnswerLine;
}

/** Gets a stream ready to be asked; nothing is read or started before there is a question. */
export function openQueries({ limits: given, commits }: QueriedStream, edge: QueriesEdge): StreamQueries {
  const limits = sparqlLimits(given);
  const { heartbeatMs, graceMs, idleMs, clock, random, startThread } = edge;
  const { limitRows, limitQuads, limitEvaluationMs, limitQueryChars } = limits;
  const ofQuery = { limitRows, limitQuads, limitEvaluationMs, limitQueryChars };
  const factory = edge.evaluators(limits);
  const start = (sparql: string, mal: number, signal: AbortSignal): RunningQuery => {
    let found!: (explanation: Explanation) => void;
    let refused!: (error: unknown) => void;
    const ready = new Promise<Explanation>((resolve, reject) => {
      found = resolve;
      refused = reject;
    });
    // Its own evaluator tells what it is: to explain it first would make another one.
    const evaluators: EvaluatorFactory = async (task) => {
      try {
        const evaluator = await factory(task);
        found(evaluator.explanation);
        return evaluator;
      } catch (error) {
        refused(error);
        throw error;
      }
    };
    const results = liveQuery(commits(signal), sparql, { mal, limits: ofQuery, signal, clock, evaluators });
    return { ready, results };
  };
  return {
    limits,
    live: new LiveQueries({
      limits,
      heartbeatMs,
      graceMs,
      start,
      tellsStream: async (sparql) => {
        // Only there an operator is named; everything else is read where it is evaluated, and nothing here waits for it.
        if (!/\bREGISTER\b/i.test(sparql)) return false;
        const { operator = 'delta' } = await prepareQuery(sparql, { limitQueryChars });
        return operator !== 'delta';
      },
      // How long something takes, whatever the time of day does meanwhile.
      clock: () => performance.now(),
      random,
    }),
    answers: new AnswerLine({
      limits,
      answerer: new StateThread({ start: () => startThread(limits), commits, limits, idleMs }),
      random,
    }),
  };
}
