import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { clientLimits } from '../../src/client-limits.ts';
import { LiveFollower } from '../../src/follow/follower.ts';
import { StreamShare } from '../../src/follow/stream-share.ts';
import { WeakShares } from '../../src/follow/weak-shares.ts';
import { hostEnvironment } from '../../src/index.ts';

const URL_A = 'http://shares.example/a';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const circumstances = {
  malMs: 1_000,
  phase: 0.5,
  fetch,
  clock: () => 0,
  random: () => 0.5,
  sleep: async () => {},
  headers: {},
  limits: clientLimits({}),
  environment: hostEnvironment(),
};

function setUp() {
  let made = 0;
  const shares = new WeakShares((url) => {
    made += 1;
    return new StreamShare(circumstances, url);
  });
  return {
    shares,
    made: () => made,
    follower: () => new LiveFollower(URL_A, {}, { ...circumstances, share: shares.of(URL_A) }),
  };
}

/** Collects until a condition holds: what is referred to weakly is kept until the turn is over. */
async function collectUntil(condition: () => boolean): Promise<void> {
  for (let rounds = 0; rounds < 100 && !condition(); rounds += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
}

test('MAL-45 those who follow a URL have the same share, and others have their own', () => {
  const { shares, made } = setUp();
  const share = shares.of(URL_A);
  expect(shares.of(URL_A)).toBe(share);
  expect(shares.of('http://shares.example/b')).not.toBe(share);
  expect(made()).toBe(2);
});

test('a share lives as long as a follower of its URL, read or not, and no longer', async () => {
  const { shares, made, follower } = setUp();
  const held = { followers: [follower(), follower()] as LiveFollower[] };
  const share = new WeakRef(shares.of(URL_A));
  for (let left = 2; left > 0; left -= 1) {
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(share.deref()).toBeDefined();
    expect(made()).toBe(1);
    held.followers.pop();
  }
  await collectUntil(() => share.deref() === undefined);
  expect(share.deref()).toBeUndefined();
  shares.of(URL_A);
  expect(made()).toBe(2);
});
