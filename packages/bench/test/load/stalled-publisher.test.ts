import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';
import { LoadState } from '../../src/load/load-state.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import { Pollers } from '../../src/load/pollers.ts';
import { publishOnSchedule } from '../../src/load/publish-on-schedule.ts';
import { PushReader } from '../../src/load/push-reader.ts';
import { SeriesCounts } from '../../src/load/series-counts.ts';
import { stamp } from '../../src/load/stamp.ts';
import { startExpressPeer } from '../../src/subjects/express-peer.ts';

const INTERVAL_MS = 50;
const STALL_MS = 300;
/** The one that stalls after it was published, and how many there are: the one after it is due long before the stall ends. */
const [STALLING, COUNT] = [1, 3];
const LATE_MICROS = (STALL_MS - INTERVAL_MS) * 1000;

test('an update that a stalled publisher sends late is late for who is pushed to and who polls', async () => {
  const event = `event: update\nid: 1\ndata: {"at":"${stamp(0)}"}\n\n`;
  const peer = await startExpressPeer(event, INTERVAL_MS);
  const where = { readers: 1, firstReader: 0, headers: {}, localAddress: '127.0.0.1', opening: 1 };
  const state = new LoadState();
  const reader = new PushReader(0, { ...where, port: peer.port, path: peer.path, comesBack: false }, state);
  await reader.open();
  const pollers = new Pollers({
    ...where,
    targets: [{ port: peer.port, path: peer.latestPath ?? '' }],
    behaviour: { kind: 'every', everyMs: 5 },
    updateIntervalMs: INTERVAL_MS,
    seed: 1,
  });
  await pollers.open();
  pollers.begin();
  const polled = new LatencyHistogram();
  const series = { startMicros: monotonicMicros() + 20_000, intervalMicros: INTERVAL_MS * 1000, count: COUNT };
  state.series = new SeriesCounts(1, series);
  let reached = 0;
  const look = () => {
    const { latency, news, skipped } = pollers.report(series.startMicros);
    polled.add(latency);
    reached += news + skipped;
  };
  await publishOnSchedule(series, async (stampMicros, index) => {
    await peer.publish(stampMicros, index);
    if (index === STALLING) await delay(STALL_MS);
  });
  await eventually(() => {
    look();
    expect(reached).toBe(COUNT);
    expect(state.tally.events).toBe(COUNT);
  });
  const pushed = state.take();
  expect(pushed.latency.max).toBeGreaterThan(LATE_MICROS);
  expect(polled.max).toBeGreaterThan(LATE_MICROS);
  expect(pushed.series).toEqual({ lost: 0, doubled: 0 });
  reader.stop();
  pollers.stop();
  await peer.close();
});
