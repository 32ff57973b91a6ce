import { expect, test } from 'vitest';
import { lagNote, MAX_LAG_OF_DELAY, MAX_LOOP_LAG_MICROS, saturation } from '../../src/load/saturation.ts';

const idle = { cpuMicros: 100_000, wallMicros: 1_000_000, longestLoopLagMicros: 5000, processes: 1 };

test('a load that had time left is not what was measured', () => {
  expect(saturation(idle)).toBeUndefined();
  expect(saturation({ ...idle, cpuMicros: 800_000, longestLoopLagMicros: MAX_LOOP_LAG_MICROS })).toBeUndefined();
});

test('a load that took most of its core, or did not come to read, says so', () => {
  expect(saturation({ ...idle, cpuMicros: 810_000 })).toBe('the load took 81 % of a core, more than 80 %');
  expect(saturation({ ...idle, cpuMicros: 950_000, processes: 2 })).toContain('the 2 processes of the load took 95 %');
  expect(saturation({ ...idle, longestLoopLagMicros: 350_000 })).toContain('did not come to read for 350 ms');
});

test('a lag that is short beside the delay that is told is borne, one a little longer is not', () => {
  const p99Micros = 4_000_000;
  const longestLoopLagMicros = MAX_LAG_OF_DELAY * p99Micros;
  expect(saturation({ ...idle, longestLoopLagMicros, p99Micros })).toBeUndefined();
  expect(saturation({ ...idle, longestLoopLagMicros: longestLoopLagMicros + 1000, p99Micros })).toContain('801 ms');
});

test('a lag of more than a tenth of the delay is told', () => {
  expect(lagNote({ longestLoopLagMicros: 500, p99Micros: 5000 })).toBeUndefined();
  expect(lagNote({ longestLoopLagMicros: 510, p99Micros: 5000 })).toContain('beside a 99th percentile of 5 ms');
});
