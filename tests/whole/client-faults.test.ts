import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { scaledTime } from '../support/scaled-time.ts';
import { expectBudget, expectHonesty, expectLog, expectThrown } from './support/fault-checks.ts';
import { runFaults } from './support/fault-run.ts';
import { faultSchedules } from './support/fault-schedules.ts';
import { faultWorlds } from './support/fault-worlds.ts';

const SCHEDULES = 1000;
/** Side by side, since each waits for most of its time. */
const LANES = 40;
/** Little enough that a machine which is busy for a second is not taken for a server that does not answer. */
const SCALE = 25;
const SHOWN_FAILURES = 3;

// To see one again, and to have it made smaller: what a failure printed, as LDES_LIVE_FAULTS='{"seed":1,"path":"7"}'.
const again = process.env.LDES_LIVE_FAULTS;

const time = scaledTime(SCALE);
const worlds = faultWorlds(time, SCALE);
afterAll(() => worlds.close());

const property = fc.asyncProperty(faultSchedules, async (given) => {
  const trace = await runFaults(given, await worlds.next(), time);
  expectLog(trace, given);
  expectThrown(trace);
  expectBudget(trace, given);
  expectHonesty(trace, given);
});

async function failures(seed: number): Promise<readonly string[]> {
  const lanes: fc.Parameters<unknown>[] = again
    ? [JSON.parse(again)]
    : Array.from({ length: LANES }, (_, lane) => ({
        seed: seed + lane,
        numRuns: SCHEDULES / LANES,
        // To make it smaller takes as many runs again.
        endOnFailure: true,
      }));
  const checks = await Promise.all(lanes.map((parameters) => fc.check(property, parameters)));
  return checks.flatMap((details) =>
    details.failed
      ? [
          `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}\n${JSON.stringify(details.counterexample)}`,
        ]
      : [],
  );
}

test('MAL-10 MAL-11 MAL-21 whatever befalls 1,000 readers on the way: the changes of the log, each once and in order, or a gap that is told; all of it in the end, within the budget of requests, and nothing late untold', async () => {
  const failed = await failures(Date.now() % 2 ** 31);
  const shown = failed.slice(0, SHOWN_FAILURES).join('\n\n');
  expect(failed.length, `${failed.length} of ${LANES} lanes failed:\n${shown}`).toBe(0);
}, 600_000);
