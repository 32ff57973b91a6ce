import { check, Floors, fc, size } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { afterAll, test } from 'vitest';
import { expectBudget, expectHonesty, expectLog, expectThrown } from './faults/checks.ts';
import { faultWorlds, runFaults } from './faults/run.ts';
import { faultSchedules } from './faults/schedules.ts';

const time = new VirtualTime();
const worlds = faultWorlds(time);
afterAll(() => worlds.close());

// The rule about late changes is judged only where nothing bends what anybody can know of time.
const GATE_RUNS = 100;
const met = new Floors({ judged: GATE_RUNS / 10, resumed: 1 });

test('MAL-10 MAL-11 MAL-21 whatever befalls a reader on the way: the changes of the log, each once and in order, or a gap that is told; all of it in the end, within the budget of requests, and nothing late untold', async () => {
  await check(
    fc.asyncProperty(faultSchedules, async (given) => {
      const trace = await runFaults(given, await worlds.next(), time);
      expectLog(trace, given);
      expectThrown(trace);
      expectBudget(trace, given);
      if (expectHonesty(trace, given)) met.count('judged');
      if (trace.follower.status.gaps === 0 && trace.exchanges.length > 3) met.count('resumed');
    }),
    { numRuns: size({ gate: GATE_RUNS, night: 10_000 }), gateRuns: GATE_RUNS, met },
  );
}, 1_800_000);
