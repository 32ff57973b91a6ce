import { expect, test } from 'vitest';
import { DELAYS, jsonOf, queryServer, readEvents } from './query-server.ts';

/** So many that what joins them all with themselves, three times over, is never done. */
const VEHICLES = 400;
const ENDLESS = 'SELECT (COUNT(*) AS ?n) { ?a ?p ?x . ?b ?q ?y . ?c ?r ?z FILTER (?x != ?y && ?y != ?z) }';
const HUGE = 'SELECT * { ?a ?p ?x . ?b ?q ?y }';
/** A text of 2^30 characters, more than a thread can be refused. */
const DOUBLED = `ASK { BIND("x" AS ?x0) ${Array.from({ length: 30 }, (_, at) => `BIND(CONCAT(?x${at}, ?x${at}) AS ?x${at + 1})`).join(' ')} FILTER(STRLEN(?x30) > 9) }`;
const GOOD = 'SELECT ?of { ?v <http://example.org/of> ?of } LIMIT 3';

test('QUERY-83, QUERY-87 a query that never ends, one with a huge answer, and one of a huge text, end by their limits, and others go on', {
  timeout: 180_000,
}, async () => {
  const limits = { limitEvaluationMs: 3000, limitRows: 5000, limitMalMs: 100 };
  const { stream, url, ask } = await queryServer({ limits });
  stream.move(...Array.from({ length: VEHICLES }, (_, id) => [id, '4', id] as const));
  const live = await readEvents(url, DELAYS, { mal: 0.1 });
  await live.until(1);
  const code = async (response: Promise<Response>) => {
    const { status } = await response;
    return [status, (await jsonOf(await response)).code];
  };
  expect((await ask(GOOD)).status).toBe(200);
  const began = Date.now();
  const endless = code(ask(ENDLESS));
  // Meanwhile the loop of the server is free, and live queries go on.
  stream.move([0, '5', 1000]);
  await live.until(2);
  expect(await endless).toEqual([504, 'ERR_EVALUATION_TIMEOUT']);
  expect(Date.now() - began).toBeGreaterThanOrEqual(3000);
  // By another thread.
  expect((await ask(GOOD)).status).toBe(200);
  expect(await code(ask(HUGE))).toEqual([422, 'ERR_ANSWER_TOO_LARGE']);
  expect(await code(ask(DOUBLED))).toEqual([422, 'ERR_TEXT_TOO_LONG']);
  expect((await ask(GOOD)).status).toBe(200);
  const runaway = await readEvents(url, ENDLESS, { mal: 0.1 });
  await runaway.ended;
  expect(runaway.events()).toMatchObject([{ type: 'error', data: { status: 504, code: 'ERR_EVALUATION_TIMEOUT' } }]);
  expect(runaway.text()).toContain('\nretry: 60000\n');
  // What has just failed is not tried again.
  const again = await readEvents(url, ENDLESS, { mal: 0.1 });
  expect(again.status).toBe(504);
  const sequence = live.events().length;
  stream.move([0, '5', 1001]);
  expect((await live.until(sequence + 1)).at(-1)?.type).toBe('update');
  expect((await ask(GOOD)).status).toBe(200);
});

test('QUERY-83 a query that takes more memory than its thread may ends, and others go on', {
  timeout: 180_000,
}, async () => {
  const limits = { limitMemoryMib: 64, limitEvaluationMs: 60_000, limitRows: 50_000_000, limitAnswerBytes: 1e12 };
  const { stream, ask } = await queryServer({ limits });
  stream.move(...Array.from({ length: VEHICLES }, (_, id) => [id, 'a'.repeat(5000), id] as const));
  expect((await ask(GOOD)).status).toBe(200);
  // A text of its own in each row: a million small rows fill the memory as well, but take half a minute for it.
  const text = 'UCASE(CONCAT(?line, STR(?b)))';
  const answer = await ask(`SELECT (${text} AS ?text) { ?a <http://example.org/line> ?line . ?b ?p ?x . ?c ?q ?y }`);
  expect([answer.status, (await jsonOf(answer)).code]).toEqual([422, 'ERR_QUERY_MEMORY']);
  expect((await ask(GOOD)).status).toBe(200);
});

test('an aggregate over all quads takes little more memory than they do', { timeout: 180_000 }, async () => {
  const { stream, ask } = await queryServer({ limits: { limitMemoryMib: 192 } });
  stream.move(...Array.from({ length: 20_000 }, (_, id) => [id, '4', id] as const));
  const answer = await ask('SELECT (COUNT(*) AS ?n) { ?s ?p ?o }');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"80000"')]);
});
