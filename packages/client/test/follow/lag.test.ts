import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { clientOf, followOrigin, reading, setUpOrigin, take, testLimits, turns } from '../support/setup-origin.ts';

const HOUR_MS = 3_600_000;

/** A follower whose clock differs from the server's, and one member that it has read. */
async function following(mal: number, skewMs: number) {
  const { origin, time } = await setUpOrigin();
  // A fraction of a second that `Date` does not tell.
  time.nowMs += 700;
  origin.commit('a');
  const follower = followOrigin(origin, { mal, clock: () => time.nowMs + skewMs });
  const iterator = reading(follower);
  const next = async () => {
    const [change] = await take(iterator, 1);
    if (!change?.member) throw new Error('no member was delivered');
    return { ...change, trueLagMs: time.nowMs - Date.parse(change.member.time) };
  };
  return { origin, time, follower, next, first: await next() };
}

/** Commits so many times, and says what is delivered when each has been under way for some time. */
async function pushed(skewMs: number) {
  const { origin, time, next, first } = await following(1, skewMs);
  const changes = [first];
  for (const underWayMs of [0, 20, 999, 2_500, 0]) {
    const taken = next();
    await until(() => origin.pushed.size === 1);
    time.nowMs += 5;
    origin.commit('a');
    time.nowMs += underWayMs;
    const change = await taken;
    expect(change).toMatchObject({ via: 'push', trueLagMs: underWayMs });
    changes.push(change);
  }
  return changes;
}

/** The same by pull: what is published at irregular times waits for the next poll. */
async function pulled(skewMs: number) {
  const { origin, time, next, first } = await following(30, skewMs);
  const changes = [first];
  for (const afterMs of [100, 1_234, 5_999, 1]) {
    time.at(time.nowMs + afterMs, () => origin.commit('a'));
    const change = await next();
    expect(change.via).toBe('pull');
    changes.push(change);
  }
  return changes;
}

const WAYS = [
  ['push', pushed],
  ['pull', pulled],
] as const;
const CASES = WAYS.flatMap(([way, changesOf]) =>
  [0, HOUR_MS, -HOUR_MS].map((skewMs) => [way, skewMs, changesOf] as const),
);

test('MAL-20 a clock that is set back does not make the bound of a server that is not heard smaller', async () => {
  const { origin, time, follower, next } = await following(30, 0);
  await origin.close();
  const lostMs = time.nowMs;
  const seen: number[] = [];
  time.at(lostMs + 100_000, () => seen.push(follower.status.lagBoundMs));
  time.at(lostMs + 100_500, async () => {
    time.nowMs -= HOUR_MS;
    time.expire(testLimits.watchMs);
    await turns(1);
    seen.push(follower.status.lagBoundMs);
    time.at(time.nowMs + 200_000, async () => {
      await origin.reopen();
      origin.commit('b');
    });
  });
  await next();
  expect(seen[0]).toBeGreaterThanOrEqual(100_000);
  expect(seen[1]).toBeGreaterThanOrEqual(seen[0] as number);
});

test.each(CASES)('MAL-2 by %s, a clock ahead by %d ms: the lag is true', async (_way, skewMs, changesOf) => {
  const changes = await changesOf(skewMs);
  expect(changes.some(({ trueLagMs }) => trueLagMs > 1_000)).toBe(true);
  for (const { lagMs, trueLagMs } of changes) {
    expect(lagMs).toBeGreaterThanOrEqual(0);
    // `Date` has whole seconds: no better can a client know the clock of a server that has another time.
    expect(Math.abs(lagMs - trueLagMs)).toBeLessThanOrEqual(skewMs === 0 ? 0 : 1_000);
  }
});

test('the bound of a slow reader does not follow from what a quick one has read', async () => {
  const { origin, time } = await setUpOrigin();
  origin.pollingIntervalSeconds = 10;
  origin.commit('a');
  origin.nextUpdateMs = time.nowMs + 10_000;
  // Time stands still but for what the test says.
  const sleep: typeof time.sleep = (ms, signal) =>
    ms > 1_000 ? new Promise((_, reject) => signal?.addEventListener('abort', reject)) : time.sleep(ms, signal);
  const client = clientOf(origin, { mal: 2, sleep });
  const [quick, slow] = [client.follow(origin.url), client.follow(origin.url)];
  const [quickReading, slowReading] = [reading(quick), reading(slow)];
  const boundsMs = () => [quick.status.lagBoundMs, slow.status.lagBoundMs] as const;
  await take(quickReading, 1);
  await take(slowReading, 1);
  const both = [take(quickReading, 1), take(slowReading, 1)];
  await until(() => origin.pushed.size === 1 && [quick, slow].every(({ status }) => status.state === 'pushing'));
  time.nowMs += 10_000;
  origin.commit('b');
  await Promise.all(both);
  // All of it is due in the future, for both.
  expect(Math.max(...boundsMs())).toBeLessThan(1_000);
  // The slow one takes the first of two members: the second waits, though nothing else does.
  const first = [take(quickReading, 2), take(slowReading, 1)];
  time.nowMs += 10_000;
  origin.commit('c', 'd');
  await Promise.all(first);
  time.nowMs += 5_000;
  const [quickMs, slowMs] = boundsMs();
  expect(quickMs).toBeLessThan(1_000);
  expect(slowMs).toBeGreaterThanOrEqual(5_000);
  // Neither does what waits for it whole.
  const next = take(quickReading, 1);
  time.nowMs += 5_000;
  origin.commit('e');
  await next;
  time.nowMs += 5_000;
  const [quickThenMs, slowThenMs] = boundsMs();
  expect(quickThenMs).toBeLessThan(1_000);
  expect(slowThenMs).toBeGreaterThanOrEqual(15_000);
});
