import { expect, test } from 'vitest';
import { TokenBucket } from '../src/push/admission/token-bucket.ts';

function bucketOf(perSecond: number) {
  const time = { nowMs: 1000 };
  const bucket = new TokenBucket(perSecond, () => time.nowMs);
  const takeAll = () => {
    let taken = 0;
    while (bucket.take()) taken += 1;
    return taken;
  };
  return { time, bucket, takeAll };
}

test.each([
  [1, 1],
  [9, 1],
  [20, 2],
  [4000, 400],
])('of %d a second, %d are let through at once', (perSecond, burst) => {
  const { takeAll, time } = bucketOf(perSecond);
  expect(takeAll()).toBe(burst);
  time.nowMs += 3_600_000;
  expect(takeAll()).toBe(burst);
});

test('so many are let through in a second, however often it is asked', () => {
  const { takeAll, time } = bucketOf(250);
  takeAll();
  let taken = 0;
  for (let tick = 0; tick < 1000; tick += 1) {
    time.nowMs += 1;
    taken += takeAll();
  }
  expect(taken).toBe(250);
});

test('it tells how long to wait, which suffices', () => {
  const { bucket, takeAll, time } = bucketOf(3);
  expect(bucket.waitMs()).toBe(0);
  takeAll();
  expect(bucket.waitMs()).toBe(334);
  time.nowMs += 333;
  expect(bucket.take()).toBe(false);
  expect(bucket.waitMs()).toBe(1);
  time.nowMs += 1;
  expect(bucket.take()).toBe(true);
});

test('a clock that is set back neither lets more through nor stops', () => {
  const { takeAll, time } = bucketOf(10);
  takeAll();
  time.nowMs -= 60_000;
  expect(takeAll()).toBe(0);
  time.nowMs += 100;
  expect(takeAll()).toBe(1);
});
