import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { evaluateHere } from '../../src/evaluate/evaluator.ts';
import type { QueriedStream } from '../../src/http/limits.ts';
import type { EvaluatorFactory } from '../../src/options.ts';
import { readEvents } from './event-reader.ts';
import { ENDPOINT, queryServer } from './query-server.ts';
import { TestStream } from './test-stream.ts';

const DELAYS = 'SELECT ?of ?delay { ?v <http://example.org/of> ?of ; <http://example.org/delay> ?delay }';
const here = () => evaluateHere;
/** Of queries that are told of a change as soon as it can be. */
const limits = { limitMalMs: 20 };

test('QUERY-71 a live query begins with the whole answer, and then tells what came and what went', async () => {
  const { stream, url } = await queryServer({ evaluators: here, limits });
  stream.move([1, '4', 30], [2, '4', 60]);
  const reader = await readEvents(url, DELAYS, { mal: 0.02 });
  expect(reader.status).toBe(200);
  const [first] = await reader.until(1);
  const row = (id: number, delay: number) => ({
    of: { type: 'uri', value: `http://example.org/vehicles/${id}` },
    delay: { type: 'literal', value: String(delay), datatype: 'http://www.w3.org/2001/XMLSchema#integer' },
  });
  expect(first).toMatchObject({ type: 'snapshot', data: { head: { vars: ['of', 'delay'] } } });
  expect(first?.data.results.bindings).toHaveLength(2);
  expect(first?.data.results.bindings).toEqual(expect.arrayContaining([row(1, 30), row(2, 60)]));
  expect(first?.id).toBe(String(first?.data.sequence));
  stream.move([1, '4', 90]);
  const [, second] = await reader.until(2);
  expect(second).toMatchObject({
    type: 'update',
    id: String(Number(first?.id) + 1),
    data: {
      sequence: Number(first?.id) + 1,
      added: { head: { vars: ['of', 'delay'] }, results: { bindings: [row(1, 90)] } },
      removed: { head: { vars: ['of', 'delay'] }, results: { bindings: [row(1, 30)] } },
      cursor: 'a-3',
    },
  });
  for (const event of [first, second]) {
    expect(Date.parse(event?.data.dataAsOf)).toBeLessThanOrEqual(Date.parse(event?.data.evaluatedAt));
  }
});

test('QUERY-75 100 readers of one query cost one evaluation and one encoding per change', async () => {
  let made = 0;
  let evaluations = 0;
  const counting: EvaluatorFactory = async (task) => {
    made += 1;
    const evaluator = await evaluateHere(task);
    const evaluate = evaluator.evaluate.bind(evaluator);
    evaluator.evaluate = () => {
      evaluations += 1;
      return evaluate();
    };
    return evaluator;
  };
  const { stream, url } = await queryServer({ evaluators: () => counting, limits });
  stream.move([1, '4', 30]);
  // Those who want it within 20 to 40 ms share one.
  const readers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => readEvents(url, DELAYS, { mal: 0.02 + (index % 2) * 0.01 })),
  );
  await Promise.all(readers.map((reader) => reader.until(1)));
  expect({ made, evaluations, readings: stream.readings }).toEqual({ made: 1, evaluations: 1, readings: 1 });
  for (let change = 1; change <= 3; change += 1) {
    stream.move([1, '4', 30 + change]);
    await Promise.all(readers.map((reader) => reader.until(1 + change)));
    expect({ made, evaluations }).toEqual({ made: 1, evaluations: 1 + change });
  }
  const texts = new Set(readers.map(({ events }) => events.map(({ text }) => text).join('\n')));
  expect(texts.size).toBe(1);
  for (const reader of readers) reader.close();
});

test('QUERY-74 other texts and other MALs are other queries', async () => {
  let made = 0;
  const counting: EvaluatorFactory = (task) => {
    made += 1;
    return evaluateHere(task);
  };
  const { stream, url } = await queryServer({ evaluators: () => counting, limits });
  stream.move([1, '4', 30]);
  for (const [sparql, mal, expected] of [
    [DELAYS, 1, 1],
    [DELAYS, 1.9, 1],
    [DELAYS, 2, 2],
    [`${DELAYS} `, 1, 3],
  ] as const) {
    await (await readEvents(url, sparql, { mal })).until(1);
    expect(made).toBe(expected);
  }
});

