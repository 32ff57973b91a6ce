import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { DELAY_WINDOW_MS, ProcessMetrics } from '../src/metrics.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('PUSH-40 the event loop is reported by how busy it is, and by how late it was in the last window of 15 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const push = { counters: new Map(), admission: { size: 0, waiting: 0 }, connections: () => 0 };
  const metrics = new ProcessMetrics({ name: 'worker-1', push, requests: () => [] });
  const valuesOf = async (name: string) =>
    metrics.report().find((metric) => metric.name === `ldes_live_process_event_loop_${name}`)?.values;
  const busy = async () => (await valuesOf('busy_seconds_total'))?.[0]?.value as number;
  const before = await busy();
  expect(await valuesOf('delay_seconds')).toBeUndefined();
  // The event loop turns a few times, is held up once, and turns again.
  await delay(50);
  for (const until = performance.now() + 200; performance.now() < until; );
  await delay(50);
  expect((await busy()) - before).toBeGreaterThan(0.15);
  vi.advanceTimersByTime(DELAY_WINDOW_MS);
  const delays = (await valuesOf('delay_seconds')) ?? [];
  const [p50, p99, max] = ['0.5', '0.99', '1'].map(
    (quantile) => delays.find(({ labels }) => labels.process === 'worker-1' && labels.quantile === quantile)?.value,
  ) as [number, number, number];
  expect(max).toBeGreaterThan(0.1);
  expect(p50).toBeGreaterThanOrEqual(0);
  expect(p99).toBeLessThanOrEqual(max);
  metrics.close();
  // Nothing is kept that would be asked for again.
  expect(vi.getTimerCount()).toBe(0);
});
