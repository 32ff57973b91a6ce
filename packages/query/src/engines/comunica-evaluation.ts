/*
One evaluation by Comunica: what all that works for it is told by the context, and what ends it.

startEvaluation(source) -> { context, failed, stop() }
  actors -> evaluationOf(context) -> track(what flows), fail(error), limitTextChars

Comunica stops what an iterator is fed by when that is destroyed, but not across aggregates and ASK, which would go on counting
for nobody: so all that flows is noted until it ends. And it passes over some errors, as those in GROUP_CONCAT or COALESCE, which
by SPARQL have no value: those that end a query are told past it.
*/
import type { IActionQueryOperation } from '@comunica/bus-query-operation';
import type { IActionContext, IQueryOperationResult } from '@comunica/types';
import { ActionContextKey, KeysQuerySourceIdentify } from '#comunica';
import { errors } from '../errors.ts';
import type { EvaluationLimits } from './engine.ts';

/** What of Comunica's iterators is used here. */
export interface Flow<T = unknown> {
  /** Whether it has ended. */
  readonly done?: boolean;
  on(event: 'data', listener: (item: T) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy(): void;
}

/** What an evaluation tells those that work for it, by the context that they are given. */
interface Evaluation extends Pick<EvaluationLimits, 'limitTextChars'> {
  /** Notes what flows. */
  track(flow: Flow): void;
  /** Has the evaluation fail, whoever catches what is thrown. */
  fail(error: unknown): void;
}

const EVALUATION = new ActionContextKey<Evaluation>('@ldes-live/query:evaluation');

const underWay = new Set<Evaluation>();

/** The evaluation that a context is of. */
export function evaluationOf(context: IActionContext): Evaluation | undefined {
  return context.get(EVALUATION);
}

/** Fails all evaluations in this thread, where it is not known whose fault it was. */
export function failAll(error: unknown): void {
  for (const evaluation of underWay) evaluation.fail(error);
}

/** An evaluation that has begun. */
interface Begun {
  /** To ask with. */
  readonly context: object;
  /** Rejects by what nobody would be told of otherwise. */
  readonly failed: Promise<never>;
  stop(): void;
}

/**
 * Begins an evaluation over a source.
 *
 * @param sourceId - what Comunica puts before the labels of the source's blank nodes
 */
export function startEvaluation(
  source: object,
  sourceId: string,
  { limitTextChars }: Pick<EvaluationLimits, 'limitTextChars'>,
): Begun {
  const flows = new Set<Flow>();
  let isStopped = false;
  const { promise: failed, reject: fail } = deferred();
  const evaluation: Evaluation = {
    track: (flow) => {
      if (isStopped) return flow.destroy();
      flows.add(flow);
      flow.on('end', () => flows.delete(flow));
      // Not all that reads it listens, and then the error would end the program.
      flow.on('error', fail);
    },
    fail,
    limitTextChars,
  };
  underWay.add(evaluation);
  const context = {
    sources: [source],
    [KeysQuerySourceIdentify.sourceIds.name]: new Map([[source, sourceId]]),
    [EVALUATION.name]: evaluation,
    // This engine has no way to the network, as far as it is known: should it gain one, it ends here.
    fetch: async (url: unknown) => {
      throw errors.ERR_SERVICE_REFUSED({ service: String(url) });
    },
  };
  const stop = () => {
    isStopped = true;
    underWay.delete(evaluation);
    for (const flow of flows) flow.destroy();
    flows.clear();
  };
  return { context, failed, stop };
}

function deferred(): { readonly promise: Promise<never>; readonly reject: (error: unknown) => void } {
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<never>((_resolve, rejected) => {
    reject = rejected;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}

/** Notes what an operation gives, as an observer of their bus. */
export function trackOutput(
  _actor: unknown,
  { context }: IActionQueryOperation,
  output: Promise<IQueryOperationResult>,
): void {
  const evaluation = evaluationOf(context);
  if (!evaluation) return;
  // What fails is reported where the output is awaited.
  output.then(
    (result) => {
      if (result.type === 'bindings') evaluation.track(result.bindingsStream as unknown as Flow);
      if (result.type === 'quads') evaluation.track(result.quadStream as unknown as Flow);
    },
    () => undefined,
  );
}
