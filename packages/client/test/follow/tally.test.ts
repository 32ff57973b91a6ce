import { expect, test } from 'vitest';
import { Tally } from '../../src/follow/tally.ts';

const HOUR_MS = 3_600_000;

test('how late pushed updates come is told by the clock offset that is known now, not by that of when they came', () => {
  const tally = new Tally();
  expect(tally.deliveryMs(70, HOUR_MS)).toBe(70);
  tally.came({ publishedMs: 10, delayMs: HOUR_MS + 100, via: 'push', pushedSinceMs: 5 });
  expect(tally.deliveryMs(70, 0)).toBe(HOUR_MS + 100);
  expect(tally.deliveryMs(70, -HOUR_MS)).toBe(100);
  expect(tally.deliveryMs(70, -2 * HOUR_MS)).toBe(0);
});

test('what was polled, or published before the connection was opened, does not tell how late pushed updates come', () => {
  const tally = new Tally();
  tally.came({ publishedMs: 10, delayMs: 900, via: 'pull', pushedSinceMs: 5 });
  tally.came({ publishedMs: 5, delayMs: 900, via: 'push', pushedSinceMs: 5 });
  tally.came({ publishedMs: 10, delayMs: 900, via: 'push', pushedSinceMs: undefined });
  expect(tally.deliveryMs(70, 0)).toBe(70);
});

test('MAL-63 delays by a clock that jumped are forgotten', () => {
  const tally = new Tally();
  tally.came({ publishedMs: 10, delayMs: HOUR_MS, via: 'push', pushedSinceMs: 5 });
  tally.forgetDelays();
  expect(tally.deliveryMs(70, 0)).toBe(70);
});
