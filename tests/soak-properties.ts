import type * as FastCheck from 'fast-check';
import { expect, vi } from 'vitest';

const SECONDS = Number(process.env.LDES_LIVE_SOAK_SECONDS ?? 15);

/** Assertions of each test so far. */
const asserted = new Map<string, number>();
// Tests put other clocks in the place of these.
const nowMs = performance.now.bind(performance);

/** How long an assertion may go on: those that a test makes in a loop have less and less. */
function shareMs(): number {
  const test = expect.getState().currentTestName ?? '';
  const nth = (asserted.get(test) ?? 0) + 1;
  asserted.set(test, nth);
  return (SECONDS * 1000) / nth;
}

// What shows in one of ten thousand runs shows some day, in a change that has nothing to do with it: here, each property is
// run again and again, with its own number of runs and another seed each time.
vi.mock(import('fast-check'), async (importActual) => {
  const actual = await importActual();
  const assert = <Ts>(
    property: FastCheck.IProperty<Ts> | FastCheck.IAsyncProperty<Ts>,
    given: FastCheck.Parameters<Ts> = {},
  ) => {
    const endMs = nowMs() + shareMs();
    const again = (): Promise<void> | undefined => {
      for (;;) {
        const running = actual.assert(property, given) as Promise<void> | undefined;
        if (running) return running.then(() => (nowMs() < endMs ? again() : undefined));
        if (nowMs() >= endMs) return undefined;
      }
    };
    return again();
  };
  return { ...actual, default: { ...actual.default, assert } as typeof actual.default };
});
