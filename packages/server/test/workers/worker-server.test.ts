import type { Schedule } from '@ldes-live/latency';
import type { SourceHealth } from '@ldes-live/rdf-stream';
import { scriptedChannel } from '@ldes-live/test-support/channels';
import { readRaw } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import type { HealthReport, SourcePoll } from '../../src/index.ts';
import { cutOff, FakeCluster, WRITER } from '../fake-cluster.ts';
import { fill, quietSource, upsert } from '../test-server.ts';
import { aheadOfWorker, workerWorld } from './worker-world.ts';

const HEALTHY: SourceHealth = {
  ...{ origin: 'a.example', state: 'ok', lastGoodAt: '2026-01-01T00:00:00.000Z' },
  ...{ polls: { good: 1, bad: 0 }, errors: {}, findings: {} },
};

const healthOf = async (response: Response) => (await response.json()) as HealthReport;

const ids = (events: readonly { id: string }[]) => events.map(({ id }) => Number(id.split('-')[1]));

test('a reader of a worker gets each commit as it comes, and documents from the owner', async () => {
  const world = await workerWorld();
  const reader = await world.read();
  await fill(world, 10, 2);
  await reader.count(5);
  expect(ids(reader.events)).toEqual([2, 4, 6, 8, 10]);
  const direct = await fetch(`${world.ownerUrl}/vehicles/events?from=${world.log.head.cursor.epoch}-0`);
  expect(direct.headers.get('link')).toBe(reader.response.headers.get('link'));
  await direct.body?.cancel();
  const latest = await fetch(`${world.workerUrl}/vehicles/latest`);
  expect(latest.headers.get('ldes-cursor')).toBe(reader.events.at(-1)?.id);
});

test('a reader that resumes at a worker gets what came before the worker, once and in order', async () => {
  const world = await workerWorld({}, { before: (server) => fill(server, 3000, 7) });
  const { epoch } = world.log.head.cursor;
  const reader = await world.read('', { 'last-event-id': `${epoch}-10` });
  await fill(world, 20, 5);
  await reader.count(432);
  const commits = Array.from({ length: 427 }, (_, index) => 14 + 7 * index);
  // The first is the rest of the commit in which the cursor is.
  expect(ids(reader.events)).toEqual([...commits, 3000, 3005, 3010, 3015, 3020]);
  expect(new Set(reader.events.map(({ event }) => event))).toEqual(new Set(['update']));
});

test('the health and the metrics of the owner count the readers of all workers', async () => {
  const world = await workerWorld({}, { workers: 2 });
  const second = await world.another();
  await world.read();
  await world.read();
  const other = await fetch(`${second.workerUrl}/vehicles/events`);
  const health = await healthOf(await fetch(`${second.workerUrl}/health`));
  expect(health.streams.vehicles?.pushConnections).toBe(3);
  await other.body?.cancel();
  second.cut();
  await eventually(async () => {
    const left = await healthOf(await fetch(`${world.workerUrl}/health`));
    expect(left.streams.vehicles?.pushConnections).toBe(2);
  });
});

test('a stop turns health unready, ends the streams of the workers, and then stops the owner', async () => {
  const lines: string[] = [];
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } };
  const world = await workerWorld({ push: { shutdownGraceMs: 300 }, logger });
  const readers = await Promise.all([world.read(), world.read(), world.read()]);
  await world.log.append([upsert(1, 1)]);
  for (const reader of readers) await reader.count(1);
  const closing = world.owner.close();
  await eventually(() => expect(lines.at(-1)).toMatch(/"connections":3,.*"draining"/));
  const health = await fetch(`${world.workerUrl}/health`);
  expect(health.status).toBe(503);
  expect((await healthOf(health)).status).toBe('stopping');
  await Promise.all([world.worker.drained, closing]);
  for (const reader of readers) await eventually(() => expect(reader.state.ended).toBe(true));
  await expect(fetch(`${world.workerUrl}/health`)).rejects.toThrow();
  await expect(fetch(`${world.ownerUrl}/health`)).rejects.toThrow();
});

