import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { LoopLag } from '../../src/load/loop-lag.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';

test('a loop that is away tells for how long, once', async () => {
  const AWAY_MICROS = 80_000;
  const lag = new LoopLag();
  const stop = lag.start();
  for (const end = monotonicMicros() + AWAY_MICROS; monotonicMicros() < end; );
  expect(lag.take()).toBeGreaterThan(AWAY_MICROS / 2);
  // Noted again by the timer that was late, and after that no more.
  await eventually(() => expect(lag.take()).toBeLessThan(AWAY_MICROS / 2));
  stop();
});
