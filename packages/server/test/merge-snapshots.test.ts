import { expect, test } from 'vitest';
import { countersOf, mergeSnapshots } from '../src/metrics/merge-snapshots.ts';
import type { Distribution, MetricsSnapshot } from '../src/metrics/metrics-snapshot.ts';
import { processSamples } from '../src/metrics/process-samples.ts';
import { pushSamples } from '../src/metrics/push-samples.ts';
import { ToldSnapshots } from '../src/metrics/told-snapshots.ts';
import { PushTally } from '../src/push/push-tally.ts';

function worker(name: string, set: (tally: PushTally) => void): MetricsSnapshot {
  const tally = new PushTally();
  set(tally);
  const facts = {
    name,
    startedAtMs: 1000,
    residentBytes: 2,
    heapUsedBytes: 3,
    externalBytes: 4,
    cpuSeconds: { user: 5, system: 6 },
    loopBusySeconds: 7,
  };
  const push = pushSamples({ tallies: new Map([['vehicles', tally]]), admission: { size: tally.live, waiting: 1 } });
  // As it comes from another process.
  return JSON.parse(JSON.stringify({ ...push, ...processSamples(facts) }));
}

const sampleOf = (snapshot: MetricsSnapshot, name: keyof MetricsSnapshot, labels: object = {}) =>
  snapshot[name]?.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    ?.value;

test('PUSH-43 processes are added up, and their own numbers told apart', () => {
  const one = worker('worker-1', (tally) => {
    tally.live = 10;
    tally.deliveries = 100;
    tally.closed.slow = 1;
    tally.fannedOut(0.5);
  });
  const two = worker('worker-2', (tally) => {
    tally.live = 5;
    tally.deliveries = 50;
    tally.fannedOut(0.5);
    tally.fannedOut(60);
  });
  const both = mergeSnapshots([one, two]);
  expect(sampleOf(both, 'ldes_live_push_connections', { stream: 'vehicles', state: 'live' })).toBe(15);
  expect(sampleOf(both, 'ldes_live_push_admitted_connections')).toBe(15);
  expect(sampleOf(both, 'ldes_live_push_deliveries_total')).toBe(150);
  expect(sampleOf(both, 'ldes_live_push_closed_total', { reason: 'slow' })).toBe(1);
  expect(sampleOf(both, 'ldes_live_push_fan_out_seconds')).toMatchObject({ sum: 61 });
  expect((sampleOf(both, 'ldes_live_push_fan_out_seconds') as Distribution).counts.join()).toBe(
    '0,0,0,0,0,0,0,0,2,0,0,0,0,1',
  );
  expect(both.ldes_live_process_resident_memory_bytes).toEqual([
    { labels: { process: 'worker-1' }, value: 2 },
    { labels: { process: 'worker-2' }, value: 2 },
  ]);
  expect(mergeSnapshots([one])).toEqual(one);
  expect(mergeSnapshots([])).toEqual({});
});

test('PUSH-42 what is left of a process is what it counted', () => {
  const left = countersOf(
    worker('worker-1', (tally) => {
      tally.live = 10;
      tally.accepted = 12;
    }),
  );
  expect(sampleOf(left, 'ldes_live_push_accepted_total')).toBe(12);
  expect(left).not.toHaveProperty('ldes_live_push_connections');
  expect(left).not.toHaveProperty('ldes_live_push_admitted_connections');
  expect(left).not.toHaveProperty('ldes_live_process_cpu_seconds_total');
  expect(left).toHaveProperty('ldes_live_push_fan_out_seconds');
});

test('PUSH-42 no counter goes down when a worker is silent, ends, or is replaced', () => {
  const book = new ToldSnapshots<object>();
  const [first, second, third] = [{}, {}, {}];
  const told = (live: number, deliveries: number) =>
    worker('worker-1', (tally) => {
      tally.live = live;
      tally.deliveries = deliveries;
      tally.fannedOut(0.5);
    });
  const totals = () => [
    sampleOf(book.all, 'ldes_live_push_deliveries_total') ?? 0,
    sampleOf(book.all, 'ldes_live_push_connections', { state: 'live' }) ?? 0,
  ];
  expect(book.all).toEqual({});
  book.told(first, told(3, 30));
  book.told(second, told(4, 40));
  expect(totals()).toEqual([70, 7]);
  // The second does not answer this time.
  book.told(first, told(3, 33));
  expect(totals()).toEqual([73, 7]);
  book.ended(second);
  expect(totals()).toEqual([73, 3]);
  book.told(third, told(1, 0));
  expect(totals()).toEqual([73, 4]);
  book.told(third, told(4, 5));
  expect(totals()).toEqual([78, 7]);
  book.ended(third);
  book.ended(third);
  // One that ended before it told anything.
  book.ended({});
  expect(totals()).toEqual([78, 3]);
  expect(sampleOf(book.all, 'ldes_live_push_fan_out_seconds')).toMatchObject({ sum: 1.5 });
});
