import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { type ClientEnvironment, type Host, hostEnvironment } from '../src/environment.ts';
import { BrowserHost, SharedLocks } from './support/browser-host.ts';
import { Network } from './support/network.ts';
import { following, take, testLimits } from './support/setup-origin.ts';

const URL_A = 'https://a.example/push';

test('the network counts as there wherever nobody says', () => {
  for (const silent of [{}, { navigator: {} }]) {
    const { isOnline, onOnline } = hostEnvironment({ host: silent });
    expect(isOnline()).toBe(true);
    expect(onOnline(() => {})).not.toThrow();
  }
});

test('the network is that of the browser; each listener is told that it is back until it has stopped', () => {
  const host = new BrowserHost();
  const { isOnline, onOnline } = hostEnvironment({ host });
  expect(isOnline()).toBe(true);
  let heard = 0;
  const listener = () => {
    heard += 1;
  };
  const stops = [onOnline(listener), onOnline(listener)];
  host.goOnline(false);
  expect([isOnline(), heard]).toEqual([false, 0]);
  const heardAt = [() => {}, ...stops].map((stop) => {
    stop();
    host.goOnline(true);
    return heard;
  });
  expect(heardAt).toEqual([2, 3, 3]);
});

/** How many push connections are lent of so many that are asked for, at once by several environments. */
async function lent(asked: number, ...environments: ClientEnvironment[]): Promise<number> {
  const slots = Array.from({ length: asked }, (_, index) => environments[index % environments.length]?.pushSlot(URL_A));
  return (await Promise.all(slots)).filter((release) => release !== undefined).length;
}

const slotsOf = (host: Host, limitPushConnections = 1) => hostEnvironment({ host, limitPushConnections });

test('MAL-60 push connections are as many as wanted outside of browsers, this process among them', async () => {
  expect([await lent(100, hostEnvironment()), await lent(100, slotsOf({ navigator: {} }))]).toEqual([100, 100]);
});

const refusing: BrowserHost['navigator']['locks'] = { request: () => Promise.reject(new Error('SecurityError')) };
const throwing: BrowserHost['navigator']['locks'] = {
  request: () => {
    throw new Error('InvalidStateError');
  },
};

test.each([
  ['the clients of a page', () => Array(2).fill(new BrowserHost())],
  ['the tabs that share locks', (locks = new SharedLocks()) => [new BrowserHost(locks), new BrowserHost(locks)]],
  ['the clients of a page that may not use its locks', () => Array(2).fill(new BrowserHost(refusing))],
  ['the clients of a page whose locks throw', () => Array(2).fill(new BrowserHost(throwing))],
])('MAL-60 %s have four for each origin by default, fewer where wanted', async (_who, hostsOf) => {
  const environments = hostsOf().map((host) => hostEnvironment({ host }));
  expect(await lent(10, ...environments)).toBe(4);
  for (const url of ['https://a.example:8443/push', 'http://a.example/push']) {
    expect(await environments[1]?.pushSlot(url)).toBeTypeOf('function');
  }
  expect(await lent(10, ...hostsOf().map((host) => slotsOf(host, 2)))).toBe(2);
});

test.each([0, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('ERR_LIMIT_INVALID a limit of %d is refused', (limit) => {
  expect(() => slotsOf({}, limit)).toThrow(expect.objectContaining({ code: 'ERR_LIMIT_INVALID' }));
});

test.each([undefined, new SharedLocks()])('a slot given back is free again, once only', async (locks) => {
  const slots = slotsOf(new BrowserHost(locks), 2);
  const release = await slots.pushSlot(URL_A);
  expect(await lent(2, slots)).toBe(1);
  release?.();
  release?.();
  await until(() => !locks || locks.held.size === 1);
  expect(await lent(2, slots)).toBe(1);
});

// What was loaded by which protocol, and whether an origin may have more push connections than one then.
test.each([
  ...['h2', 'h2c', 'h3'].map((protocol) => [[`/latest ${protocol}`], true] as const),
  ...['http/1.1', 'http/1.0', ''].map((protocol) => [[`/latest ${protocol}`], false] as const),
  [['page: h2'], true],
  [['page: h2', '/1 h3', '/2 http/1.1', '/3 '], false],
  [['https://b.example/ h2', 'https://a.example:8443/ h2', 'nonsense h2'], false],
] as const)('MAL-60 where %j was loaded, connections are shared: %s', async (loaded, isShared) => {
  const host = new BrowserHost(new SharedLocks());
  for (const [name = '', protocol = ''] of loaded.map((text) => text.split(' '))) {
    if (name === 'page:') host.loaded('navigation', 'https://a.example/page', protocol);
    else host.loaded('resource', name.startsWith('/') ? `https://a.example${name}` : name, protocol);
  }
  expect(await lent(10, slotsOf(host))).toBe(isShared ? 10 : 1);
});

test.each([{}, { performance: {} }])('MAL-60 where nobody tells, as with %j, it is HTTP/1.1', async (given) => {
  expect(await lent(10, slotsOf({ navigator: { onLine: true }, ...given }))).toBe(1);
});

/** A page whose slots are lent when a test says so, and a follower of it that asks for one. */
async function asking() {
  const answers: { lend: (release: () => void) => void; fail: (error: Error) => void }[] = [];
  const pushSlot = () => new Promise<() => void>((lend, fail) => void answers.push({ lend, fail }));
  const context = await following({ mal: 1, environment: new Network(pushSlot) });
  const next = take(context.iterator, 1);
  await until(() => answers.length === 1 && context.time.running(testLimits.openMs) === 1);
  let released = 0;
  const lend = () =>
    answers[0]?.lend(() => {
      released += 1;
    });
  return { ...context, next, lend, fail: () => answers[0]?.fail(new Error('late')), released: () => released };
}

test.each(['never', 'late', 'with an error, late'])('a slot answered %s means pull', async (when) => {
  const { origin, time, follower, next, lend, fail, released } = await asking();
  time.expire(testLimits.openMs);
  await until(() => follower.status.state === 'waiting');
  expect(follower.status).toMatchObject({ mode: 'pull', reason: expect.stringContaining('no connection is free') });
  if (when === 'late') lend();
  if (when === 'with an error, late') fail();
  await until(() => released() === (when === 'late' ? 1 : 0));
  origin.commit('b');
  expect(await next).toMatchObject([{ via: 'pull' }]);
  expect(origin.requestsTo(/events/)).toHaveLength(0);
});

test('a slot that is answered in time is had for as long as the connection is open', async () => {
  const { origin, time, iterator, next, lend, released } = await asking();
  lend();
  await until(() => origin.pushed.size === 1);
  expect(time.running(testLimits.openMs)).toBe(1);
  origin.commit('b');
  expect(await next).toMatchObject([{ via: 'push' }]);
  expect(released()).toBe(0);
  await iterator.return?.();
  await until(() => released() > 0);
});

test('a slot that is granted after its follower left is given back, and no connection opened', async () => {
  const { origin, iterator, lend, released } = await asking();
  await iterator.return?.();
  lend();
  await until(() => released() === 1);
  expect(origin.requestsTo(/events/)).toHaveLength(0);
});
