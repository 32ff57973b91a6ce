import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { placeRun, type RemovalRun, runAt, runsChange } from '../src/removal-runs.ts';

const LENGTH = 12;
const placed: fc.Arbitrary<RemovalRun> = fc
  .record({ first: fc.integer({ min: 1, max: LENGTH }), length: fc.nat(4), erasedMs: fc.option(fc.nat(8)) })
  .map(({ first, length, erasedMs }) => {
    const run = { first, last: Math.min(LENGTH, first + length) };
    return erasedMs === null ? run : { ...run, erasedMs };
  });

test('runs say of every member what was last said of it, as few as can be', () => {
  check(
    fc.property(fc.array(placed, { maxLength: 12 }), fc.nat(8), (steps, goneMs) => {
      let runs: RemovalRun[] = [];
      const model = new Map<number, number | undefined>();
      for (const step of steps) {
        const next = placeRun(runs, step, goneMs);
        const { ended, begun } = runsChange(runs, next);
        expect(byFirst([...runs.filter((run) => !ended.includes(run)), ...begun])).toEqual(next);
        runs = next;
        for (let sequence = step.first; sequence <= step.last; sequence += 1) model.set(sequence, step.erasedMs);
      }
      for (let sequence = 0; sequence <= LENGTH + 1; sequence += 1) {
        const run = runAt(runs, sequence);
        expect(run !== undefined).toBe(model.has(sequence));
        if (run) expect(seen(run.erasedMs, goneMs)).toBe(seen(model.get(sequence), goneMs));
      }
      for (const [index, run] of runs.entries()) {
        const next = runs[index + 1];
        if (!next) continue;
        expect(run.last).toBeLessThan(next.first);
        if (run.last + 1 === next.first) expect(seen(run.erasedMs, goneMs)).not.toBe(seen(next.erasedMs, goneMs));
      }
    }),
  );
});

const seen = (erasedMs: number | undefined, goneMs: number) =>
  erasedMs !== undefined && erasedMs <= goneMs ? 'gone' : erasedMs;

const byFirst = (runs: readonly RemovalRun[]) => [...runs].sort((one, other) => one.first - other.first);
