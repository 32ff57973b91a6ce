import { errors } from '../errors.ts';
import type { Flow } from './evaluation.ts';

/**
 * Everything that flows, as far as it is taken.
 *
 * @param take - what becomes of an item; `undefined` when it is passed over
 * @param limitRows - how many may be taken
 * @throws {@link StreamError} `ERR_ANSWER_TOO_LARGE` - there are more; the flow is stopped then
 */
export function collect<T, R>(flow: Flow<T>, take: (item: T) => R | undefined, limitRows: number): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const taken: R[] = [];
    // One that has ended tells so to nobody who comes later.
    if (flow.done) return resolve(taken);
    const stop = (error: unknown) => {
      flow.destroy();
      reject(error);
    };
    flow.on('end', () => resolve(taken));
    flow.on('error', reject);
    flow.on('data', (item) => {
      try {
        const result = take(item);
        if (result === undefined) return;
        if (taken.length >= limitRows) return stop(errors.ERR_ANSWER_TOO_LARGE({ limitRows }));
        taken.push(result);
      } catch (error) {
        stop(error);
      }
    });
  });
}
