import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { seededUnit } from '../src/demo/seeded-unit.ts';

test('a number follows from its keys, in [0, 1)', () => {
  check(
    fc.property(fc.integer(), fc.string(), (seed, key) => {
      const unit = seededUnit(seed, key);
      expect(unit).toBeGreaterThanOrEqual(0);
      expect(unit).toBeLessThan(1);
      expect(seededUnit(seed, key)).toBe(unit);
    }),
  );
});

test('numbers of neighbouring keys are spread evenly', () => {
  check(
    fc.property(fc.integer(), (seed) => {
      const tenths = Array.from({ length: 10 }, () => 0);
      for (let key = 0; key < 1000; key++) {
        const tenth = Math.floor(10 * seededUnit(seed, key));
        tenths[tenth] = (tenths[tenth] as number) + 1;
      }
      // About 100 each; six standard deviations off would be 57 or 143.
      for (const count of tenths) expect(Math.abs(count - 100)).toBeLessThan(57);
    }),
    { numRuns: 50 },
  );
});
