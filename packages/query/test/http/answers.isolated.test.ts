import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatOf, parseQuads, rdf, sd } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  answeringThread,
  DELAYS,
  delaysOf,
  ENDPOINT,
  jsonOf,
  LATE,
  openQueryServer,
  type QueryServer,
  queryServer,
  readEvents,
} from './query-server.ts';

const ORDERED = `${DELAYS} ORDER BY ?delay`;

let server: QueryServer;
beforeAll(async () => {
  server = await openQueryServer({ limits: { limitQueryChars: 200, limitMalMs: 500 } });
});
afterAll(() => server.close());

test.each(['comunica', 'oxigraph'] as const)('%s answers, live and once, where it is chosen', async (engine) => {
  const { ask, stream, url } = await queryServer({ engine });
  stream.move([1, '4', 30]);
  // By this they are told apart: see what the engines do differently.
  const query = 'SELECT ?is { ?v <http://example.org/line> "4" BIND("a"@en < "b"@en AS ?is) }';
  const answer = engine === 'oxigraph' ? [{ is: expect.objectContaining({ value: 'true' }) }] : [{}];
  expect((await jsonOf(await ask(query))).results.bindings).toEqual(answer);
  const live = await readEvents(url, query);
  const [first] = await live.until(1);
  expect(first?.data.results.bindings).toEqual(answer);
});