test('the readers of workers get every commit until they are sent away', async () => {
  const world = await workerWorld({ push: { shutdownGraceMs: 1000 } });
  const readers = await Promise.all(Array.from({ length: 40 }, () => world.read()));
  const closing = world.owner.close();
  for (let value = 1; readers.some(({ state }) => !state.ended); value += 1) {
    await world.log.append([upsert(1, value)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closing;
  const counts = readers.map(({ events }) => events.length);
  expect(Math.max(...counts)).toBeGreaterThan(Math.min(...counts));
  for (const { events } of readers) expect(ids(events)).toEqual(events.map((_, index) => index + 1));
});

test('what a worker lacks when its owner is gone ends with the connection that lacks it', async () => {
  const world = await workerWorld({}, { before: (server) => fill(server, 10, 1) });
  world.cut();
  const reader = await world.read(`?from=${world.log.head.cursor.epoch}-2`);
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect(reader.events).toEqual([]);
});

test.each<[string, (cursor: string) => [string, Record<string, string>]]>([
  ['from', (cursor) => [`?from=${cursor}`, {}]],
  ['Last-Event-ID', (cursor) => ['', { 'last-event-id': cursor }]],
])('PUSH-64 a reader who knows more than a worker goes on without gap or double (%s)', async (_name, query) => {
  const world = await aheadOfWorker(query);
  world.release();
  const reader = await world.reading;
  expect(reader.response.headers.get('ldes-cursor')).toBe(`${world.log.head.cursor.epoch}-5`);
  await world.log.append([upsert(1, 12_345)]);
  await eventually(() => expect(ids(reader.events).at(-1)).toBe(6));
  expect(reader.events.map(({ event, id }) => [event, id])).toEqual([['update', `${world.log.head.cursor.epoch}-6`]]);
});

test('PUSH-64 a reader who knows a large commit that is still being written goes on without gap or double', async () => {
  const world = await workerWorld();
  await world.log.append(Array.from({ length: 3000 }, (_, number) => upsert(number, 1)));
  const { epoch } = world.log.head.cursor;
  const reader = await world.read(`?from=${epoch}-3000`);
  expect(reader.response.headers.get('ldes-cursor')).toBe(`${epoch}-3000`);
  await world.log.append([upsert(1, 2)]);
  await eventually(() => expect(ids(reader.events).at(-1)).toBe(3001));
  expect(reader.events.map(({ event, id }) => [event, id])).toEqual([['update', `${epoch}-3001`]]);
});

test('PUSH-64 a cursor past the end of the log is a gap at a worker as at the owner', async () => {
  const world = await workerWorld({}, { before: (server) => fill(server, 3, 1) });
  const reader = await world.read(`?from=${world.log.head.cursor.epoch}-4`);
  await reader.count(1);
  expect(reader.events[0]).toMatchObject({ event: 'gap', id: `${world.log.head.cursor.epoch}-3` });
});

test('PUSH-64 who waits at a worker and goes leaves its place', async () => {
  const world = await workerWorld({ push: { limitConnections: 1 } });
  const asked = world.hold();
  const client = new AbortController();
  const url = `${world.workerUrl}/vehicles/events`;
  const reading = fetch(`${url}?from=${world.log.head.cursor.epoch}-7`, { signal: client.signal }).catch(() => 'gone');
  await Promise.race([asked, reading]);
  expect((await fetch(url)).status).toBe(503);
  client.abort();
  expect(await reading).toBe('gone');
  await eventually(async () => expect((await world.read()).response.status).toBe(200), { everyMs: 10 });
});

test('PUSH-64 who waits at a worker that is told to stop is told to come later, at once', async () => {
  const world = await aheadOfWorker((cursor) => [`?from=${cursor}`, {}]);
  const closing = world.worker.close();
  const reader = await world.reading;
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect([reader.response.status, reader.events, reader.retries.length]).toEqual([200, [], 1]);
  await closing;
});

test('PUSH-64 who waits at a worker whose owner goes is sent on at once, and not told of a gap', async () => {
  const world = await aheadOfWorker((cursor) => [`?from=${cursor}`, {}]);
  world.cut();
  const reader = await world.reading;
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect([reader.response.status, reader.events, reader.retries.length]).toEqual([200, [], 1]);
});

test('a worker that hangs is told once to stop, and with a reader that takes nothing holds up no stop', async () => {
  const graceMs = 100;
  const { owner, ownerUrl, log, cut } = await workerWorld({ push: { shutdownGraceMs: graceMs } });
  cut();
  const silent = scriptedChannel();
  owner.attachWorker(silent.channel, 1);
  const held = await readRaw(Number(new URL(ownerUrl).port), '/vehicles/events');
  held.pause();
  // More than the system takes for it.
  await log.append([upsert(1, 1, 'x'.repeat(16 * 1024 * 1024))]);
  const begunMs = performance.now();
  await owner.close();
  // 1.1 s on a machine that has nothing else to do; who is held up waits for ever.
  expect(performance.now() - begunMs).toBeLessThan(graceMs + 6000);
  expect(silent.sent.filter(({ kind }) => kind === 'worker-drain')).toHaveLength(1);
  held.close();
}, 20_000);

test('a worker of a node that is cut off tells its readers so, sends on who knows more, and has the owner refuse posts', async () => {
  const cluster = new FakeCluster();
  const ingest = { tokenHashes: ['0'.repeat(64)] };
  const world = await workerWorld({ cluster }, { before: (server) => fill(server, 3, 1), stream: { ingest } });
  const reader = await world.read();
  cluster.become({ role: cutOff(world.time.nowMs) });
  await reader.count(1);
  const since = '2026-01-01T00:00:13.000Z';
  expect(JSON.parse(reader.events[0]?.data ?? '')).toEqual({ source: 'failing', since, completeTo: since });
  const ahead = await world.read(`?from=${world.log.head.cursor.epoch}-9`);
  await eventually(() => expect(ahead.state.ended).toBe(true));
  expect([ahead.response.status, ahead.events, ahead.retries.length]).toEqual([200, [], 1]);
  const posted = await fetch(`${world.workerUrl}/vehicles`, { method: 'POST', body: 'x' });
  expect([posted.status, await posted.json()]).toMatchObject([503, { code: 'ERR_WRITER_UNKNOWN' }]);
  cluster.become({ role: WRITER });
  const gap = await world.read(`?from=${world.log.head.cursor.epoch}-9`);
  await gap.count(1);
  expect(gap.events[0]).toMatchObject({ event: 'gap' });
});

test('MAL-25 a worker states the sources and the next update as its owner does, soon after a poll', async () => {
  const says = { health: HEALTHY, schedule: { kind: 'unknown' } as Schedule, polled: (_poll: SourcePoll) => {} };
  const source = {
    ...quietSource('a.example', () => says.health),
    schedule: () => says.schedule,
    onPoll: (listener: typeof says.polled) => {
      says.polled = listener;
      return () => {};
    },
  };
  const world = await workerWorld({}, { stream: { sources: [source] } });
  const stated = async (base: string) => {
    const { headers } = await fetch(`${base}/vehicles/latest`);
    return ['ldes-source', 'next-update', 'cache-control'].map((name) => headers.get(name));
  };
  const reader = await world.read();
  for (const [waitMs, failing] of [
    [30_000],
    [70_000, { state: 'failing', failingSince: '2026-01-01T00:00:00.000Z' }],
  ] as const) {
    Object.assign(says, { health: { ...HEALTHY, ...failing } });
    says.schedule = { kind: 'interval', intervalMs: 60_000, nextMs: world.time.nowMs + waitMs };
    says.polled({ kind: 'accepted', durationMs: 1 });
    const own = await stated(world.ownerUrl);
    expect(own).not.toContain(null);
    const askedMs = performance.now();
    await eventually(async () => expect(await stated(world.workerUrl)).toEqual(own), { everyMs: 10 });
    expect(performance.now() - askedMs).toBeLessThan(900);
  }
  await eventually(() => expect(reader.events.at(-1)).toMatchObject({ event: 'status' }));
});
