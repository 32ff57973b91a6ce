import { expect, test } from 'vitest';
import { RefusedCrowd, spreadSeconds } from '../src/push/admission/refused-crowd.ts';

// A generator of its own, so that each run is the same.
function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function mostInASecond(returns: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const second of returns) counts.set(second, (counts.get(second) ?? 0) + 1);
  return Math.max(...counts.values());
}

test('PUSH-31 Retry-After is of whole seconds, from 5 to 600', () => {
  for (const random of [0, 0.3, 0.999_999]) {
    for (const turn of [0, 4.9, 5, 77.7, 300, 1e9]) {
      const seconds = spreadSeconds(turn, random);
      expect(Number.isSafeInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(Math.min(300, 5 + Math.floor(turn)));
      expect(seconds).toBeLessThanOrEqual(Math.min(600, 10 + 2 * turn));
    }
  }
  expect(spreadSeconds(1e9, 1 - 1e-9)).toBe(599);
});

test.each([
  [1000, 10_000],
  [4000, 50_000],
  [4000, 400_000],
])(
  'PUSH-31 at %d a second, %d who are refused together come back at no more than half of that',
  (perSecond, refused) => {
    const crowd = new RefusedCrowd(perSecond, { clock: () => 0, random: seededRandom() });
    const returns = Array.from({ length: refused }, () => crowd.join(0));
    expect(mostInASecond(returns)).toBeLessThanOrEqual(perSecond / 2);
    // Nor later than it takes to serve them.
    expect(returns.reduce((latest, second) => Math.max(latest, second))).toBeLessThanOrEqual(
      (4 * refused) / perSecond + 10,
    );
  },
);

test('PUSH-31 those who are refused again and again, since there is no room, come at no more than half of the accept rate', () => {
  const time = { nowMs: 0 };
  const crowd = new RefusedCrowd(1000, { clock: () => time.nowMs, random: seededRandom() });
  // By the second in which they come.
  const comers = new Map<number, number>([[0, 60_000]]);
  const arrivals: number[] = [];
  for (let second = 0; second < 600; second += 1) {
    time.nowMs = second * 1000;
    const count = comers.get(second) ?? 0;
    arrivals.push(count);
    for (let comer = 0; comer < count; comer += 1) {
      const at = second + crowd.join(0);
      comers.set(at, (comers.get(at) ?? 0) + 1);
    }
  }
  const [first, ...later] = arrivals;
  expect(first).toBe(60_000);
  expect(Math.max(...later)).toBeLessThanOrEqual(1000);
  const steady = later.slice(300);
  expect(steady.reduce((sum, count) => sum + count, 0) / steady.length).toBeLessThanOrEqual(500);
});

test('PUSH-31 those who wait are served before those who were refused', () => {
  const wait = (ahead: number) => new RefusedCrowd(100, { clock: () => 0, random: () => 0 }).join(ahead);
  expect(wait(0)).toBe(5);
  expect(wait(49)).toBe(6);
  expect(wait(1000)).toBe(25);
});

test('PUSH-31 a crowd that has come back is forgotten', () => {
  const time = { nowMs: 0 };
  const crowd = new RefusedCrowd(100, { clock: () => time.nowMs, random: () => 0 });
  for (let count = 0; count < 5000; count += 1) crowd.join(0);
  expect(crowd.join(0)).toBe(105);
  time.nowMs += 50_000;
  expect(crowd.join(0)).toBe(55);
  time.nowMs -= 50_000;
  expect(crowd.join(0)).toBe(55);
  time.nowMs += 1_000_000;
  expect(crowd.join(0)).toBe(5);
});
