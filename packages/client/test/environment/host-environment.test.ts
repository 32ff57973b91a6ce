import { describe, expect, test } from 'vitest';
import { hostEnvironment, PUSH_CONNECTIONS } from '../../src/environment/host-environment.ts';
import { BrowserHost } from '../support/browser-host.ts';

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
    for (let count = 0; count < PUSH_CONNECTIONS; count++) {
      expect(await (count % 2 ? one : other).pushSlot(`${URL_A}/${count}`)).toBeTypeOf('function');
    }
    expect(await one.pushSlot(URL_A)).toBeUndefined();
    expect(await other.pushSlot(URL_A)).toBeUndefined();
    expect(await one.pushSlot('https://a.example:8443/push')).toBeTypeOf('function');
    expect(await hostEnvironment({ host: new BrowserHost() }).pushSlot(URL_A)).toBeTypeOf('function');
    expect(PUSH_CONNECTIONS).toBe(4);
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
