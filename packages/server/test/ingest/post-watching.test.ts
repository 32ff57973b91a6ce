import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { ex, postingServer, stateLines, versionLines } from './posting-server.ts';

test('ING-50 counts members by what became of them, and refusals by code', async () => {
  const server = await postingServer();
  await server.post(stateLines('a', 1) + versionLines('b/1', 'b', 1));
  await server.post(stateLines('a', 1) + versionLines('b/1', 'b', 1) + stateLines('c', 1));
  await server.post('x', { authorization: 'Bearer nonsense' });
  await server.post(`<${ex('a')}> nonsense .\n`);
  const { body } = await server.app.inject('/metrics');
  const sample = (name: string, labels: string) =>
    Number(new RegExp(`^${name}\\{stream="water",${labels}\\} (.*)$`, 'm').exec(body)?.[1]);
  expect(
    ['stored', 'unchanged', 'held'].map((result) => sample('ldes_live_posted_members_total', `result="${result}"`)),
  ).toEqual([3, 1, 1]);
  expect(sample('ldes_live_posts_refused_total', 'code="ERR_TOKEN_UNKNOWN"')).toBe(1);
  expect(sample('ldes_live_posts_refused_total', 'code="ERR_POST_MALFORMED"')).toBe(1);
  expect(sample('ldes_live_posts', 'state="reading"')).toBe(0);
  expect(sample('ldes_live_requests_total', 'kind="post",status="2xx"')).toBe(2);
  expect(sample('ldes_live_requests_total', 'kind="post",status="4xx"')).toBe(2);
});

test('ING-51 a stream that takes posts has a source, which fails where the store does', async () => {
  const server = await postingServer();
  const health = async () => (await server.app.inject('/health')).json();
  const source = async () => (await health()).streams.water.sources;
  expect(await source()).toEqual([
    { origin: 'post', state: 'ok', polls: { good: 0, bad: 0 }, errors: {}, findings: {} },
  ]);
  await server.post(`<${ex('a')}> nonsense .\n`);
  expect(await health()).toMatchObject({ status: 'ok' });
  expect(await source()).toMatchObject([
    { state: 'ok', lastError: { code: 'ERR_POST_MALFORMED' }, errors: { ERR_POST_MALFORMED: 1 } },
  ]);
  const { append } = server.log;
  server.log.append = async () => {
    throw new StreamError('ERR_STORE_WRITE', 'The disk is full.');
  };
  const failed = await server.post(stateLines('a', 1));
  expect([failed.statusCode, failed.json().code, failed.headers['retry-after']]).toEqual([
    503,
    'ERR_POST_NOT_STORED',
    '5',
  ]);
  expect(await health()).toMatchObject({ status: 'degraded' });
  server.log.append = append;
  expect((await server.post(stateLines('a', 1))).statusCode).toBe(201);
  expect(await source()).toMatchObject([
    { state: 'ok', lastGoodAt: '2026-01-01T00:00:10.250Z', polls: { good: 1, bad: 2 } },
  ]);
  expect((await health()).streams['read-only'].sources).toEqual([]);
});

test('ING-27 a fault of the server says what is stored too', async () => {
  const server = await postingServer({ ingest: { limits: { limitBatchMembers: 1 } } });
  const { append } = server.log;
  server.log.append = async (drafts) => {
    if (server.log.head.cursor.sequence === 2) throw new Error('a secret path');
    return append.call(server.log, drafts);
  };
  const failed = await server.post(['a', 'b', 'c', 'd'].map((name) => stateLines(name, 1)).join(''));
  expect([failed.statusCode, failed.json()]).toMatchObject([500, { code: 'ERR_INTERNAL', stored: 2 }]);
  expect(failed.body).not.toContain('secret');
  const health = await server.app.inject('/health');
  expect(health.json().streams.water.sources).toMatchObject([{ state: 'failing' }]);
});
