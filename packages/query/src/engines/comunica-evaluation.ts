/*
One evaluation by Comunica: what its actors know of it by the context, and what ends it.

startEvaluation(source) -> { context, failed, stop() }
  actors -> evaluationOf(context) -> track(flow), fail(error), limitTextChars

Comunica stops the inputs of an iterator that is destroyed, but not across aggregates and ASK, which would go on counting: so
every flow is tracked until it ends. And it ignores some errors, as in GROUP_CONCAT or COALESCE, where SPARQL says that they have
no value: errors that end a query do not go through it.
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

/** What actors find in their context. */
interface Evaluation extends Pick<EvaluationLimits, 'limitTextChars'> {
  track(flow: Flow): void;
  /** Fails the evaluation, whoever catches what is thrown. */
  fail(error: unknown): void;
}

const EVALUATION = new ActionContextKey<Evaluation>('@ldes-live/query:evaluation');

const underWay = new Set<Evaluation>();

export function evaluationOf(context: IActionContext): Evaluation | undefined {
  return context.get(EVALUATION);
}

/** Fails all evaluations in this thread, where it is not known which of them is at fault. */
export function failAll(error: unknown): void {
  for (const evaluation of underWay) evaluation.fail(error);
}

interface Begun {
  /** To ask with. */
  readonly context: object;
  /** Rejects with errors that Comunica would hide. */
  readonly failed: Promise<never>;
  stop(): void;
}

/** @param sourceId - what Comunica puts before the labels of the source's blank nodes */
export function startEvaluation(
  source: object,
  sourceId: string,
  { limitTextChars }: Pick<EvaluationLimits, 'limitTextChars'>,
): Begun {
  const flows = new Set<Flow>();
  let isStopped = false;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const evaluation: Evaluation = {
    track: (flow) => {
      if (isStopped) return flow.destroy();
      flows.add(flow);
      flow.on('end', () => flows.delete(flow));
      // An error that nobody listens to would end the program.
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
    // No actor of this engine is known to use the network: should one do so, it ends here.
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

/** Tracks the output of an operation, as an observer of their bus. */
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
