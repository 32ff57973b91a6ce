import type { LiveResult } from '../live-result.ts';
import type { LiveRun } from './live-run.ts';

/** The reason of an end that its reader asked for, which is no error. */
const LEFT = Symbol('left');

/**
 * The iterator of a run. It can be left while a result is waited for, and lets everything go when the signal is aborted, even
 * if nothing is asked of it any more.
 *
 * @param ending - ends the run
 * @param signal - ends it from outside: its reason is thrown
 */
export function readRun(
  run: LiveRun,
  ending: AbortController,
  signal?: AbortSignal,
): AsyncIterableIterator<LiveResult> {
  const results = run.results();
  const abort = () => {
    ending.abort(signal?.reason);
    void run.letGo();
  };
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const ended = (): IteratorReturnResult<undefined> => {
    signal?.removeEventListener('abort', abort);
    return { done: true, value: undefined };
  };
  return {
    async next() {
      try {
        const { done, value } = await results.next();
        return done ? ended() : { done: false, value };
      } catch (error) {
        const end = ended();
        if (error === LEFT) return end;
        throw error;
      }
    },
    async return() {
      ending.abort(LEFT);
      await run.letGo();
      // One that waits for the evaluator ends by the signal, one at a result ends here; neither is waited for in vain.
      await results.return().catch(() => undefined);
      return ended();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
