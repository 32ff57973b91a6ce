import { namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { evaluateHere } from '../../src/evaluate/evaluator.ts';
import { evaluatorOf, quadsOf, type Said, shown, shownQuads, watchedEngine } from './entity-stream.ts';
import { limits, taskOf } from './exactness-run.ts';

/** What an engine does that ends by its signal alone. */
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

const ROOM = 'SELECT ?g ?n { ?g <urn:room> ?n }';
const ways = [
  ['local', {}],
  ['full', { isFullAlways: true }],
] as const;

test('the engine is not asked where nothing came or went that can matter', async () => {
  const engine = watchedEngine();
  const { evaluator, publish } = await evaluatorOf(ROOM, { engine });
  expect(await publish({ a: { room: 1 } })).toBe(true);
  expect((await evaluator.evaluate()).isNew).toBe(true);
  expect(engine.asked).toBe(1);
  expect(await publish({ b: { colour: 2 } })).toBe(false);
  expect(await publish({ a: { room: 1, colour: 3 } })).toBe(false);
  expect(await evaluator.evaluate()).toMatchObject({ isNew: false, added: [], removed: [] });
  expect(await publish({ a: { room: 2 } })).toBe(true);
  expect(await publish({ a: { room: 1 } })).toBe(true);
  expect((await evaluator.evaluate()).isNew).toBe(false);
  expect(engine.asked).toBe(1);
  expect(shown(evaluator.answer())).toEqual(['g=urn:a n=1']);
});

test('an answer that changes as time passes is asked for again each time', async () => {
  const engine = watchedEngine();
  const { evaluator, publish } = await evaluatorOf(
    'SELECT ?g { ?g <urn:room> ?n FILTER(NOW() > ?t) BIND(NOW() AS ?t) }',
    { engine },
  );
  await publish({ a: { room: 1 } });
  await evaluator.evaluate();
  await evaluator.evaluate();
  expect(engine.asked).toBe(2);
  expect(evaluator.explanation).toMatchObject({ strategy: 'full', isVolatile: true, skipsWhatCannotMatter: false });
});

test.each(ways)(
  'QUERY-101 after evaluations that failed the next tells all that changed since the last that did not: %s',
  async (_way, choices) => {
    const engine = watchedEngine();
    const { evaluator, publish } = await evaluatorOf(ROOM, { engine }, choices);
    await publish({ a: { room: 1 }, b: { room: 1 } });
    engine.before = () => Promise.reject(new Error('at first'));
    await expect(evaluator.evaluate()).rejects.toThrow('at first');
    expect(evaluator.answer()).toEqual([]);
    engine.before = () => undefined;
    expect(await evaluator.evaluate()).toMatchObject({ isNew: true });
    engine.before = () => Promise.reject(new Error('later'));
    await publish({ a: { room: 2 } });
    await expect(evaluator.evaluate()).rejects.toThrow('later');
    await publish({ b: undefined, c: { room: 3 } });
    await expect(evaluator.evaluate()).rejects.toThrow('later');
    expect(shown(evaluator.answer())).toEqual(['g=urn:a n=1', 'g=urn:b n=1']);
    engine.before = () => undefined;
    const { added, removed } = await evaluator.evaluate();
    expect(shown(added)).toEqual(['g=urn:a n=2', 'g=urn:c n=3']);
    expect(shown(removed)).toEqual(['g=urn:a n=1', 'g=urn:b n=1']);
    expect((await evaluator.evaluate()).isNew).toBe(false);
    expect(engine.stores).toBe(1);
  },
);

test('an evaluation that takes longer than it may is ended, and the next one is right', async () => {
  const engine = watchedEngine();
  const limited = { ...limits, limitEvaluationMs: 1000 };
  const { evaluator, publish } = await evaluatorOf(ROOM, { engine, limits: limited });
  await publish({ a: { room: 1 } });
  engine.before = untilAborted;
  const timeout = { code: 'ERR_EVALUATION_TIMEOUT', details: { limitEvaluationMs: 1000 } };
  await expect(evaluator.evaluate()).rejects.toMatchObject(timeout);
  engine.before = () => undefined;
  expect(shown((await evaluator.evaluate()).added)).toEqual(['g=urn:a n=1']);
});

test('an answer that comes too late from an engine which cannot be ended is none', async () => {
  const engine = watchedEngine(oxigraph());
  const { evaluator, publish } = await evaluatorOf(ROOM, { engine, limits: { ...limits, limitEvaluationMs: 200 } });
  await publish({ a: { room: 1 } });
  engine.before = () => {
    const startMs = performance.now();
    while (performance.now() - startMs < 210);
  };
  await expect(evaluator.evaluate()).rejects.toMatchObject({ code: 'ERR_EVALUATION_TIMEOUT' });
  let given: AbortSignal | undefined;
  engine.before = (signal) => {
    given = signal;
  };
  expect(shown((await evaluator.evaluate()).added)).toEqual(['g=urn:a n=1']);
  // Its time is no longer watched.
  await new Promise((resolve) => setTimeout(resolve, 210));
  expect(given?.aborted).toBe(false);
});

const TOO_LARGE = { code: 'ERR_VIEW_TOO_LARGE' };

test('a view of as many quads as may be is taken, one more is not, until it is less again', async () => {
  const { evaluator, publish } = await evaluatorOf(ROOM, { limits: { ...limits, limitQuads: 3 } });
  await publish({ a: { room: 1, colour: 1 }, b: { room: 1 } });
  await evaluator.evaluate();
  const details = { quads: 4, limitQuads: 3 };
  await expect(publish({ c: { room: 1 } })).rejects.toMatchObject({ ...TOO_LARGE, details });
  await expect(evaluator.evaluate()).rejects.toMatchObject(TOO_LARGE);
  await expect(publish({ b: { room: 2 } })).rejects.toMatchObject(TOO_LARGE);
  expect(await publish({ a: { room: 1 } })).toBe(true);
  const { added, removed } = await evaluator.evaluate();
  expect([shown(added), shown(removed)]).toEqual([['g=urn:b n=2', 'g=urn:c n=1'], ['g=urn:b n=1']]);
});

test('what always holds counts too, and what waits for windows', async () => {
  const { evaluator } = await evaluatorOf(ROOM, { limits: { ...limits, limitQuads: 2 } });
  await evaluator.load(quadsOf('a', { room: 1, colour: 1 }));
  expect((await evaluator.evaluate()).added).toHaveLength(1);
  const { evaluator: full } = await evaluatorOf(ROOM, { limits: { ...limits, limitQuads: 1 } });
  await expect(full.load(quadsOf('a', { room: 1, colour: 1 }))).rejects.toMatchObject(TOO_LARGE);
  const window = { type: 'time', range: 10 } as const;
  const windowed = await evaluatorOf(ROOM, { window, limits: { ...limits, limitQuads: 1 } });
  await windowed.publish({ a: { room: 1 } }, 1000);
  await expect(windowed.publish({ b: { room: 1 } }, 1000)).rejects.toMatchObject(TOO_LARGE);
});

const MORE_THAN_TWO = { code: 'ERR_ANSWER_TOO_LARGE', details: { limitRows: 2 } };
const two = { limits: { ...limits, limitRows: 2 } };

test.each(ways)('an answer of as many solutions as may be is told, one more is not: %s', async (_way, choices) => {
  const { evaluator, publish } = await evaluatorOf(ROOM, two, choices);
  await publish({ a: { room: 1 } });
  await evaluator.evaluate();
  await publish({ b: { room: 1 } });
  expect((await evaluator.evaluate()).added).toHaveLength(1);
  await publish({ c: { room: 1 } });
  await expect(evaluator.evaluate()).rejects.toMatchObject(MORE_THAN_TWO);
  await publish({ a: undefined });
  const { added, removed } = await evaluator.evaluate();
  expect([shown(added), shown(removed)]).toEqual([['g=urn:c n=1'], ['g=urn:a n=1']]);
});

test.each(ways)('QUERY-112 a quad that RDF cannot have is not told: %s', async (_way, choices) => {
  const made = 'BIND(STRDT("x", IRI(CONCAT("urn:x:", ?t))) AS ?o) BIND(STRLANG("x", ?t) AS ?l)';
  const query = `CONSTRUCT { ?g <urn:o> ?o ; <urn:l> ?l } { ?g <urn:room> ?n BIND(IF(?n = 1, "nl", "n l") AS ?t) ${made} }`;
  const { evaluator, publish } = await evaluatorOf(query, {}, choices);
  await publish({ a: { room: 1 }, b: { room: 2 } });
  const { added } = (await evaluator.evaluate()) as { added: readonly Quad[] };
  expect(added.map(({ subject }) => subject.value)).toEqual(['urn:a', 'urn:a']);
});

test.each(ways)('an answer of as many characters as may be is told, more are not: %s', async (_way, choices) => {
  const query = 'SELECT (CONCAT(STR(?n), "0123456789") AS ?t) { ?g <urn:room> ?n }';
  const { evaluator, publish } = await evaluatorOf(query, { limits: { ...limits, limitAnswerBytes: 40 } }, choices);
  await publish({ a: { room: 1 }, b: { room: 2 } });
  expect((await evaluator.evaluate()).added).toHaveLength(2);
  await publish({ c: { room: 3 } });
  const tooLarge = { code: 'ERR_ANSWER_TOO_LARGE', details: { limitAnswerBytes: 40 } };
  await expect(evaluator.evaluate()).rejects.toMatchObject(tooLarge);
  await publish({ a: undefined });
  expect((await evaluator.evaluate()).added).toHaveLength(1);
});

test.each(ways)('solutions that count once are one for the limit, and so are quads: %s', async (_way, choices) => {
  const distinct = await evaluatorOf('SELECT DISTINCT ?n { ?g <urn:room> ?n }', two, choices);
  await distinct.publish({ a: { room: 1 }, b: { room: 1 }, c: { room: 2 }, d: { room: 2 } });
  expect(shown((await distinct.evaluator.evaluate()).added)).toEqual(['n=1', 'n=2']);
  expect(shown(distinct.evaluator.answer())).toEqual(['n=1', 'n=2']);
  await distinct.publish({ d: { room: 1 } });
  expect((await distinct.evaluator.evaluate()).isNew).toBe(false);
  await distinct.publish({ d: { room: 3 } });
  await expect(distinct.evaluator.evaluate()).rejects.toMatchObject(MORE_THAN_TWO);
  const template = 'CONSTRUCT { ?g <urn:p> ?n . <urn:x> <urn:q> ?n }';
  const quads = await evaluatorOf(`${template} { ?g <urn:room> ?n }`, two, choices);
  await quads.publish({ a: { room: 1 } });
  expect((await quads.evaluator.evaluate()).added).toHaveLength(2);
  await quads.publish({ b: { room: 1 } });
  await expect(quads.evaluator.evaluate()).rejects.toMatchObject(MORE_THAN_TWO);
});

test('QUERY-104 a quad stays while any solution gives it, and its blank nodes keep their labels', async () => {
  const query = 'CONSTRUCT { <urn:x> <urn:has> ?n . [] <urn:of> ?g } { ?g <urn:room> ?n }';
  const { evaluator, publish } = await evaluatorOf(query);
  await publish({ a: { room: 1 }, b: { room: 1 } });
  const first = await evaluator.evaluate();
  expect(first.added).toHaveLength(3);
  const ofB = shownQuads(first.added).find((text) => text.endsWith('of b'));
  await publish({ a: { room: 2 } });
  const second = await evaluator.evaluate();
  expect(second.strategy).toBe('local');
  expect(shownQuads(second.added).filter((text) => text.startsWith('x'))).toEqual(['x has 2']);
  expect(shownQuads(second.removed).every((text) => text.endsWith('of a'))).toBe(true);
  expect(shownQuads(evaluator.answer())).toContain(ofB);
  await publish({ b: undefined });
  expect(shownQuads((await evaluator.evaluate()).removed)).toEqual([ofB, 'x has 1'].sort());
});

test('QUERY-104 each of several equal solutions has blank nodes of its own, of which as many go as solutions do', async () => {
  const { evaluator, publish } = await evaluatorOf('CONSTRUCT { [] <urn:room> ?n } { ?g <urn:room> ?n }');
  await publish({ a: { room: 1 }, b: { room: 1 } });
  expect((await evaluator.evaluate()).added).toHaveLength(2);
  await publish({ b: undefined });
  const { added, removed } = await evaluator.evaluate();
  expect([added.length, removed.length]).toEqual([0, 1]);
});

test('it is told how a query is answered, and why', async () => {
  const explain = async (sparql: string) => (await evaluateHere(taskOf(sparql))).explanation;
  expect(await explain(ROOM)).toEqual({
    strategy: 'local',
    reason: 'each solution follows from one entity, ?g, and what it links to',
    skipsWhatCannotMatter: true,
    engine: 'comunica',
    isVolatile: false,
    isOrdered: false,
    output: 'delta',
    variables: ['g', 'n'],
    view: 'latest',
    form: 'select',
  });
  expect(await explain(`${ROOM} ORDER BY ?n`)).toMatchObject({ strategy: 'full', isOrdered: true });
  const any = await explain('SELECT (COUNT(*) AS ?n) { ?s ?p ?o }');
  expect(any).toMatchObject({ strategy: 'full', skipsWhatCannotMatter: false, form: 'select' });
  expect(any.reason.length * (any.skipReason?.length ?? 0)).toBeGreaterThan(0);
  expect(await explain('ASK { ?g <urn:room> 1 }')).toMatchObject({ strategy: 'full', form: 'ask', variables: [] });
});

test('QUERY-101 few changes are answered from what changed, many by asking as a whole', async () => {
  const bounds = { limitNodes: 2, limitQuads: () => 2 };
  const { evaluator, publish } = await evaluatorOf(ROOM, {}, { bounds });
  await publish({ a: { room: 1 }, b: { room: 1 }, c: { room: 1 } });
  expect((await evaluator.evaluate()).strategy).toBe('full');
  await publish({ a: { room: 2 }, b: { room: 2 } });
  expect((await evaluator.evaluate()).strategy).toBe('local');
  await publish({ a: { room: 3 }, b: { room: 3 }, c: { room: 3 } });
  expect((await evaluator.evaluate()).strategy).toBe('full');
  await publish({ c: undefined });
  const { strategy, removed } = await evaluator.evaluate();
  expect([strategy, shown(removed)]).toEqual(['local', ['g=urn:c n=3']]);
});

const NAMES = 'SELECT ?r ?n { ?r <urn:next> ?x . ?x <urn:name> ?n }';
const hub = (count: number): Record<string, Said> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, { next: 'b' }]));

