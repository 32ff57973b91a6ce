/* What caches pass on as it is: queries, posts, faults, and what is not for everybody. The publisher is one that is made up. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Front } from '@ldes-live/bench/programs';
import { listen } from '@ldes-live/test-support/net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, CACHES } from './caches/world.ts';
import { isThere, need } from './support/programs.ts';

const PROBLEM = '{"type":"about:blank","title":"Made up"}';
const FAULT_STATUSES = [400, 429, 500, 502, 503, 504];
const QUERY = 'SELECT * WHERE { ?s ?p ?o }';

interface Arrival {
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

describe.each(CACHES)('$name', ({ program, open }) => {
  need(program);
  const arrivals = new Map<string, Arrival[]>();
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => unknown>();
  const publisher = createServer(async (request, response) => {
    const url = request.url as string;
    const answer = answers.get(url.replace(/\?.*$/, ''));
    if (answer) return answer(request, response);
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, headers } = request;
    arrivals.set(url, [...(arrivals.get(url) ?? []), { method, headers, body }]);
    const status = Number(/\/status-(\d+)/.exec(url)?.[1] ?? 200);
    const [, name, value] = /\/field-([\w-]+)=(.+)$/.exec(decodeURIComponent(url)) ?? [];
    const freshness = name === undefined || name === 'none' ? {} : { 'cache-control': 'max-age=60', [name]: value };
    response.writeHead(status, { 'content-type': 'application/problem+json', ...freshness }).end(PROBLEM);
  });
  let front: Front | undefined;
  beforeAll(async () => {
    if (!isThere(program)) return;
    front = await open?.(new URL(`http://127.0.0.1:${await listen(publisher)}/`));
  });
  afterAll(async () => {
    await front?.close();
    publisher.close();
    publisher.closeAllConnections();
  });
  const at = (path: string) => `${front?.url}${path}`;

  test('PUSH-28 a proxy says last who asks for a stream, whatever the client has said', async () => {
    const events = { 'content-type': 'text/event-stream' };
    let last: IncomingMessage | undefined;
    answers.set('/vehicles/events', (asked, response) => {
      last = asked;
      response.writeHead(200, events).end('retry: 1000\n\n');
    });
    const forwarded = async (headers: Record<string, string>, query = '') => {
      const { body } = await ask(at(`vehicles/events${query}`), { headers });
      expect(body.toString()).toBe('retry: 1000\n\n');
      return last?.headers['x-forwarded-for'];
    };
    expect(await forwarded({})).toBe('127.0.0.1');
    expect(await forwarded({ 'x-forwarded-for': '203.0.113.7' })).toMatch(/^203\.0\.113\.7, ?127\.0\.0\.1$/);
    expect(await forwarded({ 'x-forwarded-for': '203.0.113.7, 127.0.0.1' }, '?from=a-1')).toMatch(/, ?127\.0\.0\.1$/);
  });

  test.for([
    ['GET', 'sparql'],
    ['GET', `sparql?query=${encodeURIComponent(QUERY)}`],
    ['POST', 'sparql', QUERY],
  ] as const)('CACHE-17 a query reaches the publisher as it is, each time (%s %s)', async ([method, name, body]) => {
    const path = `queried-${method}/${name}`;
    const accepts = ['*/*', 'application/sparql-results+json;q=0.9, text/csv', '*/*'];
    for (const accept of accepts) {
      const headers = { accept, 'accept-encoding': 'gzip, deflate', 'content-type': 'application/sparql-query' };
      const answer = await ask(at(path), { method, headers, ...(body && { body }) });
      expect([answer.status, answer.body.toString()]).toEqual([200, PROBLEM]);
    }
    const arrived = arrivals.get(`/${path}`) ?? [];
    expect(arrived.map(({ headers }) => headers.accept)).toEqual(accepts);
    for (const { headers, ...rest } of arrived) {
      expect(rest).toEqual({ method, body: body ?? '' });
      expect(headers['accept-encoding']).toBe('gzip, deflate');
    }
  });

  test.for(['sparql?query=', 'sparql', 'latest', 'pages?after='])(
    'CACHE-17 the publisher is asked once for what it fails at, and says so itself (%s)',
    async (path) => {
      for (const status of FAULT_STATUSES) {
        const url = `status-${status}/${path}`;
        const { status: told, body } = await ask(at(url));
        expect([told, body.toString()], url).toEqual([status, PROBLEM]);
        expect(arrivals.get(`/${url}`), url).toHaveLength(1);
        if (path !== 'sparql') continue;
        const posted = await ask(at(url), { method: 'POST', body: QUERY });
        expect([posted.status, posted.body.toString()], url).toEqual([status, PROBLEM]);
        expect(arrivals.get(`/${url}`), url).toHaveLength(2);
      }
    },
  );

  test.for([
    ['none', 'none'],
    ['cache-control', 'private, max-age=60'],
    ['cache-control', 'no-cache, max-age=60'],
    ['cache-control', 'no-store'],
    ['cache-control', 'max-age=0'],
    ['vary', '*'],
  ] as const)(
    'CACHE-8 what is not for everybody, or has no time, is asked for each time (%s: %s)',
    async ([name, value]) => {
      const path = `field-${name}=${encodeURIComponent(value)}`;
      for (let round = 0; round < 3; round += 1) expect((await ask(at(path))).status).toBe(200);
      expect(arrivals.get(`/${path}`)).toHaveLength(3);
    },
  );

  test('CACHE-8 what is asked for with credentials is asked for each time, and given to nobody else', async () => {
    const path = 'field-vary=accept';
    const authorized = { authorization: 'Bearer of-somebody' };
    for (const headers of [authorized, authorized, {}, {}, authorized]) await ask(at(path), { headers });
    expect(arrivals.get(`/${path}`)?.map(({ headers }) => headers.authorization)).toEqual([
      ...['Bearer of-somebody', 'Bearer of-somebody', undefined],
      'Bearer of-somebody',
    ]);
  });

  test('CACHE-17 a post is asked for its body, which passes as it comes', async () => {
    const parts: string[] = [];
    const heard = new Promise<void>((resolve) => {
      answers.set('/posted', async (asked, response) => {
        for await (const chunk of asked) {
          parts.push(String(chunk));
          resolve();
        }
        response.writeHead(201, { location: '/posted/1' }).end(PROBLEM);
      });
    });
    const headers = { expect: '100-continue', 'content-type': 'text/turtle', 'transfer-encoding': 'chunked' };
    const asked = request(at('posted'), { method: 'POST', headers, agent: false });
    const answered = once(asked, 'response');
    asked.flushHeaders();
    await once(asked, 'continue');
    asked.write('first ');
    await heard;
    expect(parts).toEqual(['first ']);
    asked.end('second');
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    expect([response.statusCode, response.headers.location]).toEqual([201, '/posted/1']);
    expect(parts.join('')).toBe('first second');
  });

  test('CACHE-17 a post that is refused for its header is refused in the words of the publisher', async () => {
    // As the publisher does it: at once, and what is still sent is read. A connection cut in mid-body may lose the answer.
    answers.set('/refused', (asked, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(PROBLEM, () => asked.resume());
    });
    const { status, headers, body } = await ask(at('refused'), { method: 'POST', body: 'x'.repeat(1e6), agent: false });
    expect([status, headers['www-authenticate'], body.toString()]).toEqual([401, 'Bearer', PROBLEM]);
  });
});
