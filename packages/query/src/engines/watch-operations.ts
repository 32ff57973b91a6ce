import { comunicaBuses } from './comunica-buses.ts';
import { Evaluation, type Flow } from './evaluation.ts';

/** Under which key the context of a query holds its {@link Evaluation}. */
export const EVALUATION_KEY = '@ldes-live/query:evaluation';

interface Action {
  readonly context?: { getRaw?(key: string): unknown };
}

interface Output {
  readonly bindingsStream?: Flow;
  readonly quadStream?: Flow;
}

/**
 * Has every operation that an engine of Comunica works on noted with the evaluation that it belongs to.
 *
 * @returns false when the engine is not made as the pinned version is: its aggregates then cannot be stopped
 */
export function watchOperations(engine: object): boolean {
  const bus = comunicaBuses(engine).operations;
  if (!bus?.subscribeObserver) return false;
  bus.subscribeObserver({
    onRun(_actor, action: Action, output: Promise<Output>) {
      const evaluation = action.context?.getRaw?.(EVALUATION_KEY);
      if (!(evaluation instanceof Evaluation)) return;
      // What fails is told where the output is awaited.
      output.then(
        ({ bindingsStream, quadStream }) => {
          const flow = bindingsStream ?? quadStream;
          if (flow) evaluation.track(flow);
        },
        () => undefined,
      );
    },
  });
  return true;
}
