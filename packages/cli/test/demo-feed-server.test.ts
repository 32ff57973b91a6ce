import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { decodeFeed } from '@ldes-live/sources';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoFeedServer, startDemoFeedServer } from '../src/demo/demo-feed-server.ts';
import { transitNetwork } from '../src/demo/transit-network.ts';

let nowMs = Date.UTC(2026, 10, 20, 9);
let server: DemoFeedServer;
beforeAll(async () => {
  server = await startDemoFeedServer(transitNetwork(7), () => nowMs);
});
afterAll(() => server.close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As on the wire: `fetch` would decompress. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test.each(['vehiclePositions', 'tripUpdates', 'alerts'] as const)('%s are served as protobuf', async (feed) => {
  const { status, headers, body } = await get(server.url(feed));
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/x-protobuf');
  expect(headers['last-modified']).toBe('Fri, 20 Nov 2026 09:00:00 GMT');
  expect(decodeFeed(body).feed.header.timestamp).toBe(nowMs / 1000);
});

test('a body is compressed where that is accepted, under an ETag of its own', async () => {
  const url = server.url('vehiclePositions');
  const plain = await get(url);
  const zipped = await get(url, { 'accept-encoding': 'br, gzip' });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(zipped.body)).toEqual(plain.body);
  expect(zipped.headers.etag).not.toBe(plain.headers.etag);
});

test('what the client has is not sent again until the next tick', async () => {
  const url = server.url('alerts');
  const { headers } = await get(url);
  const known = { 'if-none-match': `"other", ${headers.etag}` };
  const again = await get(url, known);
  expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  expect(again.headers.etag).toBe(headers.etag);
  expect((await get(url, { 'if-none-match': '*' })).status).toBe(304);
  expect((await get(url, { 'if-modified-since': headers['last-modified'] as string })).status).toBe(304);
  expect((await get(url, { 'if-modified-since': 'yesterday' })).status).toBe(200);
  nowMs += 5000;
  expect((await get(url, known)).status).toBe(200);
  expect((await get(url, { 'if-modified-since': headers['last-modified'] as string })).status).toBe(200);
  // The ETag decides where both are sent.
  const { headers: next } = await get(url);
  const both = { ...known, 'if-modified-since': next['last-modified'] as string };
  expect((await get(url, both)).status).toBe(200);
});

test('HEAD gets the headers alone, and another path nothing', async () => {
  const url = server.url('alerts');
  expect(await get(url, {}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  expect((await get(new URL('/other.pb', url).href)).status).toBe(404);
});
