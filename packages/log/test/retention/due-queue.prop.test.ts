import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { DueQueue } from '../../src/retention/due-queue.ts';

const step = fc.record({
  page: fc.nat(20),
  dueMs: fc.oneof(fc.nat(50), fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)),
  ends: fc.boolean(),
});

test('the first page is the one that is due first, whatever was said of it before', () => {
  check(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const queue = new DueQueue();
      const model = new Map<number, number>();
      for (const { page, dueMs, ends } of steps) {
        if (ends) queue.delete(page);
        else queue.set(page, dueMs);
        model.delete(page);
        if (!ends && dueMs !== Number.POSITIVE_INFINITY) model.set(page, dueMs);
        const first = [...model].sort(([a, aMs], [b, bMs]) => (aMs === bMs ? a - b : aMs < bMs ? -1 : 1))[0];
        expect(queue.first()).toEqual(first && { page: first[0], dueMs: first[1] });
      }
    }),
    { numRuns: 50 },
  );
});