test.each([
  ['nodes on the way back', 'limitNodes', 10, hub(9), { b: { name: 1 } }],
  ['nodes that changed', 'limitNodes', 10, {}, hub(10)],
  ['quads of a neighbourhood', 'limitQuads', 2, { b: { name: 1, room: 2, next: 'c' } }, { a: { next: 'b' } }],
] as const)(
  'QUERY-101 as many %s as the limit are followed, one more is asked as a whole',
  async (_, name, limit, held, come) => {
    for (const least of [limit, limit - 1]) {
      const bounds = { [name]: name === 'limitQuads' ? () => least : least };
      const { evaluator, publish } = await evaluatorOf(NAMES, {}, { bounds });
      await publish(held);
      await evaluator.evaluate();
      await publish(come);
      expect((await evaluator.evaluate()).strategy).toBe(least === limit ? 'local' : 'full');
    }
  },
);

test.each([
  ['lead nowhere', NAMES, 2, { b: { name: 1 } }],
  ['affect nothing', 'SELECT ?s ?o { ?s ?p ?o }', 0, {}],
] as const)('QUERY-101 quads of named graphs %s', async (_, sparql, limitNodes, come) => {
  const { evaluator, publish } = await evaluatorOf(sparql, {}, { bounds: { limitNodes } });
  const inGraph = (name: string, graph: string) =>
    quadsOf(name, { next: 'b' }).map((said) =>
      quad(said.subject, namedNode('urn:next'), said.object, namedNode(graph)),
    );
  await evaluator.load([...inGraph('a', 'urn:g'), ...quadsOf('c', { next: 'b' })]);
  await evaluator.evaluate();
  await evaluator.load(inGraph('d', 'urn:g'));
  await publish({ ...come, e: {} });
  expect((await evaluator.evaluate()).strategy).toBe('local');
});

