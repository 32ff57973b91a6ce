import { vi } from 'vitest';

/**
 * Waits until an expectation holds, and returns what it returns; fails with what it threw last.
 *
 * It ends as soon as the expectation holds, so the limit is for what hangs: machines differ, and others use them too.
 */
export function eventually<T>(
  expectation: () => T | Promise<T>,
  { forMs = 20_000, everyMs = 20 }: { readonly forMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  return vi.waitFor(expectation, { timeout: forMs, interval: everyMs });
}
