import type { Change } from '../follow/change.ts';

/** What an iteration reads from, once it has begun. */
export interface ChangeSource {
  /** The next change; nothing at the end. */
  next(): Promise<IteratorResult<Change, void>>;
  /** Ends it; also a read that is waiting. */
  end(): Promise<void>;
}

/**
 * An iterator that begins with its first read and ends once, however often and by whatever it is ended.
 *
 * @param begin - begins the reading
 * @param options.onEnd - called when all of it has ended
 * @param options.signal - ends it at once, also while nobody reads; the next read throws its reason
 * @see specs/mal.md MAL-24, MAL-78
 */
export function iterate(
  begin: () => ChangeSource,
  { onEnd, signal }: { readonly onEnd: () => void; readonly signal: AbortSignal | undefined },
): AsyncIterator<Change, undefined> {
  const over: IteratorReturnResult<undefined> = { done: true, value: undefined };
  let source: ChangeSource | undefined;
  let isReturned = false;
  let isTold = false;
  let ending: Promise<void> | undefined;
  const end = async () => {
    signal?.removeEventListener('abort', abort);
    try {
      await source?.end();
    } finally {
      onEnd();
    }
  };
  // Whoever ends it when it is ending waits for the same.
  const ended = async () => {
    ending ??= end();
    await ending;
    return over;
  };
  const abort = () => {
    // What ending fails with is thrown to whoever reads next.
    ended().catch(() => {});
  };
  const start = () => {
    const begun = begin();
    // After its own listeners, so that a read that waits ends with the signal's reason.
    signal?.addEventListener('abort', abort, { once: true });
    return begun;
  };
  // An abort is told once, to whoever reads next or is reading.
  const overOrAborted = async () => {
    await ended();
    if (isReturned || isTold || !signal?.aborted) return over;
    isTold = true;
    throw signal.reason;
  };
  return {
    next: async () => {
      if (ending) return await overOrAborted();
      let result: IteratorResult<Change, void>;
      try {
        source ??= start();
        result = await source.next();
      } catch (error) {
        isTold = true;
        await ended();
        if (isReturned) return over;
        throw error;
      }
      return result.done ? await overOrAborted() : result;
    },
    return: async () => {
      isReturned = true;
      return await ended();
    },
  };
}
