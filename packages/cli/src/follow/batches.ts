import { setImmediate as nextTurn } from 'node:timers/promises';

/** The most that is taken together: bounds what a long history holds in memory. */
const LIMIT_BATCH = 1000;

/** What arrived together. */
export interface Batch<Item, Mark extends object> {
  readonly items: readonly Item[];
  /** How things stood when the last of them had been delivered, and nothing after it. */
  readonly mark: Mark;
}

/**
 * Takes together what arrives together: whatever is there without waiting becomes one batch.
 *
 * @param mark - tells how things stand, to be kept with the batch
 * @param limit - the most items of a batch
 */
export async function* batches<Item, Mark extends object>(
  items: AsyncIterable<Item>,
  mark: () => Mark,
  limit = LIMIT_BATCH,
): AsyncGenerator<Batch<Item, Mark>> {
  const iterator = items[Symbol.asyncIterator]();
  let pending = iterator.next();
  try {
    for (let next = await pending; !next.done; next = await pending) {
      const batch = [next.value];
      let standing: Mark | undefined;
      while (standing === undefined) {
        const isFull = batch.length >= limit;
        // What is delivered next is not in the batch, and must not be in its mark.
        if (isFull) standing = mark();
        pending = iterator.next();
        if (isFull) break;
        const ready = await Promise.race([unlessFailed(pending), nextTurn()]);
        if (ready && !ready.done) batch.push(ready.value);
        else standing = mark();
      }
      // Whoever takes the batch may be busy when it fails.
      void unlessFailed(pending);
      yield { items: batch, mark: standing as Mark };
    }
  } finally {
    await iterator.return?.();
  }
}

/** A failure comes after what was there before it: it is thrown when its own turn is awaited. */
function unlessFailed<Result>(pending: Promise<Result>): Promise<Result | undefined> {
  return pending.catch(() => undefined);
}
