import { expect, test } from 'vitest';
import { retryWaitMs } from '../src/push/endpoint/retry-wait.ts';

const ALMOST_ONE = 1 - 2 ** -53;
const range = (retryMs: number, connections: number, acceptsPerSecond: number) => [
  retryWaitMs({ retryMs, connections, acceptsPerSecond, random: 0 }),
  retryWaitMs({ retryMs, connections, acceptsPerSecond, random: ALMOST_ONE }),
];

test.each([
  ['few readers are spread over the configured wait', [1000, 1, 4000], [1000, 2000]],
  ['as many as half a second takes are too', [1000, 2000, 4000], [1000, 2000]],
  ['more are spread over twice the time that it takes to take them on', [1000, 10_000, 4000], [1000, 6000]],
  ['a long wait is not made longer by a crowd that it suffices for', [20_000, 10_000, 4000], [20_000, 40_000]],
  ['nobody waits longer than a minute for the sake of the crowd', [1000, 1_000_000, 100], [1000, 60_000]],
  ['a wait that is configured to be longer than that stays random', [50_000, 1_000_000, 100], [50_000, 100_000]],
] as const)('PUSH-29 %s', (_name, [retryMs, connections, acceptsPerSecond], expected) => {
  expect(range(retryMs, connections, acceptsPerSecond)).toEqual(expected);
});

test('PUSH-29 the wait is of whole milliseconds, and proportional to what is drawn', () => {
  const waits = [0, 0.25, 0.5, 0.75].map((random) =>
    retryWaitMs({ retryMs: 1001, connections: 0, acceptsPerSecond: 1, random }),
  );
  expect(waits).toEqual([1001, 1251, 1502, 1752]);
});
