import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { DELAY_WINDOW_MS, watchProcess } from '../src/serve/process-watch.ts';
import { fakeProcess } from './fake-process.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('tells what a process takes, in bytes and seconds', () => {
  const watch = watchProcess('worker-1', { ...fakeProcess([]), clock: () => 1_700_000_000_000 });
  const facts = watch.facts();
  expect(facts).toMatchObject({
    name: 'worker-1',
    startedAtMs: 1_700_000_000_000,
    residentBytes: 3_000_000,
    heapUsedBytes: 2_000_000,
    externalBytes: 1_000_000,
    cpuSeconds: { user: 1.5, system: 0.25 },
  });
  expect(facts).not.toHaveProperty('loopDelaySeconds');
  for (const until = performance.now() + 5; performance.now() < until; );
  expect(watch.facts().loopBusySeconds).toBeGreaterThan(facts.loopBusySeconds);
  watch.close();
});

test('tells how late the event loop was in the last window, and not before', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const watch = watchProcess('main', { ...fakeProcess([]), clock: () => 0 });
  // The event loop turns a few times, is held up once, and turns again.
  await delay(50);
  for (const until = performance.now() + 200; performance.now() < until; );
  await delay(50);
  vi.advanceTimersByTime(DELAY_WINDOW_MS);
  const { p50, p99, longest } = watch.facts().loopDelaySeconds ?? { p50: -1, p99: -1, longest: -1 };
  expect(longest).toBeGreaterThan(0.1);
  expect(p50).toBeGreaterThanOrEqual(0);
  expect(p99).toBeLessThanOrEqual(longest);
  watch.close();
});
