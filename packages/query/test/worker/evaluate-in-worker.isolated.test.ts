import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { liveQuery } from '../../src/live-query.ts';
import type { LiveQueryOptions } from '../../src/options.ts';
import type { LiveResult, Row } from '../../src/result.ts';
import type { CommitSource, SourceEvent } from '../../src/source.ts';
import { sendEvent, ThreadLink } from '../../src/thread/link.ts';
import { packTerm } from '../../src/thread/packing.ts';
import { evaluateInWorker } from '../../src/thread/thread-evaluator.ts';
import { commit, state } from '../views/sample-members.ts';

const inWorker = evaluateInWorker({ execArgv: FROM_SOURCES });

const stated = (name: string, value: number) => {
  const subject = namedNode(`urn:x:${name}`);
  return [
    quad(subject, namedNode('urn:x:value'), literal(String(value), xsd.integer)),
    quad(subject, namedNode('urn:x:name'), literal(name)),
  ];
};

/** A source of those events. */
async function* bringing(events: readonly SourceEvent[]): AsyncGenerator<SourceEvent, undefined> {
  yield* events;
}

const EVENTS: readonly SourceEvent[] = [
  state(
    { sequence: 1, entity: 'urn:x:a', quads: stated('a', 1) },
    { sequence: 2, entity: 'urn:x:b', quads: stated('b', 2) },
  ),
  commit({ sequence: 3, entity: 'urn:x:a', quads: stated('a', 3) }),
  commit(
    { sequence: 4, entity: 'urn:x:c', quads: stated('c', 3) },
    { sequence: 5, entity: 'urn:x:b', kind: 'delete', quads: [] },
  ),
  commit({ sequence: 6, entity: 'urn:x:d', quads: stated('d', 9), timeMs: 9000 }),
];

