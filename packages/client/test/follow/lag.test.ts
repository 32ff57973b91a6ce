import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

const HOUR_MS = 3_600_000;

// `Date` has whole seconds, so that is how well a client can know the clock of a server that has another time.
const SKEWED = [
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
] as const;

/** A follower whose clock differs from the server's, and one member that it has read. */
async function following(mal: number, skewMs: number) {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  // A fraction of a second that `Date` does not tell.
  time.nowMs += 700;
  origin.commit('a');
  const follower = followOrigin(setup, { mal, clock: () => time.nowMs + skewMs });
  const iterator = reading(follower);
  const next = async () => {
    const [change] = await take(iterator, 1);
    if (!change?.member) throw new Error('no member was delivered');
    return { ...change, trueLagMs: time.nowMs - Date.parse(change.member.time) };
  };
  return { ...setup, follower, next, first: await next() };
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

test('MAL-20 a clock that is set back does not make the bound of a server that is not heard smaller', async () => {
  const { origin, time, follower, next } = await following(30, 0);
  await origin.close();
  const lostMs = time.nowMs;
  const seen: number[] = [];
  time.at(lostMs + 100_000, () => seen.push(follower.status.lagBoundMs));
  time.at(lostMs + 100_500, async () => {
    time.nowMs -= HOUR_MS;
    time.expire(testLimits.watchMs);
    await new Promise((resolve) => setImmediate(resolve));
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

test.each(WAYS)('MAL-2 by %s the lag is the time from publication to delivery', async (_way, changesOf) => {
  const changes = await changesOf(0);
  expect(changes.map(({ lagMs }) => lagMs)).toEqual(changes.map(({ trueLagMs }) => trueLagMs));
  expect(changes.some(({ trueLagMs }) => trueLagMs > 1_000)).toBe(true);
});

test.each(WAYS.flatMap(([way, changesOf]) => SKEWED.map(([skew, skewMs]) => [way, skew, skewMs, changesOf] as const)))(
  'MAL-2 by %s the lag is by the clock of the server where that of the client is %s by an hour, and never negative',
  async (_way, _skew, skewMs, changesOf) => {
    for (const { lagMs, trueLagMs } of await changesOf(skewMs)) {
      expect(lagMs).toBeGreaterThanOrEqual(0);
      expect(Math.abs(lagMs - trueLagMs)).toBeLessThanOrEqual(1_000);
    }
  },
);