test('the engine is not asked where what came belongs to no solution', async () => {
  const engine = watchedEngine();
  const { evaluator, publish } = await evaluatorOf(NAMES, { engine });
  await evaluator.evaluate();
  expect(await publish({ b: { name: 1 } })).toBe(true);
  expect(await evaluator.evaluate()).toMatchObject({ strategy: 'local', isNew: false });
  expect(engine.asked).toBe(1);
});

test('QUERY-101 what an entity seems to have where only its neighbour was looked at does not count for the limit', async () => {
  const leaves = 'SELECT ?r { ?r <urn:next> ?x FILTER NOT EXISTS { ?x ?p ?o } }';
  const { evaluator, publish } = await evaluatorOf(leaves, { limits: { ...limits, limitRows: 0 } });
  expect(evaluator.explanation.strategy).toBe('local');
  await publish({ b: { next: 'c' }, c: { name: 1 } });
  await evaluator.evaluate();
  await publish({ a: { next: 'b' } });
  expect(await evaluator.evaluate()).toMatchObject({ added: [], strategy: 'full' });
});

test.each(ways)('QUERY-101 equal solutions are told as often as they come and go: %s', async (_way, choices) => {
  const { evaluator, publish } = await evaluatorOf('SELECT ?n { ?g <urn:room> ?n }', {}, choices);
  await publish({ a: { room: 1 }, b: { room: 1 }, c: { room: 1 } });
  expect((await evaluator.evaluate()).added).toHaveLength(3);
  await publish({ a: undefined, b: undefined });
  expect((await evaluator.evaluate()).removed).toHaveLength(2);
});

