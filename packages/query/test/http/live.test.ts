import { EventEmitter, once } from 'node:events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { evaluateHere } from '../../src/evaluate/evaluator.ts';
import type { QueriedStream } from '../../src/http/limits.ts';
import type { EvaluatorFactory } from '../../src/options.ts';
import { DELAYS, delaysOf, ENDPOINT, LATE, queryServer, readEvents, TestStream } from './query-server.ts';

/** Of queries that are told of a change as soon as it can be. */
const limits = { limitMalMs: 20 };

/** A server whose stream has two vehicles, and how its live queries are read by whoever wants to be told at once. */
async function liveServer(options: Parameters<typeof queryServer>[0] = {}) {
  const merged = { ...limits, ...options.limits };
  const server = await queryServer({ evaluators: () => evaluateHere, ...options, limits: merged });
  server.stream.move([1, '4', 30], [2, '4', 60]);
  const read = (sparql = DELAYS, more: Parameters<typeof readEvents>[2] = {}) =>
    readEvents(server.url, sparql, { mal: 0.02, ...more });
  const readOn = (id: string | undefined) => read(DELAYS, { headers: { 'last-event-id': id ?? '' } });
  return { ...server, read, readOn };
}

test('QUERY-71 a live query begins with the whole answer, and then tells what came and what went', async () => {
  const { stream, read } = await liveServer();
  const reader = await read();
  expect(reader.status).toBe(200);
  const [first] = await reader.until(1);
  const row = (id: number, delay: number) => ({
    of: { type: 'uri', value: `http://example.org/vehicles/${id}` },
    delay: { type: 'literal', value: String(delay), datatype: 'http://www.w3.org/2001/XMLSchema#integer' },
  });
  const head = { vars: ['of', 'delay'] };
  expect(first).toMatchObject({ type: 'snapshot', data: { head } });
  expect(first?.data.results.bindings).toHaveLength(2);
  expect(first?.data.results.bindings).toEqual(expect.arrayContaining([row(1, 30), row(2, 60)]));
  expect(first?.id).toBe(String(first?.data.sequence));
  stream.move([1, '4', 90]);
  const [, second] = await reader.until(2);
  const sequence = Number(first?.id) + 1;
  const [added, removed] = [90, 30].map((delay) => ({ head, results: { bindings: [row(1, delay)] } }));
  const data = { sequence, added, removed, cursor: 'a-3' };
  expect(second).toMatchObject({ type: 'update', id: String(sequence), data });
  for (const event of [first, second]) {
    expect(Date.parse(event?.data.dataAsOf)).toBeLessThanOrEqual(Date.parse(event?.data.evaluatedAt));
  }
});

/** Counts what evaluators do. */
function counted() {
  const counts = { made: 0, evaluations: 0 };
  const evaluators: EvaluatorFactory = async (task) => {
    counts.made += 1;
    const evaluator = await evaluateHere(task);
    const evaluate = evaluator.evaluate.bind(evaluator);
    evaluator.evaluate = () => {
      counts.evaluations += 1;
      return evaluate();
    };
    return evaluator;
  };
  return { counts, evaluators: () => evaluators };
}

test('100 readers of one query cost one evaluation and one encoding per change', async () => {
  const { counts, evaluators } = counted();
  const { stream, read } = await liveServer({ evaluators });
  // Those who want it within 20 to 40 ms share one.
  const readers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => read(DELAYS, { mal: 0.02 + (index % 2) * 0.01 })),
  );
  for (let change = 0; change <= 3; change += 1) {
    if (change > 0) stream.move([1, '4', 30 + change]);
    await Promise.all(readers.map((reader) => reader.until(1 + change)));
    expect({ ...counts, readings: stream.readings }).toEqual({ made: 1, evaluations: 1 + change, readings: 1 });
  }
  const texts = new Set(readers.map(({ events }) => JSON.stringify(events())));
  expect(texts.size).toBe(1);
  for (const reader of readers) reader.close();
});

