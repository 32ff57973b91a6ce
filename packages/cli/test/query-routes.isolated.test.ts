import { once } from 'node:events';
import { request } from 'node:http';
import { createMemoryStore } from '@ldes-live/log';
import * as query from '@ldes-live/query/http';
import { type Draft, describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { createLiveServer, type StreamSource } from '@ldes-live/server';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, onTestFinished, test } from 'vitest';
import { evaluateHere } from '../../query/src/evaluate/evaluator.ts';
import { startStateThread } from '../../query/src/http/answers.ts';
import { queryRoutes } from '../src/serve/streams.ts';

const HEAT = 'SELECT ?heat { ?v <urn:x:heat> ?heat }';

const reading = (value: number): Draft => {
  const entity = 'http://localhost:3000/rooms/entities/1';
  const quads = [quad(namedNode(entity), namedNode('urn:x:heat'), literal(String(value)))];
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(value), quads };
};

const failingFeed: StreamSource = {
  origin: 'feed',
  // biome-ignore lint/correctness/useYield: it is down for as long as the test goes on.
  async *drafts(_latest, signal) {
    await once(signal, 'abort');
  },
  health: () => ({
    origin: 'feed',
    state: 'failing',
    failingSince: '2026-01-01T00:00:05.000Z',
    polls: { good: 0, bad: 1 },
    errors: {},
    findings: {},
  }),
};

test('QUERY-70, QUERY-81 a stream takes queries where it is configured so, and no other does', {
  timeout: 120_000,
}, async () => {
  const publicUrl = 'http://localhost:3000/';
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const open = async (name: string) => {
    const description = describeStream({ publicUrl, name, title: name });
    const log = await store.open(description);
    const schedule = () => ({ kind: 'interval', intervalMs: 60_000, nextMs: Date.now() + 50_000 }) as const;
    return { said: name, live: { description, log, schedule, sources: [failingFeed] }, log };
  };
  const [rooms, silent] = [await open('rooms'), await open('silent')];
  await rooms.log.append([reading(20.5)]);
  const ending = new AbortController();
  const streams = [{ ...rooms, queries: { config: { engine: 'oxigraph' as const, limitMalMs: 100 }, ending } }, silent];
  const extend = queryRoutes(query, () => streams, Date.now, {
    evaluators: () => evaluateHere,
    startThread: (limits, engine) => startStateThread(limits, engine, FROM_SOURCES),
  });
  const server = await createLiveServer({
    publicUrl,
    streams: [rooms.live, silent.live],
    push: { shutdownGraceMs: 0 },
    extend,
  });
  onTestFinished(() => server.close());
  const base = `http://127.0.0.1:${await server.listen({ host: '127.0.0.1', port: 0 })}/`;
  const ask = (name: string, accept: string, headers: Record<string, string> = {}) =>
    fetch(`${base}${name}/sparql?mal=0.1&query=${encodeURIComponent(HEAT)}`, { headers: { accept, ...headers } });
  const posted = { method: 'POST', headers: { 'content-type': 'application/sparql-query' }, body: HEAT };
  for (const refused of [await ask('silent', 'text/csv'), await fetch(`${base}silent/sparql`, posted)]) {
    expect([refused.status, refused.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    const detail = expect.stringContaining('queries: true');
    expect(await refused.json()).toMatchObject({ code: 'ERR_QUERIES_OFF', status: 404, stream: 'silent', detail });
  }
  const [answer, latest] = [await ask('rooms', 'text/csv'), await fetch(`${base}rooms/latest`)];
  expect(await answer.text()).toBe('heat\r\n20.5\r\n');
  expect(latest.headers.get('ldes-source')).toBe('failing;since=@1767225605');
  const names = [
    'ldes-cursor',
    'ldes-source',
    'last-modified',
    'access-control-allow-origin',
    'access-control-expose-headers',
  ];
  for (const name of names) expect([name, answer.headers.get(name)]).toEqual([name, latest.headers.get(name)]);
  expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=(49|50), stale-if-error=300$/);
  expect(answer.headers.get('next-update')).not.toBeNull();
  const unmodified = await ask('rooms', 'text/csv', { 'if-none-match': String(answer.headers.get('etag')) });
  const volatile = await fetch(`${base}rooms/sparql?query=SELECT (NOW() AS ?now) {}`);
  for (const [{ status, headers }, expected] of [
    [unmodified, 304],
    [volatile, 200],
  ] as const) {
    expect([status, headers.get('ldes-source')]).toEqual([expected, latest.headers.get('ldes-source')]);
  }
  // What is refused around queries is answered as it is elsewhere.
  const long = await fetch(`${base}rooms/sparql?query=${'x'.repeat(9000)}`);
  expect([long.status, await long.json()]).toMatchObject([414, { code: 'ERR_URL_TOO_LONG' }]);
  const bare = await fetch(`${base}rooms/sparql?mal=1`);
  expect([bare.status, await bare.json()]).toMatchObject([400, { code: 'ERR_SPARQL_REQUEST' }]);
  const preflight = await fetch(`${base}rooms/sparql`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
  const waiting = await new Promise<number>((resolve) => {
    const headers = { 'content-type': 'application/sparql-query', expect: '100-continue' };
    const posting = request(`${base}rooms/sparql`, { method: 'POST', headers });
    posting.on('continue', () => posting.end(HEAT));
    posting.on('response', ({ statusCode = 0 }) => resolve(statusCode));
    posting.flushHeaders();
  });
  expect(waiting).toBe(200);

  const live = await ask('rooms', 'text/event-stream');
  const reader = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`it ended: ${text}`);
      text += value;
    }
  };
  await until('"value":"20.5"');
  await rooms.log.append([reading(22.5)]);
  await until('"value":"22.5"');
  expect(await (await ask('rooms', 'text/csv')).text()).toBe('heat\r\n22.5\r\n');
  streams.pop();
  const unknown = await ask('silent', 'text/csv');
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'ERR_DOCUMENT_UNKNOWN' }]);
  streams.unshift({
    ...silent,
    queries: { config: { engine: 'oxigraph' as const, limitMalMs: 100 }, ending: new AbortController() },
  });
  expect(await (await ask('silent', 'text/csv')).text()).toBe('heat\r\n');
  const closing = server.close();
  await until('event: end\n');
  await closing;
});
