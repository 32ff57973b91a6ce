import { eventually } from '@ldes-live/test-support/eventually';
import { until } from '@ldes-live/test-support/virtual-time';
import { describe, expect, test } from 'vitest';
import { type Host, hostEnvironment } from '../src/environment.ts';
import { BrowserHost, SharedLocks } from './support/browser-host.ts';
import { Network } from './support/network.ts';
import { following, take, testLimits } from './support/setup-origin.ts';

const URL_A = 'https://a.example/push';

describe('a network that comes and goes', () => {
  test('MAL-62 is that of the browser, and counts as there wherever nobody says', () => {
    const host = new BrowserHost();
    const environment = hostEnvironment({ host });
    expect(environment.isOnline()).toBe(true);
    host.goOnline(false);
    expect(environment.isOnline()).toBe(false);
    expect(hostEnvironment({ host: {} }).isOnline()).toBe(true);
    expect(hostEnvironment({ host: { navigator: {} } }).isOnline()).toBe(true);
  });

  test('MAL-62 tells each listener that it is back, until that has stopped listening', () => {
    const host = new BrowserHost();
    const environment = hostEnvironment({ host });
    let heard = 0;
    const listener = () => {
      heard += 1;
    };
    const stopOne = environment.onOnline(listener);
    const stopOther = environment.onOnline(listener);
    host.goOnline(false);
    expect(heard).toBe(0);
    host.goOnline(true);
    expect(heard).toBe(2);
    stopOne();
    host.goOnline(true);
    expect(heard).toBe(3);
    stopOther();
    host.goOnline(true);
    expect(heard).toBe(3);
  });

  test('is never heard of where there are no events', () => {
    expect(() => hostEnvironment({ host: {} }).onOnline(() => {})()).not.toThrow();
  });
});

describe('push connections', () => {
  test('MAL-60 are as many as wanted outside of browsers, this process among them', async () => {
    for (const environment of [hostEnvironment(), hostEnvironment({ host: { navigator: {} } })]) {
      for (let count = 0; count < 100; count++) expect(await environment.pushSlot(URL_A)).toBeTypeOf('function');
    }
  });

  test('MAL-60 of a page are four for each origin, whatever the client, by default', async () => {
    const host = new BrowserHost();
    const [one, other] = [hostEnvironment({ host }), hostEnvironment({ host })];
    for (let count = 0; count < 4; count++) {
      expect(await (count % 2 ? one : other).pushSlot(`${URL_A}/${count}`)).toBeTypeOf('function');
    }
    expect(await one.pushSlot(URL_A)).toBeUndefined();
    expect(await other.pushSlot(URL_A)).toBeUndefined();
    expect(await one.pushSlot('https://a.example:8443/push')).toBeTypeOf('function');
    expect(await hostEnvironment({ host: new BrowserHost() }).pushSlot(URL_A)).toBeTypeOf('function');
  });

  test('may be limited otherwise, to one and more', async () => {
    const environment = hostEnvironment({ host: new BrowserHost(), limitPushConnections: 1 });
    expect(await environment.pushSlot(URL_A)).toBeTypeOf('function');
    expect(await environment.pushSlot(URL_A)).toBeUndefined();
    for (const limitPushConnections of [0, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => hostEnvironment({ limitPushConnections })).toThrow(
        expect.objectContaining({ code: 'ERR_LIMIT_INVALID' }),
      );
    }
  });
});

const ORIGIN = 'https://a.example';

const slotsOf = (host: Host, limitPushConnections: number) => hostEnvironment({ host, limitPushConnections });

/** Whether more push connections are lent than there may be of HTTP/1.1. */
async function isShared(host: Host): Promise<boolean> {
  const { pushSlot } = slotsOf(host, 1);
  const first = await pushSlot(URL_A);
  const second = await pushSlot(URL_A);
  first?.();
  return second !== undefined;
}

test.each([
  ['h2', true],
  ['h2c', true],
  ['h3', true],
  ['http/1.1', false],
  ['http/1.0', false],
  ['', false],
])('MAL-60 a connection by %j is shared: %s', async (protocol, expected) => {
  const host = new BrowserHost();
  host.loaded('resource', `${ORIGIN}/latest`, protocol);
  expect(await isShared(host)).toBe(expected);
});

