import { eventually } from '@ldes-live/test-support/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { type FakeProcess, fakeProcess } from './fake-process.ts';

let demo: FakeProcess;
let ended: Promise<number>;
let base: string;
beforeAll(async () => {
  demo = fakeProcess(['serve', '--demo', '--port', '0']);
  ended = main(demo);
  base = (await demo.stdout.until(/publishes (http:\/\/localhost:\d+\/)\n/))[1] as string;
}, 20_000);
afterAll(async () => {
  demo.signal('SIGTERM');
  expect(await ended).toBe(0);
}, 20_000);

test('PUSH-45 a server that is run by the command tells of its sources and of its process', async () => {
  let lines: string[] = [];
  const numbers = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}{`)).map((line) => Number(line.slice(line.lastIndexOf(' '))));
  // A server is there before it has read its sources.
  const sourcesRead = async () => {
    lines = (await (await fetch(`${base}metrics`)).text()).split('\n');
    expect(numbers('ldes_live_source_up')).toEqual([1, 1, 1]);
  };
  await eventually(sourcesRead, { forMs: 30_000, everyMs: 100 });
  expect(Math.min(...numbers('ldes_live_log_entities'))).toBeGreaterThan(0);
  for (const name of ['vehicles', 'trips', 'alerts']) {
    expect(lines.filter((line) => line.includes(`_polls_total{stream="${name}",`))).toHaveLength(2);
  }
  const ages = numbers('ldes_live_source_age_seconds');
  expect(ages).toHaveLength(3);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
  expect(lines).toContain('ldes_live_process_resident_memory_bytes{process="main"} 3000000');
  expect(lines).toContain('ldes_live_process_cpu_seconds_total{process="main",mode="user"} 1.5');
  expect(numbers('ldes_live_process_event_loop_busy_seconds_total')[0]).toBeGreaterThan(0);
});