test('QUERY-80 a query is answered over the latest state, by GET and by POST, in the format that is asked for', async () => {
  const { stream, url, ask } = server;
  stream.move([1, '4', 30], [2, '4', 60]);
  const delays = async (response: Response) => delaysOf(await jsonOf(response));
  expect(await delays(await ask(ORDERED))).toEqual(['30', '60']);
  stream.move([1, '4', 90]);
  expect(await delays(await ask(ORDERED))).toEqual(['60', '90']);
  for (const [type, body] of [
    ['application/sparql-query', ORDERED],
    ['application/x-www-form-urlencoded', new URLSearchParams({ query: ORDERED })],
  ] as const) {
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': type } });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
    expect(await delays(answer)).toEqual(['60', '90']);
  }
  const construct = `CONSTRUCT { ?of <urn:late> ?delay } { ${LATE} FILTER (?delay > 70) }`;
  const line = /^<http:\/\/example.org\/vehicles\/1> <urn:late> "90"\^\^<.*integer> \.\n$/;
  for (const [sparql, accept, expected] of [
    [ORDERED, 'application/sparql-results+json', /^\{"head":\{"vars":\["of","delay"\]\},"results"/],
    [ORDERED, 'text/csv', /^of,delay\r\n.*2,60\r\n.*1,90\r\n$/],
    [ORDERED, 'text/tab-separated-values', /^\?of\t\?delay\n<.*2>\t"60".*\n<.*1>\t"90".*\n$/],
    [ORDERED, 'application/sparql-results+xml', /<uri>http:\/\/example.org\/vehicles\/2<\/uri>/],
    ['ASK { ?s ?p ?o }', 'application/sparql-results+json', /^\{"head":\{\},"boolean":true\}$/],
    [construct, 'text/turtle', line],
    [construct, 'application/n-triples', line],
    [construct, 'application/n-quads', line],
    [construct, 'application/ld+json', /^\[\{"@id":"http:\/\/example.org\/vehicles\/1","urn:late"/],
    [construct, 'application/rdf+xml', /<rdf:Description rdf:about="http:\/\/example.org\/vehicles\/1">/],
  ] as const) {
    const answer = await ask(sparql, { accept });
    expect(answer.headers.get('content-type')).toBe(accept);
    expect(await answer.text()).toMatch(expected);
  }
  const refused = await ask(construct, { accept: 'text/csv' });
  expect(refused.status).toBe(406);
  expect((await jsonOf(refused)).offered).toContain('text/turtle');
  expect((await ask(ORDERED, { accept: 'image/png' })).status).toBe(406);
  const head = await fetch(`${url}?query=${encodeURIComponent(ORDERED)}`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('QUERY-81 an answer holds as the latest state does, and is not sent again to who has it', async () => {
  const { stream, url, ask } = server;
  stream.move([1, '4', 30]);
  const first = await ask(ORDERED);
  const etag = first.headers.get('etag') as string;
  expect(etag).toMatch(new RegExp(`^"${stream.cursor()}-`));
  const fields = { 'cache-control': 'public, max-age=7', 'ldes-cursor': stream.cursor(), vary: 'Accept', etag };
  expect(Object.fromEntries(first.headers)).toMatchObject(fields);
  const again = await ask(ORDERED, { 'if-none-match': `W/"x", ${etag}` });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(Object.fromEntries(again.headers)).toMatchObject(fields);
  for (const [sparql, accept] of [
    [ORDERED, 'text/csv'],
    [`${ORDERED} `, '*/*'],
  ] as const) {
    const other = await ask(sparql, { accept, 'if-none-match': etag });
    expect(other.status).toBe(200);
    expect(other.headers.get('etag')).not.toBe(etag);
  }
  const posted = { method: 'POST', body: new URLSearchParams({ query: ORDERED }), headers: { 'if-none-match': etag } };
  expect((await fetch(url, posted)).status).toBe(200);
  stream.move([1, '4', 31]);
  expect((await ask(ORDERED, { 'if-none-match': etag })).status).toBe(200);
  // What the time of day is part of holds for no time, and what chance is part of is another answer each time.
  const volatile = 'SELECT (NOW() AS ?now) (RAND() AS ?any) {}';
  const [now, later] = [await ask(volatile), await ask(volatile)];
  expect([now.headers.get('cache-control'), now.headers.get('etag')]).toEqual(['no-store', null]);
  expect(await later.text()).not.toBe(await now.text());
});

const WINDOWED = 'SELECT * FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE PT1M] WHERE { WINDOW <urn:w> { ?s ?p ?o } }';

test.each(['text/turtle', 'application/ld+json', 'application/n-triples'])(
  'QUERY-109 a GET without a query is answered by the description of the service, as %s',
  async (accept) => {
    const response = await fetch(server.url, { headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, accept]);
    const quads = await parseQuads(await response.text(), formatOf(accept) as 'turtle', ENDPOINT);
    const described = quads.map(({ subject, predicate, object }) => [subject.value, predicate.value, object.value]);
    expect(described.filter(([, predicate]) => predicate !== sd.resultFormat)).toEqual([
      [ENDPOINT, rdf.type, sd.Service],
      [ENDPOINT, sd.endpoint, ENDPOINT],
      [ENDPOINT, sd.supportedLanguage, sd.SPARQL11Query],
    ]);
    const format = 'http://www.w3.org/ns/formats/SPARQL_Results_JSON';
    expect(described).toContainEqual([ENDPOINT, sd.resultFormat, format]);
  },
);

test('QUERY-86 what is no request of the protocol, or no query, is refused with what is wrong', async () => {
  const at = (sparql: string) => `?query=${encodeURIComponent(sparql)}`;
  const live = { headers: { accept: 'text/event-stream' } };
  const posted = (type: string, body: string) => ({ method: 'POST', headers: { 'content-type': type }, body });
  const [form, query] = ['application/x-www-form-urlencoded', 'application/sparql-query'];
  const inGzip = { method: 'POST', headers: { 'content-type': query, 'content-encoding': 'gzip' }, body: 'ASK {}' };
  const graphs = 'query=ASK{}&named-graph-uri=&named-graph-uri=urn:x';
  const refusals: readonly [target: string, init: RequestInit, status: number, code: string][] = [
    ['?mal=5', {}, 400, 'ERR_SPARQL_REQUEST'],
    ['', { headers: { accept: 'image/png' } }, 406, 'ERR_SPARQL_FORMAT'],
    ['?query=ASK{}&query=ASK{}', {}, 400, 'ERR_SPARQL_REQUEST'],
    ['?query=ASK{}&mal=1&mal=2', {}, 400, 'ERR_SPARQL_REQUEST'],
    ['?query=ASK{}&default-graph-uri=urn:x', {}, 422, 'ERR_QUERY_UNSUPPORTED'],
    ['', posted(form, graphs), 422, 'ERR_QUERY_UNSUPPORTED'],
    ['', posted(form, 'update=CLEAR+ALL'), 400, 'ERR_QUERY_UPDATE'],
    ['?query=ASK{}&mal=soon', {}, 400, 'ERR_QUERY_OPTION'],
    ['?query=ASK{}&mal=0', {}, 400, 'ERR_QUERY_OPTION'],
    ['?query=ASK{}&mal=0.4', live, 400, 'ERR_QUERY_OPTION'],
    [at('SELECT'), {}, 400, 'ERR_QUERY_SYNTAX'],
    [at('SELECT'), live, 400, 'ERR_QUERY_SYNTAX'],
    [at('SELECT * { ?v ex:delay ?delay }'), {}, 400, 'ERR_QUERY_SYNTAX'],
    [at('INSERT DATA { <urn:x> <urn:y> <urn:z> }'), {}, 400, 'ERR_QUERY_UPDATE'],
    [at('SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }'), {}, 403, 'ERR_SERVICE_REFUSED'],
    [at('SELECT * { SERVICE SILENT <http://10.0.0.1/> { ?s ?p ?o } }'), live, 403, 'ERR_SERVICE_REFUSED'],
    [at('SELECT * FROM <urn:x> { ?s ?p ?o }'), {}, 422, 'ERR_QUERY_UNSUPPORTED'],
    [at(WINDOWED), {}, 422, 'ERR_QUERY_UNSUPPORTED'],
    [at(`ASK {}${' '.repeat(195)}`), {}, 413, 'ERR_QUERY_TOO_LONG'],
    [at(`ASK {}${' '.repeat(195)}`), live, 413, 'ERR_QUERY_TOO_LONG'],
    ['', posted('text/plain', 'x'), 415, 'ERR_SPARQL_TYPE'],
    ['', posted(query, ' '.repeat(3000)), 413, 'ERR_SPARQL_CONTENT'],
    ['?query=ASK{}', posted(query, 'ASK {}'), 400, 'ERR_SPARQL_REQUEST'],
    ['', inGzip, 415, 'ERR_SPARQL_ENCODING'],
    ['', { method: 'PUT' }, 405, 'ERR_SPARQL_METHOD'],
    ['', { method: 'QUERY' }, 405, 'ERR_SPARQL_METHOD'],
  ];
  const details: Record<string, string> = {};
  for (const [target, init, status, code] of refusals) {
    const answer = await fetch(`${server.url}${target}`, init);
    const problem = await jsonOf(answer);
    expect([answer.status, problem.code, problem.status]).toEqual([status, code, status]);
    const type = expect.stringMatching(new RegExp(`#${code.toLowerCase()}$`));
    expect([answer.headers.get('cache-control'), problem.type]).toEqual(['no-store', type]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    details[target] = problem.detail;
  }
  expect(details['?mal=5']).toContain('the parameter query');
  expect(details[at(WINDOWED)]).toMatch(/a window of RSP-QL, .*Accept: text\/event-stream/);
  // What is not refused: as long as may be, parameters of clients, also repeated, and graphs that are not named.
  const others = 'format=json&format=xml&output=json&timeout=5&default-graph-uri=';
  for (const target of [at(`ASK {}${' '.repeat(194)}`), `?${others}&query=ASK{}`]) {
    expect((await fetch(`${server.url}${target}`)).status).toBe(200);
  }
  for (const [type, body] of [
    [form, 'query=ASK{}&results=json'],
    [form, 'query=%EF%BB%BFASK{}'],
    [query, '\uFEFFASK {}'],
  ] as const) {
    expect((await fetch(`${server.url}?${others}`, posted(type, body))).status).toBe(200);
  }
});

/** A text of a megabyte, and so many solutions with it. */
const TEXT = `BIND("0123456789" AS ?a0) ${Array.from({ length: 5 }, (_, at) => `BIND(CONCAT(${Array(10).fill(`?a${at}`).join()}) AS ?a${at + 1})`).join(' ')}`;
const megabytes = (count: number) =>
  `SELECT ?a5 ?n { ${TEXT} VALUES ?n { ${Array.from({ length: count }, (_, at) => at).join(' ')} } }`;

test('QUERY-110 an answer of too many bytes is refused, and one of nearly as many is sent whole', async () => {
  const { stream, url, ask } = await queryServer({ limits: { limitAnswerBytes: 3_500_000 } });
  stream.move([1, '4', 30]);
  const whole = await ask(megabytes(3));
  expect((await jsonOf(whole)).results.bindings.map((row: { a5: { value: string } }) => row.a5.value.length)).toEqual([
    1e6, 1e6, 1e6,
  ]);
  const head = await fetch(`${url}?query=${encodeURIComponent(megabytes(3))}`, { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual([whole.headers.get('content-length'), '']);
  const refused = await ask(megabytes(4));
  const problem = { code: 'ERR_ANSWER_TOO_LARGE', limitAnswerBytes: 3_500_000 };
  expect([refused.status, await jsonOf(refused)]).toEqual([422, expect.objectContaining(problem)]);
});

test('QUERY-111 a client that takes nothing of its answer is cut', async () => {
  const { stream, url, app } = await queryServer({ limits: { limitStallMs: 200, limitAnswerBytes: 16_000_000 } });
  stream.move([1, '4', 30]);
  const { port, hostname, pathname } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const closed = new Promise((resolve) => app.server.once('connection', (given) => given.once('close', resolve)));
  socket.write(`GET ${pathname}?query=${encodeURIComponent(megabytes(15))} HTTP/1.1\r\nhost: a\r\n\r\n`);
  await closed;
});

test('QUERY-82 equal queries over one state are answered once, and as many wait as may', async () => {
  let asked = 0;
  const { stream, ask } = await queryServer({
    limits: { limitWaitingQueries: 2 },
    startThread: () =>
      answeringThread(false, () => {
        asked += 1;
        return sleep(50);
      }),
  });
  stream.move([1, '4', 30]);
  const all = (...queries: string[]) => Promise.all(queries.map((sparql) => ask(sparql)));
  const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status).sort();
  const equal = Array<string>(20).fill('ASK {}');
  expect(statuses(await all(...equal))).toEqual(equal.map(() => 200));
  expect(statuses(await all('ASK {}'))).toEqual([200]);
  expect(asked).toBe(1);
  const crowd = await all('ASK {} #1', 'ASK {} #2', 'ASK {} #3');
  expect(statuses(crowd)).toEqual([200, 200, 503]);
  const full = crowd.find(({ status }) => status === 503) as Response;
  expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await jsonOf(full)).code).toBe('ERR_QUERIES_WAITING');
  stream.move([1, '4', 31]);
  expect(statuses(await all('ASK {}'))).toEqual([200]);
});

test('QUERY-82 a query whose askers have all gone leaves the queue, and is ended when it is being answered', async () => {
  let ended = 0;
  const startThread = () => {
    const { promise, end } = endless();
    const answer = ended === 0 ? promise : undefined;
    const onEnd = () => {
      ended += 1;
      end();
    };
    return answeringThread(false, () => answer, onEnd);
  };
  const { stream, url, ask, app } = await queryServer({
    limits: { limitWaitingQueries: 2, limitEvaluationMs: 600_000 },
    startThread,
  });
  const requests = { begun: 0, closed: 0 };
  app.server.on('request', (_request, response) => {
    requests.begun += 1;
    response.once('close', () => {
      requests.closed += 1;
    });
  });
  stream.move([1, '4', 30]);
  const asker = (sparql: string) => {
    const leaving = new AbortController();
    const asked = fetch(`${url}?query=${encodeURIComponent(sparql)}`, { signal: leaving.signal });
    asked.catch(() => undefined);
    return leaving;
  };
  const [first, equal, waiting] = [asker('ASK {} #1'), asker('ASK {} #1'), asker('ASK {} #2')];
  await eventually(() => expect(requests.begun).toBe(3));
  expect((await ask('ASK {} #3')).status).toBe(503);
  first.abort();
  waiting.abort();
  await eventually(() => expect(requests.closed).toBe(3));
  const other = ask('ASK {} #4');
  // Longer than an evaluation goes on that nobody waits for.
  await sleep(700);
  expect(ended).toBe(0);
  equal.abort();
  expect((await other).status).toBe(200);
  expect(ended).toBe(1);
});

test('QUERY-82 a server that stops ends what is answered and what waits, and begins nothing for it', async () => {
  let started = 0;
  const startThread = () => {
    started += 1;
    const { promise, end } = endless();
    return answeringThread(false, () => promise, end);
  };
  const { stream, ask, app } = await queryServer({ startThread });
  stream.move([1, '4', 30]);
  const asked = ['ASK {} #1', 'ASK {} #2', 'ASK {} #3'].map((sparql) => ask(sparql));
  await eventually(() => expect(started).toBe(1));
  await sleep(50);
  await app.close();
  const answers = await Promise.allSettled(asked);
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.ok : false))).not.toContain(true);
  await sleep(50);
  expect(started).toBe(1);
});

/** An answer that does not come until it is ended. */
function endless() {
  let end = () => {};
  const promise = new Promise<never>((_, reject) => {
    end = () => reject(new Error('it was ended'));
  });
  promise.catch(() => undefined);
  return { promise, end };
}