test('QUERY-76 a reader who comes later gets the present answer, and one who comes back only what it lacks', async () => {
  const { stream, url } = await queryServer({ evaluators: here, limits });
  stream.move([1, '4', 30], [2, '4', 60]);
  const first = await readEvents(url, DELAYS, { mal: 0.02 });
  await first.until(1);
  stream.move([1, '4', 31]);
  await first.until(2);
  stream.move([1, '4', 32]);
  const [began, moved, movedAgain] = await first.until(3);
  const later = await readEvents(url, DELAYS, { mal: 0.02 });
  const [present] = await later.until(1);
  expect(present).toMatchObject({ type: 'snapshot', id: movedAgain?.id });
  expect(present?.data.results.bindings.map(({ delay }: { delay: { value: string } }) => delay.value).sort()).toEqual([
    '32',
    '60',
  ]);
  const comingBack = (id: string | undefined) =>
    readEvents(url, DELAYS, { mal: 0.02, headers: { 'last-event-id': id ?? '' } });
  expect((await (await comingBack(began?.id)).until(2)).map(({ text }) => text)).toEqual([
    moved?.text,
    movedAgain?.text,
  ]);
  expect((await (await comingBack(moved?.id)).until(1)).map(({ text }) => text)).toEqual([movedAgain?.text]);
  // Of no event, of another run, of one that is still to come: the whole answer.
  for (const id of ['', 'nonsense', '3', String(Number(movedAgain?.id) + 1)]) {
    expect((await (await comingBack(id)).until(1))[0]).toMatchObject({ type: 'snapshot', id: movedAgain?.id });
  }
  const nothingLacking = await comingBack(movedAgain?.id);
  stream.move([1, '4', 33]);
  expect((await nothingLacking.until(1))[0]).toMatchObject({ type: 'update', id: String(Number(movedAgain?.id) + 1) });
});

test('QUERY-76 what is not remembered any more is made up for by the whole answer', async () => {
  const { stream, url } = await queryServer({ evaluators: here, limits: { ...limits, limitReplayBytes: 1 } });
  stream.move([1, '4', 30]);
  const first = await readEvents(url, DELAYS, { mal: 0.02 });
  await first.until(1);
  stream.move([1, '4', 31]);
  const [began, moved] = await first.until(2);
  const back = await readEvents(url, DELAYS, { mal: 0.02, headers: { 'last-event-id': began?.id ?? '' } });
  expect((await back.until(1))[0]).toMatchObject({ type: 'snapshot', id: moved?.id });
});

test('QUERY-72 ordered answers and those of ASK are told whole, and graphs as N-Quads', async () => {
  const { stream, url } = await queryServer({ evaluators: here, limits });
  stream.move([1, '4', 30], [2, '4', 60]);
  const ordered = await readEvents(url, `${DELAYS} ORDER BY DESC(?delay) LIMIT 1`, { mal: 0.02 });
  const asked = await readEvents(url, 'ASK { ?v <http://example.org/delay> ?delay FILTER (?delay > 80) }', {
    mal: 0.02,
  });
  const graph = await readEvents(
    url,
    'CONSTRUCT { ?of <urn:late> ?delay } { ?v <http://example.org/of> ?of ; <http://example.org/delay> ?delay }',
    { mal: 0.02 },
  );
  const line = (id: number, delay: number) =>
    `<http://example.org/vehicles/${id}> <urn:late> "${delay}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`;
  expect((await ordered.until(1))[0]?.data.results.bindings).toMatchObject([{ delay: { value: '60' } }]);
  expect((await asked.until(1))[0]).toMatchObject({ type: 'snapshot', data: { head: {}, boolean: false } });
  const [quads] = await graph.until(1);
  expect(quads?.type).toBe('snapshot');
  expect(quads?.data.quads.match(/.*\n/g).sort()).toEqual([line(1, 30), line(2, 60)]);
  stream.move([1, '4', 90]);
  expect((await ordered.until(2))[1]).toMatchObject({
    type: 'snapshot',
    data: { results: { bindings: [{ delay: { value: '90' } }] } },
  });
  expect((await asked.until(2))[1]).toMatchObject({ type: 'snapshot', data: { boolean: true } });
  expect((await graph.until(2))[1]).toMatchObject({
    type: 'update',
    data: { added: line(1, 90), removed: line(1, 30) },
  });
});

test('QUERY-111 the text of a query is read where it is evaluated, whatever it holds', async () => {
  const evaluators = () => (task: Parameters<EvaluatorFactory>[0]) => evaluateHere({ ...task, sparql: DELAYS });
  const { stream, url } = await queryServer({ evaluators, limits });
  stream.move([1, '4', 30]);
  const reader = await readEvents(url, '# REGISTER\nnothing that could be read here', { mal: 0.02 });
  expect((await reader.until(1))[0]).toMatchObject({ type: 'snapshot' });
});

