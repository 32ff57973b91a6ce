/** Waits for a time in milliseconds; rejects with the signal's reason as soon as it is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * The outcome of work, or an error when it takes too long. The work is not stopped: that is the caller's.
 *
 * @param limit.late - makes the error
 */
export async function within<Result>(
  work: Promise<Result>,
  limit: { readonly ms: number; readonly sleep: Sleep; readonly late: () => Error },
): Promise<Result> {
  const done = new AbortController();
  const late = limit.sleep(limit.ms, done.signal).then(() => {
    throw limit.late();
  });
  // Whichever comes second rejects unheard.
  late.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