test('MAL-60 a protocol that nobody tells counts as HTTP/1.1', async () => {
  const host = new BrowserHost();
  host.loaded('resource', 'https://b.example/', 'h2');
  host.loaded('resource', 'https://a.example:8443/', 'h2');
  host.loaded('resource', 'not a URL', 'h2');
  expect(await isShared(host)).toBe(false);
  expect(await isShared({ navigator: { onLine: true } })).toBe(false);
  expect(await isShared({ navigator: { onLine: true }, performance: {} })).toBe(false);
});

test('the last connection to an origin that tells decides, and the page itself where nothing was loaded', async () => {
  const host = new BrowserHost();
  host.loaded('navigation', `${ORIGIN}/page`, 'h2');
  expect(await isShared(host)).toBe(true);
  host.loaded('resource', `${ORIGIN}/1`, 'h3');
  host.loaded('resource', `${ORIGIN}/2`, 'http/1.1');
  host.loaded('resource', `${ORIGIN}/3`, '');
  expect(await isShared(host)).toBe(false);
});

test('MAL-61 a slot that is given back is free again, and once only', async () => {
  const slots = slotsOf(new BrowserHost(), 2);
  const release = await slots.pushSlot(URL_A);
  await slots.pushSlot(URL_A);
  expect(await slots.pushSlot(URL_A)).toBeUndefined();
  release?.();
  release?.();
  expect(await slots.pushSlot(URL_A)).toBeTypeOf('function');
  expect(await slots.pushSlot(URL_A)).toBeUndefined();
});

test('MAL-60 tabs that share locks share the slots of an origin', async () => {
  const locks = new SharedLocks();
  const tabs = [slotsOf(new BrowserHost(locks), 4), slotsOf(new BrowserHost(locks), 4)];
  const taken = await Promise.all(Array.from({ length: 10 }, (_, index) => tabs[index % 2]?.pushSlot(URL_A)));
  expect(taken.filter((release) => release)).toHaveLength(4);
  expect(locks.held.size).toBe(4);
  expect(await tabs[0]?.pushSlot('http://a.example/push')).toBeTypeOf('function');
});

test('MAL-61 a lock that is given back is free for another tab', async () => {
  const locks = new SharedLocks();
  const release = await slotsOf(new BrowserHost(locks), 1).pushSlot(URL_A);
  const other = slotsOf(new BrowserHost(locks), 1);
  expect(await other.pushSlot(URL_A)).toBeUndefined();
  release?.();
  await Promise.resolve();
  await eventually(() => expect(locks.held.size).toBe(0));
  expect(await other.pushSlot(URL_A)).toBeTypeOf('function');
});

test('a page that may not use its locks counts for itself', async () => {
  const denied = { request: () => Promise.reject(new Error('SecurityError')) };
  const slots = slotsOf(new BrowserHost(denied), 1);
  expect(await slots.pushSlot(URL_A)).toBeTypeOf('function');
  expect(await slots.pushSlot(URL_A)).toBeUndefined();
});

test('locks that throw at once count as locks that may not be used', async () => {
  const throwing = {
    request: () => {
      throw new Error('InvalidStateError');
    },
  };
  expect(await slotsOf(new BrowserHost(throwing), 1).pushSlot(URL_A)).toBeTypeOf('function');
});

test('MAL-60 over HTTP/2 there is no limit', async () => {
  const host = new BrowserHost(new SharedLocks());
  host.loaded('resource', URL_A, 'h2');
  const slots = slotsOf(host, 1);
  for (let count = 0; count < 10; count++) expect(await slots.pushSlot(URL_A)).toBeTypeOf('function');
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

test.each(['never', 'late', 'with an error, late'])(
  'MAL-89 a slot that is answered for %s leaves the stream to pull, leads to no request, and is given back',
  async (when) => {
    const { origin, time, follower, next, lend, fail, released } = await asking();
    time.expire(testLimits.openMs);
    await until(() => follower.status.state === 'waiting');
    expect(follower.status).toMatchObject({ mode: 'pull', reason: expect.stringContaining('no connection to spare') });
    if (when === 'late') lend();
    if (when === 'with an error, late') fail();
    await until(() => released() === (when === 'late' ? 1 : 0));
    origin.commit('b');
    expect(await next).toMatchObject([{ via: 'pull' }]);
    expect(origin.requestsTo(/events/)).toHaveLength(0);
  },
);

test('MAL-89 a slot that is answered in time is had for as long as the connection is open', async () => {
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

test('MAL-61 a slot that is granted after its follower left is given back, and no connection opened', async () => {
  const { origin, iterator, lend, released } = await asking();
  await iterator.return?.();
  lend();
  await until(() => released() === 1);
  expect(origin.requestsTo(/events/)).toHaveLength(0);
});