test('QUERY-74 other texts and other MALs are other queries', async () => {
  const { counts, evaluators } = counted();
  const { read } = await liveServer({ evaluators, limits: { limitLiveQueries: 4 } });
  for (const [sparql, mal, expected] of [
    [DELAYS, 1, 1],
    [DELAYS, 1.9, 1],
    [DELAYS, 2, 2],
    [`${DELAYS} `, 1, 3],
  ] as const) {
    await (await read(sparql, { mal })).until(1);
    expect(counts.made).toBe(expected);
  }
});

test('QUERY-76 a reader who comes later gets the present answer, and one who comes back only what it lacks', async () => {
  const { stream, read, readOn } = await liveServer();
  const first = await read();
  await first.until(1);
  stream.move([1, '4', 31]);
  await first.until(2);
  stream.move([1, '4', 32]);
  const [began, moved, movedAgain] = await first.until(3);
  const [present] = await (await read()).until(1);
  expect(present).toMatchObject({ type: 'snapshot', id: movedAgain?.id });
  expect(delaysOf(present?.data).sort()).toEqual(['32', '60']);
  const textsFrom = async (id: string | undefined, count: number) =>
    (await (await readOn(id)).until(count)).map(({ text }) => text);
  expect(await textsFrom(began?.id, 2)).toEqual([moved?.text, movedAgain?.text]);
  expect(await textsFrom(moved?.id, 1)).toEqual([movedAgain?.text]);
  // Of no event, of another run, of one that is still to come: the whole answer.
  for (const id of ['', 'nonsense', '3', String(Number(movedAgain?.id) + 1)]) {
    expect((await (await readOn(id)).until(1))[0]).toMatchObject({ type: 'snapshot', id: movedAgain?.id });
  }
  const nothingLacking = await readOn(movedAgain?.id);
  stream.move([1, '4', 33]);
  expect((await nothingLacking.until(1))[0]).toMatchObject({ type: 'update', id: String(Number(movedAgain?.id) + 1) });
});

test('QUERY-76 what is not remembered any more is made up for by the whole answer', async () => {
  const { stream, read, readOn } = await liveServer({ limits: { limitReplayBytes: 1 } });
  const first = await read();
  const [began] = await first.until(1);
  stream.move([1, '4', 31]);
  const [, moved] = await first.until(2);
  expect((await (await readOn(began?.id)).until(1))[0]).toMatchObject({ type: 'snapshot', id: moved?.id });
});

test('QUERY-72 ordered answers and those of ASK are told whole, and graphs as N-Quads', async () => {
  const { stream, read } = await liveServer({ limits: { limitLiveQueries: 3 } });
  const ordered = await read(`${DELAYS} ORDER BY DESC(?delay) LIMIT 1`);
  const asked = await read('ASK { ?v <http://example.org/delay> ?delay FILTER (?delay > 80) }');
  const graph = await read(`CONSTRUCT { ?of <urn:late> ?delay } ${LATE}`);
  const line = (id: number, delay: number) =>
    `<http://example.org/vehicles/${id}> <urn:late> "${delay}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`;
  const [quads] = await graph.until(1);
  expect(quads?.type).toBe('snapshot');
  expect(quads?.data.quads.match(/.*\n/g).sort()).toEqual([line(1, 30), line(2, 60)]);
  for (const [round, delay] of [60, 90].entries()) {
    const snapshot = (data: object) => ({ type: 'snapshot', data });
    const bindings = [{ delay: { value: String(delay) } }];
    expect((await ordered.until(1 + round))[round]).toMatchObject(snapshot({ results: { bindings } }));
    expect((await asked.until(1 + round))[round]).toMatchObject(snapshot({ head: {}, boolean: delay > 80 }));
    if (round === 0) stream.move([1, '4', 90]);
  }
  const [, changed] = await graph.until(2);
  expect(changed).toMatchObject({ type: 'update', data: { added: line(1, 90), removed: line(1, 30) } });
});