test('more changed quads than are told apart may be any, one fewer are not', async () => {
  const { evaluator, publish } = await evaluatorOf(ROOM, {}, { bounds: { limitChanges: 4 } });
  await publish({ a: { room: 1 }, b: { room: 1 }, c: { room: 1 } });
  await evaluator.evaluate();
  await publish({ a: { room: 2 }, b: { room: 2 } });
  expect((await evaluator.evaluate()).strategy).toBe('local');
  await publish({ a: { room: 3 }, b: { room: 3 } });
  await publish({ c: undefined });
  const { strategy, added, removed } = await evaluator.evaluate();
  expect([strategy, added.length, removed.length]).toEqual(['full', 2, 3]);
});

test('an evaluator that is closed ends what it does and answers nothing more', async () => {
  const engine = watchedEngine();
  const { evaluator, publish } = await evaluatorOf(ROOM, { engine });
  await publish({ a: { room: 1 } });
  engine.before = untilAborted;
  const running = expect(evaluator.evaluate()).rejects.toMatchObject({ name: 'AbortError' });
  while (engine.asked === 0) await new Promise(setImmediate);
  await evaluator.close();
  await evaluator.close();
  await running;
  expect(engine.stores).toBe(0);
  await expect(evaluator.evaluate()).rejects.toMatchObject({ name: 'AbortError' });
  await expect(publish({ a: { room: 2 } })).rejects.toMatchObject({ name: 'AbortError' });
});