test('QUERY-73 the response is one that nothing holds back, and something comes while there is nothing to tell', async () => {
  const { stream, url } = await queryServer({ evaluators: here, heartbeatMs: 20, random: () => 0.5 });
  stream.move([1, '4', 30]);
  const reader = await readEvents(url, DELAYS);
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
  const { stream, url } = await queryServer({ evaluators: here, limits: { ...limits, limitQueueBytes: 100_000 } });
  const lines = 'SELECT * { ?v <http://example.org/line> ?line ; <http://example.org/delay> ?delay }';
  // More than the system takes for a connection.
  const rounds = 20;
  const move = (round: number) =>
    stream.move(...Array.from({ length: 10 }, (_, id) => [id, '4'.repeat(30_000), round] as const));
  move(0);
  let letRead = () => {};
  const mayRead = new Promise<void>((resolve) => {
    letRead = resolve;
  });
  const slow = await readEvents(url, lines, { mal: 0.02, mayRead });
  const quick = await readEvents(url, lines, { mal: 0.02 });
  await quick.until(1);
  for (let round = 1; round <= rounds; round += 1) {
    move(round);
    await quick.until(1 + round);
  }
  letRead();
  await slow.ended;
  expect(slow.events.at(-1)).toMatchObject({
    type: 'error',
    data: { code: 'ERR_SUBSCRIBER_SLOW', limit: 'limitQueueBytes' },
  });
  expect(slow.events.length).toBeLessThan(quick.events.length);
  // What came before is whole, and in order.
  const before = slow.events.slice(0, -1).map(({ id }) => Number(id));
  expect(before).toEqual(before.map((_, index) => (before[0] as number) + index));
  stream.move([1, '4', 1000]);
  expect((await quick.until(2 + rounds)).at(-1)?.type).toBe('update');
});

test('QUERY-78 a query that nobody reads any more ends, after a while in which somebody may come back', async () => {
  const { stream, url } = await queryServer({ evaluators: here, graceMs: 200 });
  stream.move([1, '4', 30]);
  const reader = await readEvents(url, DELAYS);
  await reader.until(1);
  expect(stream.readers).toBe(1);
  reader.close();
  const back = await readEvents(url, DELAYS);
  await back.until(1);
  expect(stream.readings).toBe(1);
  back.close();
  await eventually(() => expect(stream.readers).toBe(0), { forMs: 10_000 });
});

test('QUERY-79 as many live queries and readers as may be are let in, and no more', async () => {
  const few = { limitLiveQueries: 2, limitSubscribers: 3 };
  const { stream, url } = await queryServer({ evaluators: here, limits: few, graceMs: 60_000 });
  stream.move([1, '4', 30]);
  const first = await readEvents(url, DELAYS);
  await readEvents(url, `${DELAYS} #2`);
  const third = await readEvents(url, `${DELAYS} #3`);
  expect([first.status, third.status]).toEqual([200, 503]);
  expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  await eventually(() => expect(third.text()).toContain('"code":"ERR_LIVE_QUERIES_FULL"'));
  expect((await readEvents(url, DELAYS)).status).toBe(200);
  const crowded = await readEvents(url, DELAYS);
  expect(crowded.status).toBe(503);
  await eventually(() => expect(crowded.text()).toContain('"code":"ERR_SUBSCRIBERS_FULL"'));
  // One that nobody reads makes room at once.
  first.close();
  await eventually(async () => expect((await readEvents(url, DELAYS)).status).toBe(200));
});

test('QUERY-85 a server that stops ends its live queries in order', async () => {
  const { app, stream, url } = await queryServer({ evaluators: here, limits });
  stream.move([1, '4', 30]);
  const reader = await readEvents(url, DELAYS);
  await reader.until(1);
  await app.close();
  await reader.ended;
  expect(reader.events.at(-1)).toMatchObject({ type: 'end', data: { reason: 'stopping' } });
});

test('QUERY-72 a query that tells a stream has updates only, and who comes later gets those that follow', async () => {
  const { stream, url } = await queryServer({ evaluators: here, limits });
  const registered = `REGISTER ISTREAM <urn:out> AS SELECT ?of ?delay FROM NAMED WINDOW <urn:w>
    ON <http://localhost/vehicles> [RANGE PT1S STEP PT1S]
    WHERE { WINDOW <urn:w> { ?v <http://example.org/of> ?of ; <http://example.org/delay> ?delay } }`;
  const reader = await readEvents(url, registered, { mal: 0.02 });
  expect(reader.status, reader.text()).toBe(200);
  stream.move([1, '4', 30]);
  const [first] = await reader.until(1);
  expect(first).toMatchObject({ type: 'update', data: { window: { open: expect.any(String) } } });
  expect(first?.data.added.results.bindings).toHaveLength(1);
  expect(first?.data.removed.results.bindings).toEqual([]);
  const later = await readEvents(url, registered, { mal: 0.02 });
  stream.move([1, '4', 31]);
  const [next] = await later.until(1);
  expect(next).toMatchObject({ type: 'update' });
  expect(next?.data.added.results.bindings).toMatchObject([{ delay: { value: '31' } }]);
});

test('QUERY-110 a stream that takes no more queries ends its live ones, and another that takes some is asked', async () => {
  const taken: QueriedStream[] = [];
  const { url } = await queryServer({ evaluators: here, streams: () => taken });
  const queried = (name: string) => {
    const stream = new TestStream(name);
    const ending = new AbortController();
    const endpoint = `${ENDPOINT}/${name}`;
    const ends = { ended: ending.signal, commits: (signal: AbortSignal) => stream.commits(signal) };
    taken.push({ name, endpoint, limits, cursor: () => stream.cursor(), fields: () => ({}), ...ends });
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