test('QUERY-110 a live query whose answer grows past its bytes ends with the reason', async () => {
  // The second is short enough as it is found, and is not as it is written.
  for (const [query, limitAnswerBytes] of [
    [DELAYS, 400],
    ['SELECT ?t { ?v <http://example.org/delay> ?d BIND(IF(?d > 80, "\\u0001\\u0001\\u0001", "") AS ?t) }', 100],
    [`CONSTRUCT { ?of <urn:delay> ?delay } ${LATE}`, 250],
  ] as const) {
    const { stream, read } = await liveServer({ limits: { limitAnswerBytes } });
    const reader = await read(query);
    expect((await reader.until(1))[0]?.type).toBe('snapshot');
    stream.move([3, '4', 90]);
    await reader.ended;
    const data = { status: 422, code: 'ERR_ANSWER_TOO_LARGE', limitAnswerBytes };
    expect(reader.events().at(-1)).toMatchObject({ type: 'error', data });
  }
});

test('the text of a query is read where it is evaluated, whatever it holds', async () => {
  const evaluators = () => (task: Parameters<EvaluatorFactory>[0]) => evaluateHere({ ...task, sparql: DELAYS });
  const { read } = await liveServer({ evaluators });
  const reader = await read('# REGISTER\nnothing that could be read here');
  expect((await reader.until(1))[0]).toMatchObject({ type: 'snapshot' });
});

test('QUERY-73 the response is one that nothing holds back, and something comes while there is nothing to tell', async () => {
  const { read } = await liveServer({ heartbeatMs: 20, random: () => 0.5 });
  const reader = await read();
  expect(reader.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
  });
  await eventually(() => expect(reader.text().match(/^:$/gm)?.length).toBeGreaterThan(3));
  expect(reader.text()).toMatch(/^retry: 1500\n/);
});

test('QUERY-77 a reader that falls too far behind is cut with the reason, and the others go on', async () => {
  const { stream, read } = await liveServer({ limits: { limitQueueBytes: 100_000 } });
  const lines = 'SELECT * { ?v <http://example.org/line> ?line ; <http://example.org/delay> ?delay }';
  const move = (round: number) =>
    stream.move(...Array.from({ length: 10 }, (_, id) => [id, '4'.repeat(30_000), round] as const));
  move(0);
  const reading = new EventEmitter();
  const mayRead = once(reading, 'may').then(() => undefined);
  const [slow, quick] = [await read(lines, { mayRead }), await read(lines)];
  await quick.until(1);
  // More than the system takes for a connection.
  for (let round = 1; round <= 20; round += 1) {
    move(round);
    await quick.until(1 + round);
  }
  reading.emit('may');
  await slow.ended;
  const data = { code: 'ERR_SUBSCRIBER_SLOW', limit: 'limitQueueBytes' };
  const [cut, whole] = [slow.events(), quick.events()];
  expect(cut.pop()).toMatchObject({ type: 'error', data });
  expect(cut.length).toBeLessThan(whole.length - 1);
  // What came before is whole, and in order.
  expect(cut).toEqual(whole.slice(0, cut.length));
  stream.move([1, '4', 1000]);
  expect((await quick.until(22)).at(-1)?.type).toBe('update');
});

test('QUERY-79 a query that nobody reads any more ends, after a while in which somebody may come back', async () => {
  const { stream, read } = await liveServer({ graceMs: 500 });
  const reader = await read();
  await reader.until(1);
  expect(stream.readers).toBe(1);
  reader.close();
  const back = await read();
  await back.until(1);
  (await read()).close();
  // Past the time in which it would have ended, had nobody come, or had the last who left been the last.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([stream.readings, stream.readers]).toEqual([1, 1]);
  back.close();
  await eventually(() => expect(stream.readers).toBe(0), { forMs: 10_000 });
});

