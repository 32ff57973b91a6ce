import { expect, test } from 'vitest';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import { publishOnSchedule } from '../../src/load/publish-on-schedule.ts';

test('every update is stamped with the instant it was meant for, however late those before it were', async () => {
  const startMicros = monotonicMicros() + 2000;
  const told: { stamp: number; index: number; isEarly: boolean }[] = [];
  await publishOnSchedule({ startMicros, intervalMicros: 1000, count: 4 }, async (stamp, index) => {
    told.push({ stamp, index, isEarly: monotonicMicros() < stamp });
    // The first one stalls past the instants of all others.
    while (index === 0 && monotonicMicros() < startMicros + 5000) await undefined;
  });
  expect(told).toEqual([0, 1, 2, 3].map((index) => ({ stamp: startMicros + index * 1000, index, isEarly: false })));
});
