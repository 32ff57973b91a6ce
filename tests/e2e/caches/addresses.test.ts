import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { skipMissing, WAYS } from './ways.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A publisher that keeps the last request for a stream. */
async function recordingPublisher() {
  let last: IncomingMessage | undefined;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/vehicles/events')) last = request;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1000\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), last: () => last };
}

describe.each(WAYS.filter(({ program }) => program !== undefined))('$name', (way) => {
  skipMissing(way);

  test('PUSH-28 a proxy says last who asks for a stream, whatever the client has said', async () => {
    const publisher = await recordingPublisher();
    const front = await way.open(publisher.url);
    opened.push(() => front.close());
    const forwarded = async (headers: Record<string, string>, query = '') => {
      const response = await fetch(`${front.url}vehicles/events${query}`, { headers });
      expect(await response.text()).toBe('retry: 1000\n\n');
      return publisher.last()?.headers['x-forwarded-for'];
    };
    expect(await forwarded({})).toBe('127.0.0.1');
    expect(await forwarded({ 'x-forwarded-for': '203.0.113.7' })).toMatch(/^203\.0\.113\.7, ?127\.0\.0\.1$/);
    expect(await forwarded({ 'x-forwarded-for': '203.0.113.7, 127.0.0.1' }, '?from=a-1')).toMatch(/, ?127\.0\.0\.1$/);
  });
});
