import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { ask } from './ask.ts';
import { parseMetrics } from './parse-metrics.ts';
import { listening, liveServer } from './push-server.ts';
import { EPOCH, entityOf, upsert } from './test-server.ts';

/** A server over a log of so many members, by the way of a server of its own or by that of the plugin. */
async function served(way: 'server' | 'plugin', members = 300) {
  const push = { shutdownGraceMs: 10 };
  const { log, base, read: reader } = way === 'server' ? await liveServer({ push }) : await listening({ push });
  await log.append(Array.from({ length: members }, (_, number) => upsert(number, number)));
  const read = async () => parseMetrics(await (await fetch(`${base}/metrics`)).text());
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await ask(Number(new URL(base).port), path, headers)).status;
  const requests = async () => {
    const { samples = [] } = (await read()).get('ldes_live_requests_total') ?? {};
    const named = samples.map(({ labels, value }) => [`${labels.stream} ${labels.kind} ${labels.status}`, value]);
    return Object.fromEntries(named);
  };
  return { log, read, reader, status, requests };
}

test.each(['server', 'plugin'] as const)('PUSH-41 each request is counted once, whichever way: %s', async (way) => {
  const { reader, status: ask, requests } = await served(way);
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
    ['/', { accept: 'text/turtle' }, 200, ' catalog'],
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
  await reader();
  count('vehicles events', 200);
  expect(await requests()).toEqual(expected);
});

test('PUSH-41 what no stream has is counted as other, and so is a URL that cannot be read', async () => {
  const { status: ask, requests } = await served('server');
  expect(await ask('/nonsense')).toBe(404);
  expect(await ask('/%')).toBe(400);
  expect(await ask(`/${'x'.repeat(10_000)}`)).toBe(414);
  expect(await requests()).toEqual({ ' other 4xx': 3 });
});

test('the number of samples depends neither on readers nor on what they ask', async () => {
  const { status: ask, reader, read } = await served('server');
  const size = async () => [...(await read()).values()].reduce((sum, { samples }) => sum + samples.length, 0);
  for (const kind of ['entities/1', 'latest', 'nonsense', 'events?from=nonsense']) await ask(`/vehicles/${kind}`);
  await ask('/metrics');
  const before = await size();
  for (let number = 0; number < 10; number += 1) {
    expect(await ask(`/vehicles/entities/${number}`)).toBe(200);
    expect(await ask(`/vehicles/nonsense-${number}`)).toBe(404);
    expect(await ask(`/vehicles/events?from=nonsense_${number}`)).toBe(400);
  }
  for (const filter of ['', `?entity=${entityOf(1)}`, `?entity=${entityOf(2)}`]) await reader(filter);
  // Push that was opened is one more: of one kind and status, however many there are.
  expect(await size()).toBe(before + 1);
});

test('PUSH-40 push is counted while it goes on', async () => {
  const { log, reader, read } = await served('server', 1);
  const first = await reader();
  await reader(`?from=${EPOCH}-0`);
  await log.append([upsert(1, 2), upsert(2, 2)]);
  const total = async (name: string) =>
    (await read()).get(name)?.samples.find(({ labels }) => labels.stream === 'vehicles')?.value;
  await eventually(async () => expect(await total('ldes_live_push_deliveries_total')).toBe(3));
  expect(await total('ldes_live_push_accepted_total')).toBe(2);
  expect(await total('ldes_live_push_replays_total')).toBe(1);
  expect(await total('ldes_live_log_commits_total')).toBe(2);
  expect(await total('ldes_live_log_members_total')).toBe(3);
  expect(await total('ldes_live_push_sent_bytes_total')).toBeGreaterThan(0);
  expect((await read()).get('ldes_live_push_admitted_connections')?.samples[0]?.value).toBe(2);
  first.close();
  await eventually(async () => expect(await total('ldes_live_push_closed_total')).toBe(1));
});
