import { expect, test, vi } from 'vitest';
import { LoopLag } from '../../src/load/loop-lag.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';

test('a loop that is away tells for how long, once', async () => {
  const AWAY_MICROS = 80_000;
  const lag = new LoopLag();
  const stop = lag.start();
  for (const end = monotonicMicros() + AWAY_MICROS; monotonicMicros() < end; );
  expect(lag.take()).toBeGreaterThan(AWAY_MICROS / 2);
  // Noted again by the timer that was late, and after that no more.
  await vi.waitFor(() => expect(lag.take()).toBeLessThan(AWAY_MICROS / 2), 20_000);
  stop();
});
