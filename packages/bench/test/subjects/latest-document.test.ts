import { expect, test } from 'vitest';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import { findStamp, readStamp } from '../../src/load/stamp.ts';
import { startExpressPeer } from '../../src/subjects/express-peer.ts';
import { startLivePeer } from '../../src/subjects/live-peer.ts';

const EVERY_MS = 30_000;
const EVENT_BYTES = 5200;

const live = () => startLivePeer({ workload: 'sized', eventBytes: EVENT_BYTES, everyMs: EVERY_MS });

async function express() {
  const peer = await live();
  await peer.close();
  return startExpressPeer(peer.sample ?? '', EVERY_MS);
}

test.each([
  ['the framework', live],
  ['the Express server', express],
])('the latest document of %s has the update, its size, and when the next one comes', async (_, start) => {
  const peer = await start();
  const url = `http://127.0.0.1:${peer.port}${peer.latestPath}`;
  const micros = monotonicMicros();
  peer.expect?.(micros);
  await peer.publish(micros, 0);
  const askedMs = Date.now();
  const response = await fetch(url);
  const body = Buffer.from(await response.arrayBuffer());
  expect(readStamp(body, findStamp(body, 0, body.length))).toBe(micros);
  expect(body.length).toBeGreaterThan(EVENT_BYTES * 0.9);
  expect(body.length).toBeLessThan(EVENT_BYTES * 1.3);
  const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1]);
  expect(maxAge).toBeGreaterThan(0);
  expect(maxAge).toBeLessThanOrEqual(EVERY_MS / 1000);
  const expiresMs = Date.parse(response.headers.get('expires') ?? '');
  expect(expiresMs).toBeGreaterThan(askedMs);
  expect(expiresMs).toBeLessThanOrEqual(askedMs + EVERY_MS);
  await peer.close();
});

test('a document whose next update is overdue may not be reused by the Express server', async () => {
  const peer = await express();
  await peer.publish(monotonicMicros() - 2 * EVERY_MS * 1000, 0);
  const response = await fetch(`http://127.0.0.1:${peer.port}${peer.latestPath}`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=0');
  await peer.close();
});
