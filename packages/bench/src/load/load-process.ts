// A process of the load: what it is told by its parent, it does.
import type { LoadOrder, LoadPlan, LoadReport } from './load-messages.ts';
import { LoadState } from './load-state.ts';
import { LoopLag } from './loop-lag.ts';
import { monotonicMicros } from './monotonic-micros.ts';
import { PushReader } from './old-push-reader.ts';
import { openAll } from './open-all.ts';
import { SeriesCounts } from './series-counts.ts';

const plan = JSON.parse(process.argv[2] as string) as LoadPlan;
const state = new LoadState();
const readers = Array.from(
  { length: plan.readers },
  (_, index) => new PushReader(plan.firstReader + index, plan, state),
);
const lag = new LoopLag();
lag.start();
const since = { cpu: process.cpuUsage(), micros: monotonicMicros() };

function report(): LoadReport {
  const { user, system } = process.cpuUsage(since.cpu);
  const now = monotonicMicros();
  const wallMicros = now - since.micros;
  since.cpu = process.cpuUsage();
  since.micros = now;
  const lastIds: Record<string, number> = {};
  for (const { lastId } of readers) if (lastId !== undefined) lastIds[lastId] = (lastIds[lastId] ?? 0) + 1;
  return { ...state.take(), lastIds, cpuMicros: user + system, wallMicros, longestLoopLagMicros: lag.take() };
}

process.on('message', (order: LoadOrder) => {
  switch (order.order) {
    case 'report':
      process.send?.(report());
      return;
    case 'tally':
      process.send?.(state.tally);
      return;
    case 'series':
      state.series = new SeriesCounts(plan.readers, order.series);
      return;
    case 'pause':
      for (const reader of readers.slice(order.from, order.to)) reader.pause();
      return;
    case 'resume':
      for (const reader of readers.slice(order.from, order.to)) reader.resume();
      return;
    case 'cut':
      for (const reader of readers) reader.cut();
      return;
    case 'stop':
      for (const reader of readers) reader.stop();
      process.disconnect();
  }
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
await openAll(readers, plan.opening);
process.send?.(state.tally);