/** What is told of the events, each brought when the one before it has been dealt with. */
async function told(sparql: string, options: LiveQueryOptions): Promise<unknown[]> {
  const isWindowed = options.window !== undefined;
  const stepwise: CommitSource = {
    async *[Symbol.asyncIterator]() {
      for (const [index, event] of EVENTS.entries()) {
        yield event;
        const isDone = () => live.status.evaluations + live.status.skipped > index;
        while (!isWindowed && !isDone()) await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  };
  const live = liveQuery(stepwise, sparql, { mal: 0.001, ...options });
  const results: unknown[] = [];
  for await (const result of live) results.push(contents(result));
  return results;
}

function contents(result: LiveResult): unknown {
  const { sequence, cursors, dataAsOf, window } = result;
  const base = { sequence, cursors, dataAsOf, window };
  if (result.form === 'boolean') return { ...base, value: result.value };
  const whole = result.form === 'bindings' ? result.bindings() : result.quads();
  const lists = [result.added, result.removed, whole].map((list) => list.map(shown));
  return { ...base, lists: result.kind === 'snapshot' ? lists : lists.map((list) => list.sort()) };
}

function shown(found: Row | Quad): string {
  if ('termType' in found) return packTerm(found as Quad);
  const cells = Object.entries(found).map(([name, term]) => `${name}=${packTerm(term)}`);
  return cells.sort().join(' ');
}

const VALUES = 'SELECT ?s ?v { ?s <urn:x:value> ?v }';
const WINDOW = { type: 'time', range: 0.004, step: 0.002 } as const;

// Comunica takes a second to load in a thread: one case has it, the others the quick one.
// No timer knows a limit that long, and none is to end at once by it.
const quick = { engine: oxigraph(), limits: { limitEvaluationMs: 2 ** 31 } };

test.each<[string, string, LiveQueryOptions]>([
  ['rows', VALUES, { engine: comunica() }],
  ['equal rows', 'SELECT ?v { ?s <urn:x:value> ?v }', quick],
  ['rows in order', 'SELECT ?s ?v { ?s <urn:x:value> ?v } ORDER BY DESC(?v) ?s LIMIT 2', quick],
  ['quads', 'CONSTRUCT { ?s <urn:x:is> ?v } WHERE { ?s <urn:x:value> ?v }', quick],
  ['a truth', 'ASK { ?s <urn:x:value> 9 }', quick],
  ['windows', VALUES, { ...quick, window: WINDOW, mal: 1 }],
  ['what went of windows', VALUES, { ...quick, window: WINDOW, output: 'dstream', mal: 1 }],
])('tells of %s the same from a thread of its own as from this one', async (_name, sparql, options) => {
  const here = await told(sparql, options);
  expect(await told(sparql, { ...options, evaluators: inWorker })).toEqual(here);
  expect(here.length).toBeGreaterThan(0);
});

test('ends an evaluation that takes longer than it may, with its thread', async () => {
  const members = Array.from({ length: 400 }, (_, n) => ({ sequence: n + 1, quads: stated(`s${n}`, n) }));
  const endless = 'SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c != ?l) }';
  for (const engine of [comunica(), oxigraph()]) {
    const options = { engine, evaluators: inWorker, limits: { limitEvaluationMs: 500 } };
    const reading = readAll(liveQuery(bringing([state(...members)]), endless, options));
    const timeout = { code: 'ERR_EVALUATION_TIMEOUT', details: { limitEvaluationMs: 500 } };
    await expect(reading).rejects.toMatchObject(timeout);
  }
});

test('ends a query whose thread needs more memory than it may take', async () => {
  // Not enough for Comunica itself.
  const evaluators = evaluateInWorker({ execArgv: FROM_SOURCES, limitMemoryMib: 16 });
  const reading = readAll(liveQuery(bringing(EVENTS), 'ASK { ?s ?p ?o }', { evaluators }));
  await expect(reading).rejects.toMatchObject({ code: 'ERR_QUERY_MEMORY', details: { limitMemoryMib: 16 } });
});

test('refuses what is refused here, and tells it in the same words', async () => {
  const syntax = (evaluators: LiveQueryOptions['evaluators']) =>
    liveQuery(bringing(EVENTS), 'SELECT { ?s', evaluators ? { evaluators } : {}).explain();
  const [here, there] = await Promise.allSettled([syntax(undefined), syntax(inWorker)]);
  expect(here).toMatchObject({ status: 'rejected', reason: { code: 'ERR_QUERY_SYNTAX' } });
  const errorOf = (settled: PromiseSettledResult<unknown>) => (settled as PromiseRejectedResult).reason;
  expect(errorOf(there).message).toBe(errorOf(here).message);
  expect(errorOf(there).details).toEqual(errorOf(here).details);
});

test('refuses engines that no thread has, and too little memory', async () => {
  const engine = { name: 'mine', open: async () => Promise.reject(new Error('not used')) };
  const explaining = liveQuery(bringing([]), 'ASK {}', { engine, evaluators: inWorker }).explain();
  const refused = { code: 'ERR_QUERY_OPTION', details: { name: 'engine', value: 'mine' } };
  await expect(explaining).rejects.toMatchObject(refused);
  for (const limitMemoryMib of [15, 16.5, Number.NaN]) {
    expect(() => evaluateInWorker({ limitMemoryMib })).toThrow(expect.objectContaining({ code: 'ERR_QUERY_OPTION' }));
  }
  expect(() => evaluateInWorker({ limitMemoryMib: 16 })).not.toThrow();
});

test('leaves no thread behind when a query is left amid an evaluation', async () => {
  const controller = new AbortController();
  const source: CommitSource = {
    async *[Symbol.asyncIterator]() {
      yield* EVENTS.slice(0, 2);
      await new Promise(() => undefined);
    },
  };
  const reading = readAll(liveQuery(source, VALUES, { evaluators: inWorker, signal: controller.signal }));
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 50);
  await expect(reading).rejects.toBe(reason);
});

/** A thread for the state that those events begin with, and how it is asked. */
async function stateThread() {
  const limits = {
    limitRows: 10,
    limitQuads: 1000,
    limitQueryChars: 10_000,
    limitTextChars: 1000,
    limitAnswerBytes: 10_000,
  };
  const task = { kind: 'state', engine: 'oxigraph', limits } as const;
  const link = new ThreadLink({ task, limitMemoryMib: 64, execArgv: FROM_SOURCES });
  await sendEvent(link, 0, EVENTS[0]!);
  const write = async (sparql: string) => {
    const accepted = { bindings: 'text/csv', boolean: 'application/sparql-results+json' };
    return new TextDecoder().decode((await link.ask('write', sparql, accepted)).content);
  };
  return { link, write };
}

test('a thread replies in the order of the calls, and what waits as it ends fails by the reason', async () => {
  const { link, write } = await stateThread();
  // The second is refused at once, and has its turn nevertheless.
  const given = ['SELECT ?v { <urn:x:a> <urn:x:value> ?v }', `ASK {}${' '.repeat(10_000)}`].map(write);
  const [answer, refused] = await Promise.allSettled(given);
  expect(answer).toMatchObject({ value: 'v\r\n1\r\n' });
  expect(refused).toMatchObject({ reason: { code: 'ERR_QUERY_TOO_LONG' } });
  const waiting = ['ASK {}', 'ASK {} #2'].map(write);
  const reason = new Error('enough');
  const ending = link.end(reason);
  const failed = await Promise.allSettled([...waiting, write('ASK {} #3')]);
  expect(failed).toEqual(failed.map(() => ({ status: 'rejected', reason })));
  expect(link.ended.reason).toBe(reason);
  await ending;
});

const DOUBLED = `BIND("xxxxxxxxxx" AS ?x0) ${Array.from({ length: 22 }, (_, at) => `BIND(CONCAT(?x${at}, ?x${at}) AS ?x${at + 1})`).join(' ')}`;
const LONG = `SELECT (STRLEN(?x22) AS ?n) { ${DOUBLED} }`;

test.each([
  // Some 200 MiB, of which none is given back.
  ['holds more memory than it may', LONG, 'n\r\n41943040\r\n', 'ERR_QUERY_MEMORY'],
  // Its stack is at an end by that.
  ['stopped halfway', `SELECT (${Array(3000).fill('1').join('+')} AS ?n) {}`, undefined, undefined],
])('a thread whose WebAssembly %s is ended, once it has replied', async (_about, query, answer, code) => {
  const { link, write } = await stateThread();
  await write('ASK {}');
  expect(link.ended.aborted).toBe(false);
  const found = await write(query).catch((error: { code?: string }) => error.code);
  expect(found).toBe(answer ?? 'ERR_QUERY_FAILED');
  expect(link.ended.aborted).toBe(true);
  expect((link.ended.reason as { code?: string }).code).toBe(code);
});

test('a live query whose WebAssembly holds more than it may ends by that', async () => {
  const evaluators = evaluateInWorker({ execArgv: FROM_SOURCES, limitMemoryMib: 64 });
  const query = `SELECT ?s (STRLEN(?x22) AS ?n) { ?s ?p ?o ${DOUBLED} } LIMIT 1`;
  const reading = readAll(liveQuery(bringing(EVENTS), query, { engine: oxigraph(), evaluators }));
  await expect(reading).rejects.toMatchObject({ code: 'ERR_QUERY_MEMORY', details: { limitMemoryMib: 64 } });
});

async function readAll(results: AsyncIterable<LiveResult>): Promise<number> {
  let count = 0;
  for await (const _result of results) count += 1;
  return count;
}
