import { errors } from '../errors.ts';

/** The longest that a timer can wait. */
const LIMIT_TIMER_MS = 2 ** 31 - 1;

/**
 * Does work that ends when the signal that it is given is aborted, at the latest after so long.
 *
 * @param limitEvaluationMs - milliseconds
 * @param controller - of the work's signal; abort it to end the work before
 * @throws {@link StreamError} `ERR_EVALUATION_TIMEOUT` - it took longer, even where it could not be ended
 */
export async function withinTime<Result>(
  limitEvaluationMs: number,
  controller: AbortController,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = () => controller.abort(errors.ERR_EVALUATION_TIMEOUT({ limitEvaluationMs }));
  const startMs = performance.now();
  const timer = setTimeout(end, Math.min(limitEvaluationMs, LIMIT_TIMER_MS));
  try {
    const result = await work(controller.signal);
    // An engine that answers in one go leaves the timer no turn.
    if (performance.now() - startMs > limitEvaluationMs) end();
    controller.signal.throwIfAborted();
    return result;
  } finally {
    clearTimeout(timer);
  }
}
