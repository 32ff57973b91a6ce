import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { afterEach, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';
import { mergePollReports } from '../../src/load/merge-poll-reports.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import type { PollPlan, PollReport } from '../../src/load/poll-messages.ts';
import { Pollers } from '../../src/load/pollers.ts';
import { stamp } from '../../src/load/stamp.ts';

/** Waits for what comes; the limit is for what hangs. */
const until = (holds: () => void) => eventually(holds);

const INTERVAL_MS = 1000;
const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

type Handler = (response: ServerResponse, request: IncomingMessage) => void;

async function serve(handler: Handler): Promise<number> {
  const server = createServer((request, response) => handler(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Readers of a server, and what they have met in all. */
async function poll(port: number, more: Partial<PollPlan> = {}) {
  const pollers = new Pollers({
    readers: 2,
    firstReader: 0,
    targets: [{ port, path: '/latest' }],
    headers: {},
    behaviour: { kind: 'every', everyMs: 10 },
    updateIntervalMs: INTERVAL_MS,
    opening: 2,
    seed: 1,
    localAddress: '127.0.0.1',
    ...more,
  });
  closings.push(() => pollers.stop());
  const opened = await pollers.open();
  pollers.begin();
  let met: PollReport = pollers.report(monotonicMicros());
  return {
    opened,
    met: (sinceMicros = 0) => {
      met = mergePollReports([met, pollers.report(sinceMicros)]);
      return met;
    },
  };
}

const answer = (response: ServerResponse, stampMicros: number, headers: Record<string, string> = {}) =>
  response.writeHead(200, headers).end(JSON.stringify({ at: stamp(stampMicros) }));

test('versions are news once to each reader, and those that a reader never had are counted', async () => {
  const beginMicros = monotonicMicros() + 1_000_000_000;
  let stampMicros = beginMicros;
  const { opened, met } = await poll(await serve((response) => answer(response, stampMicros)));
  expect(opened).toBe(2);
  stampMicros = beginMicros + INTERVAL_MS * 1000;
  await until(() => expect(met()).toMatchObject({ news: 2, skipped: 0, older: 0 }));
  stampMicros = beginMicros + 4 * INTERVAL_MS * 1000;
  await until(() => expect(met()).toMatchObject({ news: 4, skipped: 4, older: 0 }));
  expect(met()).toMatchObject({ failed: 0, statuses: { 200: met().requests } });
  stampMicros = beginMicros;
  await until(() => expect(met().older).toBeGreaterThan(1));
});

test('versions that were scheduled before what counts are neither news nor skipped', async () => {
  const beginMicros = monotonicMicros() + 1_000_000_000;
  const sinceMicros = beginMicros + 2 * INTERVAL_MS * 1000 - 1000;
  let stampMicros = beginMicros;
  const { met } = await poll(await serve((response) => answer(response, stampMicros)));
  met(sinceMicros);
  stampMicros = beginMicros + INTERVAL_MS * 1000;
  const before = met(sinceMicros).requests;
  // Each of them has it.
  await until(() => expect(met(sinceMicros).requests).toBeGreaterThan(before + 4));
  expect(met(sinceMicros)).toMatchObject({ news: 0, skipped: 0, older: 0 });
  stampMicros = beginMicros + 4 * INTERVAL_MS * 1000;
  await until(() => expect(met(sinceMicros)).toMatchObject({ news: 2, skipped: 4, older: 0 }));
});

test('what a stalled server owes is late from when it was due, of each request', async () => {
  const held: ServerResponse[] = [];
  let isStalled = false;
  const port = await serve((response) => {
    if (isStalled) held.push(response);
    else answer(response, 1);
  });
  const { met } = await poll(port, { readers: 1 });
  isStalled = true;
  const STALLED = 8;
  await until(() => expect(met().waiting).toBeGreaterThan(0));
  const since = monotonicMicros();
  // One request is with the server, and those after it wait for their connection.
  await until(() => expect(monotonicMicros() - since).toBeGreaterThan(STALLED * 10_000));
  expect(held).toHaveLength(1);
  const before = met();
  isStalled = false;
  for (const response of held) answer(response, 1);
  await until(() => expect(met().requests).toBeGreaterThan(before.requests + STALLED));
  const { responseTime, lateRequests } = met();
  const times = new LatencyHistogram();
  times.add(responseTime);
  expect(times.max).toBeGreaterThan((STALLED - 1) * 10_000);
  expect(lateRequests).toBeGreaterThanOrEqual(STALLED - 2);
});

test('a copy is not asked for anew while it is fresh, and then by its tag', async () => {
  const asked: { readonly micros: number; readonly tag: string | undefined }[] = [];
  const port = await serve((response, { headers }) => {
    asked.push({ micros: monotonicMicros(), tag: headers['if-none-match'] });
    answer(response, 1, { 'cache-control': 'max-age=1', etag: '"one"' });
  });
  await poll(port, { readers: 1, behaviour: { kind: 'article', pauseMs: 20 } });
  await until(() => expect(asked).toHaveLength(2));
  const [first, second] = asked;
  expect(first?.tag).toBeUndefined();
  expect(second?.tag).toBe('"one"');
  // Less the moment between asking and being asked.
  expect((second?.micros ?? 0) - (first?.micros ?? 0)).toBeGreaterThan(950_000);
});

test('readers with a MAL ask once for an update that was named', async () => {
  const everyMs = 300;
  const startMs = Date.now();
  const originMicros = monotonicMicros();
  let asked = 0;
  const port = await serve((response) => {
    asked += 1;
    const update = Math.floor((Date.now() - startMs) / everyMs);
    answer(response, originMicros + update * everyMs * 1000, {
      'cache-control': 'max-age=0',
      'next-update': new Date(startMs + (update + 1) * everyMs).toISOString(),
    });
  });
  const { met } = await poll(port, { behaviour: { kind: 'mal', malSeconds: 0.2 }, updateIntervalMs: everyMs });
  await until(() => expect(met().news).toBeGreaterThanOrEqual(6));
  const { news, skipped, requests } = met();
  expect(asked).toBeLessThanOrEqual(requests + 2 + 2);
  // A machine that is busy may let some pass.
  expect(requests).toBeLessThanOrEqual((news + skipped) * 1.5 + 2);
});

test('a kept-alive connection that its server ends is opened anew, and nothing has failed', async () => {
  let requests = 0;
  const port = await serve((response) => {
    requests += 1;
    // Every fifth finds its connection ended, every other third is told of the end.
    if (requests % 5 === 0) response.socket?.destroy();
    else answer(response, 1, requests % 3 === 0 ? { connection: 'close' } : {});
  });
  const { met } = await poll(port);
  await until(() => expect(met().requests).toBeGreaterThan(20));
  expect(met().reopened).toBeGreaterThan(0);
  expect(met().failed).toBeLessThan(met().requests);
});

test('readers that get no document are told of', async () => {
  const port = await serve((response) => response.writeHead(503).end());
  const { opened } = await poll(port);
  expect(opened).toBe(0);
});

test('a server that cannot be reached is asked on, and each time has failed', async () => {
  const port = await serve((response) => answer(response, 1));
  const { met } = await poll(port);
  closings.shift()?.();
  await until(() => expect(met().failed).toBeGreaterThan(4));
});
