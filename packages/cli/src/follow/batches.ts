import { setImmediate as nextTurn } from 'node:timers/promises';

/** The most that is taken together: bounds what a long history holds in memory. */
const LIMIT_BATCH = 1000;

/**
 * Takes together what arrives together: whatever is there without waiting becomes one batch.
 *
 * @param limit - the most items of a batch
 */
export async function* batches<Item>(items: AsyncIterable<Item>, limit = LIMIT_BATCH): AsyncGenerator<readonly Item[]> {
  const iterator = items[Symbol.asyncIterator]();
  let pending = iterator.next();
  try {
    for (let next = await pending; !next.done; next = await pending) {
      const batch = [next.value];
      pending = iterator.next();
      while (batch.length < limit) {
        const ready = await Promise.race([unlessFailed(pending), nextTurn()]);
        if (ready === undefined || ready.done) break;
        batch.push(ready.value);
        pending = iterator.next();
      }
      // Whoever takes the batch may be busy when it fails.
      void unlessFailed(pending);
      yield batch;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A failure comes after what was there before it: it is thrown when its own turn is awaited. */
function unlessFailed<Result>(pending: Promise<Result>): Promise<Result | undefined> {
  return pending.catch(() => undefined);
}
