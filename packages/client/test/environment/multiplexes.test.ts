import { expect, test } from 'vitest';
import { multiplexes } from '../../src/environment/multiplexes.ts';
import { BrowserHost } from '../support/browser-host.ts';

const ORIGIN = 'https://a.example';

test.each([
  ['h2', true],
  ['h2c', true],
  ['h3', true],
  ['http/1.1', false],
  ['http/1.0', false],
  ['', false],
])('MAL-60 a connection by %j is shared: %s', (protocol, expected) => {
  const host = new BrowserHost();
  host.loaded('resource', `${ORIGIN}/latest`, protocol);
  expect(multiplexes(host, ORIGIN)).toBe(expected);
});

test('MAL-60 a protocol that nobody tells counts as HTTP/1.1', () => {
  const host = new BrowserHost();
  host.loaded('resource', 'https://b.example/', 'h2');
  host.loaded('resource', 'https://a.example:8443/', 'h2');
  host.loaded('resource', 'not a URL', 'h2');
  expect(multiplexes(host, ORIGIN)).toBe(false);
  expect(multiplexes({}, ORIGIN)).toBe(false);
  expect(multiplexes({ performance: {} }, ORIGIN)).toBe(false);
});

test('the last connection to an origin that tells decides, and the page itself where nothing was loaded', () => {
  const host = new BrowserHost();
  host.loaded('navigation', `${ORIGIN}/page`, 'h2');
  expect(multiplexes(host, ORIGIN)).toBe(true);
  host.loaded('resource', `${ORIGIN}/1`, 'h3');
  host.loaded('resource', `${ORIGIN}/2`, 'http/1.1');
  host.loaded('resource', `${ORIGIN}/3`, '');
  expect(multiplexes(host, ORIGIN)).toBe(false);
});
