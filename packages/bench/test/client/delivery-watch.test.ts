import { expect, test } from 'vitest';
import { DeliveryWatch } from '../../src/client/delivery-watch.ts';

function delivery(sequence: number, publishedMs: number, lagMs: number, toldLagMs = lagMs) {
  return { sequence, publishedMs, nowMs: publishedMs + lagMs, toldLagMs };
}

test('what was published since the beginning and came later than the MAL is a miss', () => {
  const watch = new DeliveryWatch(100);
  watch.begin(1000);
  watch.note(delivery(1, 1000, 500));
  watch.note(delivery(2, 1001, 100));
  watch.note(delivery(3, 1002, 101, 99));
  expect(watch.tally).toMatchObject({ delivered: 2, misses: 1, toldApartMs: 2, lost: 0, doubled: 0, lastSequence: 3 });
  expect(watch.tally.lags.max).toBe(101_000);
});

test('nothing counts before the beginning, but the order is known', () => {
  const watch = new DeliveryWatch(100);
  watch.note(delivery(4, 1000, 500));
  watch.begin(2000);
  watch.note(delivery(7, 3000, 1));
  watch.note(delivery(6, 3000, 2));
  expect(watch.tally).toMatchObject({ delivered: 2, misses: 0, lost: 2, doubled: 1, lastSequence: 7 });
});

test('after a gap the sequence begins anew', () => {
  const watch = new DeliveryWatch(100);
  watch.begin(0);
  watch.note(delivery(9, 1, 1));
  watch.gap();
  watch.note(delivery(2, 2, 1));
  expect(watch.tally).toMatchObject({ delivered: 2, lost: 0, doubled: 0, gaps: 1, lastSequence: 2 });
});
