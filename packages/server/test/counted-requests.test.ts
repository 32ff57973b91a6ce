import { request } from 'node:http';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, liveStreams } from '../src/index.ts';
import { parseMetrics } from './parse-metrics.ts';
import { EPOCH, emptyStream, entityOf, PUBLIC_URL, upsert } from './test-server.ts';

/** A server over a log of so many members, by the way of a server of its own or by that of the plugin. */
async function served(way: 'server' | 'plugin', members = 300) {
  const clock = () => Date.parse('2026-01-01T00:00:10.250Z');
  const stream = await emptyStream(clock);
  const { log } = stream;
  await log.append(Array.from({ length: members }, (_, number) => upsert(number, number)));
  const options = { publicUrl: PUBLIC_URL, streams: [stream], clock, random: () => 0.5, push: { shutdownGraceMs: 10 } };
  let port: number;
  if (way === 'server') {
    const server = await createLiveServer(options);
    port = await server.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
  } else {
    const app = Fastify({ forceCloseConnections: true });
    await app.register(liveStreams, options);
    port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
    onTestFinished(() => app.close());
  }
  const base = `http://127.0.0.1:${port}`;
  const read = async () => parseMetrics(await (await fetch(`${base}/metrics`)).text());
  const ask = (path: string, { method = 'GET', ...headers }: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      asked.on('error', reject).end();
    });
  const requests = async () =>
    Object.fromEntries(
      [...((await read()).get('ldes_live_requests_total')?.samples ?? [])].map(({ labels, value }) => [
        `${labels.stream} ${labels.kind} ${labels.status}`,
        value,
      ]),
    );
  return { base, log, read, ask, requests };
}

test.each(['server', 'plugin'] as const)('PUSH-41 each request is counted once, whichever way: %s', async (way) => {
  const { base, ask, requests } = await served(way);
  // What is asked, what else the request has, the status, and what it is counted as.
  const asked: [path: string, request: Record<string, string>, status: number, kind: string][] = [
    ['/vehicles', {}, 200, 'vehicles root'],
    ['/vehicles/latest', {}, 200, 'vehicles latest'],
    // The second time it is ready.
    ['/vehicles/latest', {}, 200, 'vehicles latest'],
    ['/vehicles/latest', { method: 'HEAD' }, 200, 'vehicles latest'],
    ['/vehicles/latest', { 'if-none-match': '*' }, 304, 'vehicles latest'],
    ['/vehicles/latest', { 'if-none-match': '*' }, 304, 'vehicles latest'],
    ['/vehicles/latest', { accept: 'image/png' }, 406, 'vehicles latest'],
    ['/vehicles/tiles', {}, 200, 'vehicles tile'],
    ['/vehicles/tiles', {}, 200, 'vehicles tile'],
    ['/vehicles/tiles/0/0/0', {}, 307, 'vehicles other'],
    ['/vehicles/entities/7', {}, 200, 'vehicles entity'],
    ['/vehicles/entities/none', {}, 404, 'vehicles other'],
    ['/vehicles/shape', {}, 200, 'vehicles other'],
    [`/vehicles/pages?after=${EPOCH}-0`, {}, 307, 'vehicles other'],
    [`/vehicles/pages/${EPOCH}/0`, {}, 200, 'vehicles sealed_page'],
    [`/vehicles/pages/${EPOCH}/0`, {}, 200, 'vehicles sealed_page'],
    [`/vehicles/pages/${EPOCH}/1`, {}, 200, 'vehicles open_page'],
    [`/vehicles/pages/${EPOCH}/9`, {}, 404, 'vehicles other'],
    [`/vehicles/pages/${EPOCH}/after-7`, {}, 200, 'vehicles tail'],
    [`/vehicles/pages/${EPOCH}/after-7`, { 'if-none-match': '*' }, 304, 'vehicles tail'],
    ['/vehicles/pages/other/0', {}, 410, 'vehicles other'],
    [`/vehicles/pages/${EPOCH}/range-0`, {}, 200, 'vehicles range'],
    ['/vehicles/latest', { method: 'POST' }, 405, 'vehicles other'],
    ['/vehicles/latest', { method: 'OPTIONS' }, 204, 'vehicles other'],
    ['/', {}, 200, ' catalog'],
    ['/', { accept: 'text/html' }, 200, ' catalog'],
    ['/', { accept: 'image/png' }, 406, ' catalog'],
    ['/health', {}, 200, ' other'],
    ['/ns/live', {}, 200, ' other'],
    ['/vehicles/events', { method: 'HEAD' }, 200, 'vehicles events'],
    ['/vehicles/events', { accept: 'text/html' }, 406, 'vehicles events'],
    ['/vehicles/events?from=nonsense', {}, 400, 'vehicles events'],
  ];
  const expected: Record<string, number> = {};
  const count = (kind: string, status: number) => {
    const key = `${kind} ${status === 304 ? 304 : `${Math.floor(status / 100)}xx`}`;
    expected[key] = (expected[key] ?? 0) + 1;
  };
  for (const [path, headers, status, kind] of asked) {
    expect(await ask(path, headers), path).toBe(status);
    count(kind, status);
  }
  const reader = await readEvents(`${base}/vehicles/events`);
  onTestFinished(() => void reader.close());
  count('vehicles events', 200);
  expect(await requests()).toEqual(expected);
});

