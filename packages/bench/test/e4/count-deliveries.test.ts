import { expect, test } from 'vitest';
import { countDeliveries } from '../../src/e4/count-deliveries.ts';

const SCHEDULE = { startMicros: 1000, intervalMicros: 10, count: 5 };
const once = [1000, 1010, 1020, 1030, 1040].map((stamp) => ({ stamp, events: 1 }));

test('what came once each is neither lost nor doubled', () => {
  expect(countDeliveries(once, SCHEDULE)).toEqual({ arrived: 5, lost: 0, doubled: 0, strays: 0 });
});

test('what did not come is lost, and what came again is doubled', () => {
  const [first, , ...others] = once;
  const arrivals = [{ stamp: 1000, events: 3 }, ...others];
  expect(first).toBeDefined();
  expect(countDeliveries(arrivals, SCHEDULE)).toEqual({ arrived: 4, lost: 1, doubled: 2, strays: 0 });
});

test('what is of no instant of the schedule is none of it', () => {
  const others = [990, 1005, 1050].map((stamp) => ({ stamp, events: 2 }));
  expect(countDeliveries([...once, ...others], SCHEDULE)).toMatchObject({ arrived: 5, lost: 0, strays: 6 });
});
