import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { Admission, peerAddress } from '../src/push/admission.ts';
import { endingPlan, retryWaitMs } from '../src/push/endpoint.ts';

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

function crowdOf(perSecond: number, { clock = (): number => 0, random = (): number => 0 } = {}) {
  const limits = { limitConnections: 9999, limitConnectionsPerAddress: 1, limitWaitingAccepts: 9999 };
  const admission = new Admission({ ...limits, limitAcceptsPerSecond: perSecond }, { clock, random });
  const reject = () => admission.replaysFull(1, '').details.retryAfterSeconds as number;
  return { admission, reject };
}

test('PUSH-31 Retry-After is of whole seconds, from 5 to 600', () => {
  for (const random of [0, 0.3, 1 - 1e-9]) {
    const crowd = crowdOf(2, { random: () => random });
    const waits = Array.from({ length: 400 }, () => crowd.reject());
    for (const [before, seconds] of waits.entries()) {
      const turn = Math.min(before + 1, 300);
      expect(Number.isSafeInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(Math.min(300, 5 + turn));
      expect(seconds).toBeLessThanOrEqual(Math.min(600, 10 + 2 * turn));
    }
    expect(waits.at(-1)).toBe(Math.floor(300 * (1 + random)));
  }
});

test.each([
  [1000, 10_000],
  [4000, 50_000],
  [4000, 100_000],
])(
  'PUSH-31 at %d a second, %d who are refused together come back at no more than half of that',
  (perSecond, refused) => {
    const crowd = crowdOf(perSecond, { random: seededRandom() });
    const returns = Array.from({ length: refused }, () => crowd.reject());
    expect(mostInASecond(returns)).toBeLessThanOrEqual(perSecond / 2);
    // Nor later than it takes to serve them.
    expect(returns.reduce((latest, second) => Math.max(latest, second))).toBeLessThanOrEqual(
      (4 * refused) / perSecond + 10,
    );
  },
);

test('PUSH-31 those who are refused again and again, since there is no room, come at no more than half of the accept rate', () => {
  const time = { nowMs: 0 };
  const crowd = crowdOf(1000, { clock: () => time.nowMs, random: seededRandom() });
  // By the second in which they come.
  const comers = new Map<number, number>([[0, 60_000]]);
  const arrivals: number[] = [];
  for (let second = 0; second < 600; second += 1) {
    time.nowMs = second * 1000;
    const count = comers.get(second) ?? 0;
    arrivals.push(count);
    for (let comer = 0; comer < count; comer += 1) {
      const at = second + crowd.reject();
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
  const wait = (ahead: number) => {
    const { admission, reject } = crowdOf(100);
    // A tenth of a second's at once.
    const admitted = Array.from({ length: 10 + ahead }, () => admission.admit(undefined, ''));
    const waits = admitted.filter((slot) => slot instanceof Promise);
    const seconds = reject();
    expect(waits).toHaveLength(ahead);
    for (const waiting of waits) waiting.catch(() => {});
    admission.stop();
    return seconds;
  };
  expect(wait(0)).toBe(5);
  expect(wait(49)).toBe(6);
  expect(wait(1000)).toBe(25);
});

test('PUSH-31 a crowd that has come back is forgotten', () => {
  const time = { nowMs: 0 };
  const crowd = crowdOf(100, { clock: () => time.nowMs });
  for (let count = 0; count < 5000; count += 1) crowd.reject();
  expect(crowd.reject()).toBe(105);
  time.nowMs += 50_000;
  expect(crowd.reject()).toBe(55);
  time.nowMs -= 50_000;
  expect(crowd.reject()).toBe(55);
  time.nowMs += 1_000_000;
  expect(crowd.reject()).toBe(5);
});

const ALMOST_ONE = 1 - 2 ** -53;
const range = (retryMs: number, connections: number, limitAcceptsPerSecond: number) =>
  [0, ALMOST_ONE].map((random) => retryWaitMs({ retryMs, limitAcceptsPerSecond }, connections, random));

test.each([
  ['few readers are spread over the configured wait', [1000, 1, 4000], [1000, 2000]],
  ['as many as half a second takes are too', [1000, 2000, 4000], [1000, 2000]],
  ['more are spread over twice the time that it takes to take them on', [1000, 10_000, 4000], [1000, 6000]],
  ['a long wait is not made longer by a crowd that it suffices for', [20_000, 10_000, 4000], [20_000, 40_000]],
  ['nobody waits longer than a minute for the sake of the crowd', [1000, 1_000_000, 100], [1000, 60_000]],
  ['a wait that is configured to be longer than that stays random', [50_000, 1_000_000, 100], [50_000, 100_000]],
] as const)('PUSH-29 %s', (_name, [retryMs, connections, acceptsPerSecond], expected) => {
  expect(range(retryMs, connections, acceptsPerSecond)).toEqual(expected);
});

test('PUSH-29 the wait is of whole milliseconds, and proportional to what is drawn', () => {
  const waits = [0, 0.25, 0.5, 0.75].map((random) =>
    retryWaitMs({ retryMs: 1001, limitAcceptsPerSecond: 1 }, 0, random),
  );
  expect(waits).toEqual([1001, 1251, 1502, 1752]);
});

test.each([
  [0, 8000, 0],
  [1, 8000, 10],
  [799, 8000, 7990],
  [800, 8000, 8000],
  [5000, 8000, 8000],
  [5000, 0, 0],
])('PUSH-32 %d streams with a grace of %d ms end within %d ms, and evenly', (connections, graceMs, durationMs) => {
  const endedBy = endingPlan(connections, graceMs);
  expect([durationMs, 1e9].map(endedBy)).toEqual([connections, connections]);
  if (durationMs === 0) return;
  expect([-5, durationMs / 2].map(endedBy)).toEqual([0, Math.floor(connections / 2)]);
  expect(endedBy(durationMs - 1)).toBe(connections - 1);
});

function counted(remoteAddress: string | undefined, forwarded?: string): string | undefined {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return peerAddress({ socket: { remoteAddress }, headers });
}

const LOCAL = `127.0.0.1 127.0.0.2 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 169.254.1.1 100.64.0.1
  100.127.255.255 0.0.0.0 ::1 :: ::ffff:127.0.0.1 ::ffff:a00:1 fd00::1 fc00::1 fe80::1%eth0 febf::1`.split(/\s+/);
const BESIDE_LOCAL = '172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 128.0.0.1 11.0.0.0'.split(' ');

test.each([
  ...BESIDE_LOCAL.map((address) => [address, address]),
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:CB00:7107', '203.0.113.7'],
  ['64:ff9b::cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001::1.2.3.4', '2001:0:0:0::/64'],
  ['fbff::1', 'fbff:0:0:0::/64'],
  ['fec0::1', 'fec0:0:0:0::/64'],
] as [string, string][])('PUSH-28 %s is public, and counts as %s whatever header fields say', (remote, expected) => {
  expect(counted(remote)).toBe(expected);
  expect(counted(remote, '198.51.100.1')).toBe(expected);
});

// A Unix socket has no address.
test.each([undefined, ...LOCAL])(
  'PUSH-28 %s is local: the last public address of X-Forwarded-For counts, and without one nothing does',
  (remote) => {
    expect(counted(remote)).toBeUndefined();
    expect(counted(remote, '198.51.100.1')).toBe('198.51.100.1');
    expect(counted(remote, '198.51.100.1, 203.0.113.7')).toBe('203.0.113.7');
    expect(counted(remote, '198.51.100.1, 203.0.113.7,10.0.0.1 , fd00::1')).toBe('203.0.113.7');
    expect(counted(remote, '10.0.0.1')).toBeUndefined();
  },
);

test.each([
  ['198.51.100.1:49152', '198.51.100.1'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::ffff:198.51.100.1', '198.51.100.1'],
])('PUSH-28 a proxy may write %s', (forwarded, expected) => {
  expect(counted('127.0.0.1', forwarded)).toBe(expected);
});

test.each(['unknown', '_hidden', '', 'x, ', '999.1.1.1', '1.2.3', '2001:db8::1:443:', '[::1', '1.2.3.4:', '01.2.3.4'])(
  'PUSH-28 behind "%s", which is no address, nothing is believed',
  (field) => {
    expect(counted('127.0.0.1', `198.51.100.1, ${field}`)).toBeUndefined();
    expect(counted('127.0.0.1', `${field}, 198.51.100.1`)).toBe('198.51.100.1');
  },
);

test('PUSH-28 no field makes it fail, and what is counted is short', () => {
  const piece = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom(',', ':', '[', ']', '%', '::', '.'));
  check(
    fc.property(
      fc.option(piece, { nil: undefined }),
      fc.array(piece).map((all) => all.join('')),
      (remote, forwarded) => {
        expect((counted(remote, forwarded) ?? '').length).toBeLessThanOrEqual('ffff:ffff:ffff:ffff::/64'.length);
      },
    ),
  );
});

test('PUSH-28 what a public client writes into the field does not change what a proxy is believed', () => {
  check(
    fc.property(fc.string(), (forged) => {
      expect(counted('172.18.0.2', `${forged}, 203.0.113.7`)).toBe('203.0.113.7');
    }),
  );
});