test('PUSH-41 what no stream has is counted as other, and so is a URL that cannot be read', async () => {
  const { ask, requests } = await served('server');
  expect(await ask('/nonsense')).toBe(404);
  expect(await ask('/%')).toBe(400);
  expect(await ask(`/${'x'.repeat(10_000)}`)).toBe(414);
  expect(await requests()).toEqual({ ' other 4xx': 3 });
});

test('PUSH-44 the number of samples depends neither on readers nor on what they ask', async () => {
  const { base, ask, read } = await served('server');
  const size = async () => [...(await read()).values()].reduce((sum, { samples }) => sum + samples.length, 0);
  for (const kind of ['entities/1', 'latest', 'nonsense', 'events?from=nonsense']) await ask(`/vehicles/${kind}`);
  await ask('/metrics');
  const before = await size();
  for (let number = 0; number < 10; number += 1) {
    expect(await ask(`/vehicles/entities/${number}`)).toBe(200);
    expect(await ask(`/vehicles/nonsense-${number}`)).toBe(404);
    expect(await ask(`/vehicles/events?from=nonsense_${number}`)).toBe(400);
  }
  for (const narrowed of ['', `?entity=${entityOf(1)}`, `?entity=${entityOf(2)}`]) {
    const reader = await readEvents(`${base}/vehicles/events${narrowed}`);
    onTestFinished(() => void reader.close());
  }
  // Push that was opened is one more: of one kind and status, however many there are.
  expect(await size()).toBe(before + 1);
});

test('PUSH-40 push is counted while it goes on', async () => {
  const { base, log, read } = await served('server', 1);
  const first = await readEvents(`${base}/vehicles/events`);
  const second = await readEvents(`${base}/vehicles/events?from=${EPOCH}-0`);
  for (const reader of [first, second]) onTestFinished(() => reader.close());
  await log.append([upsert(1, 2), upsert(2, 2)]);
  const total = async (name: string) =>
    (await read()).get(name)?.samples.find(({ labels }) => labels.stream === 'vehicles')?.value;
  await eventually(async () => expect(await total('ldes_live_push_deliveries_total')).toBe(3));
  expect(await total('ldes_live_push_accepted_total')).toBe(2);
  expect(await total('ldes_live_push_replays_total')).toBe(1);
  expect(await total('ldes_live_log_commits_total')).toBe(1);
  expect(await total('ldes_live_log_members_total')).toBe(2);
  expect(await total('ldes_live_push_sent_bytes_total')).toBeGreaterThan(0);
  expect((await read()).get('ldes_live_push_admitted_connections')?.samples[0]?.value).toBe(2);
  first.close();
  await eventually(async () => expect(await total('ldes_live_push_closed_total')).toBe(1));
});
