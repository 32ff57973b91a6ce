import type { LiveResult } from '../../src/result.ts';

/** What came of an iteration so far. */
export interface Collected {
  readonly results: LiveResult[];
  /** What it failed with. */
  error: unknown;
  isOver: boolean;
  readonly over: Promise<void>;
}

/** Reads all that comes, as it comes. */
export function collect(iterable: AsyncIterable<LiveResult>, onResult?: (result: LiveResult) => unknown): Collected {
  const collected: { -readonly [Key in keyof Collected]: Collected[Key] } = {
    results: [],
    error: undefined,
    isOver: false,
    over: Promise.resolve(),
  };
  const read = async () => {
    try {
      for await (const result of iterable) {
        collected.results.push(result);
        await onResult?.(result);
      }
    } catch (error) {
      collected.error = error;
    }
    collected.isOver = true;
  };
  collected.over = read();
  return collected;
}