test('QUERY-79 as many live queries and readers as may be are let in, and no more', async () => {
  const { read } = await liveServer({ limits: { limitLiveQueries: 2, limitSubscribers: 3 }, graceMs: 60_000 });
  const first = await read();
  await read(`${DELAYS} #2`);
  const third = await read(`${DELAYS} #3`);
  expect([first.status, third.status]).toEqual([200, 503]);
  expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  await eventually(() => expect(third.text()).toContain('"code":"ERR_LIVE_QUERIES_FULL"'));
  const equal = await read();
  const crowded = await read();
  expect([equal.status, crowded.status]).toEqual([200, 503]);
  await eventually(() => expect(crowded.text()).toContain('"code":"ERR_SUBSCRIBERS_FULL"'));
  // One that nobody reads makes room at once.
  first.close();
  equal.close();
  await eventually(async () => expect((await read(`${DELAYS} #4`)).status).toBe(200));
});

test('QUERY-85 a server that stops ends its live queries in order', async () => {
  const { app, read } = await liveServer();
  const reader = await read();
  await reader.until(1);
  await app.close();
  await reader.ended;
  expect(reader.events().at(-1)).toMatchObject({ type: 'end', data: { reason: 'stopping' } });
});

test('QUERY-72 a query that tells a stream has updates only, and who comes later gets those that follow', async () => {
  const { stream, read } = await liveServer();
  const registered = `REGISTER ISTREAM <urn:out> AS SELECT ?of ?delay FROM NAMED WINDOW <urn:w>
    ON <http://localhost/vehicles> [RANGE PT1S STEP PT1S]
    WHERE { WINDOW <urn:w> ${LATE} }`;
  const reader = await read(registered);
  expect(reader.status, reader.text()).toBe(200);
  stream.move([1, '4', 30]);
  const [first] = await reader.until(1);
  expect(first).toMatchObject({ type: 'update', data: { window: { open: expect.any(String) } } });
  expect(first?.data.removed.results.bindings).toEqual([]);
  const later = await read(registered);
  stream.move([3, '4', 31]);
  const [next] = await later.until(1);
  expect(next).toMatchObject({ type: 'update' });
  expect(next?.data.added.results.bindings).toMatchObject([{ delay: { value: '31' } }]);
});

test('QUERY-85 a stream that takes no more queries ends its live ones, and another that takes some is asked', async () => {
  const taken: QueriedStream[] = [];
  const { url } = await queryServer({ evaluators: () => evaluateHere, streams: () => taken });
  const queried = (name: string) => {
    const stream = new TestStream(name);
    const ending = new AbortController();
    const ends = { ended: ending.signal, commits: (signal: AbortSignal) => stream.commits(signal) };
    taken.push({ name, endpoint: ENDPOINT, limits, cursor: () => stream.cursor(), fields: () => ({}), ...ends });
    return { stream, ending, url: url.replace('vehicles', name) };
  };
  const preflight = async (at: string) => (await fetch(at, { method: 'OPTIONS' })).status;
  expect(await preflight(url)).toBe(404);
  const [gone, kept] = [queried('vehicles'), queried('trips')];
  expect([await preflight(gone.url), await preflight(kept.url)]).toEqual([204, 204]);
  const readers = await Promise.all([gone, kept].map((one) => readEvents(one.url, DELAYS, { mal: 0.02 })));
  for (const reader of readers) await reader.until(1);
  taken.shift();
  gone.ending.abort();
  await readers[0]?.ended;
  expect(readers[0]?.text()).toMatch(/event: end\n/);
  await eventually(() => expect(gone.stream.readers).toBe(0));
  for (const method of ['GET', 'POST', 'DELETE']) expect((await fetch(gone.url, { method })).status).toBe(404);
  kept.stream.move([1, '4', 30]);
  expect((await readers[1]?.until(2))?.[1]).toMatchObject({ type: 'update' });
});
