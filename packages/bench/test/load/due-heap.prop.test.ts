import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { DueHeap } from '../../src/load/due-heap.ts';

test('readers come out in the order in which they are due, whenever they went in', () => {
  const step = fc.oneof(fc.nat(), fc.constant('pop' as const));
  check(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new DueHeap(steps.length);
      const waiting: { due: number; item: number }[] = [];
      steps.forEach((due, number) => {
        if (due !== 'pop') {
          heap.push(due, number);
          waiting.push({ due, item: number });
          return;
        }
        const first = Math.min(...waiting.map((one) => one.due));
        expect(heap.firstDue).toBe(first);
        if (waiting.length === 0) return;
        const item = heap.pop();
        const at = waiting.findIndex((one) => one.item === item);
        expect(waiting[at]?.due).toBe(first);
        waiting.splice(at, 1);
      });
    }),
  );
});
