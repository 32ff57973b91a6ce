import { EventEmitter, once } from 'node:events';
import { literal } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, expectTypeOf, test } from 'vitest';
import type { LiveResult, Row } from '../src/index.ts';
import { liveQuery } from '../src/live-query.ts';
import type { BindingsResult, BooleanResult, QuadsResult } from '../src/result.ts';
import { evaluateInWorker } from '../src/thread/thread-evaluator.ts';
import { collect, PushedSource, run, START_MS, scripted } from './run/live-fixture.ts';
import { commit, saying, state } from './views/sample-members.ts';

const counts = (results: readonly unknown[]) => results.map((result) => (result as BindingsResult).added[0]?.n?.value);

test('QUERY-1 numbers results from 0, and tells of an evaluation only if its answer is another one, but for the first', async () => {
  const { time, evaluator, source, results } = run({ explanation: { isVolatile: true } });
  source.push(state());
  await time.pass(500);
  source.push(commit({ sequence: 1 }));
  await time.pass(10_000);
  expect(evaluator.times('start').length).toBeGreaterThan(8);
  expect(results.map(({ sequence }) => sequence)).toEqual([0, 1]);
  expect(counts(results)).toEqual(['1', '2']);
  expect(results.map(({ cursors }) => cursors)).toEqual([['a-0'], ['a-1']]);
  expect(results[1]!.evaluatedAt.getTime()).toBe(evaluator.times('end')[1]);
});

test('QUERY-1 tells of the first evaluation though it says that nothing is new, and of no other one', async () => {
  const { time, source, query, results } = run({ says: { isNew: false } });
  source.push(state());
  await time.pass(2000);
  source.push(commit({ sequence: 1 }));
  await time.pass(2000);
  expect(results).toHaveLength(1);
  expect(query.status.evaluations).toBe(2);
});

test('QUERY-1 says what of its form there is to say', async () => {
  const added = [expect.anything()];
  for (const [form, isOrdered, expected] of [
    ['select', false, { form: 'bindings', kind: 'delta', variables: ['n'], added }],
    ['select', true, { form: 'bindings', kind: 'snapshot', variables: ['n'] }],
    ['construct', false, { form: 'quads', kind: 'delta', added }],
    ['describe', false, { form: 'quads', kind: 'delta' }],
    ['ask', false, { form: 'boolean', kind: 'snapshot', value: true }],
  ] as const) {
    const { time, source, results } = run({ explanation: { form, isOrdered } });
    source.push(state());
    await time.pass(1);
    expect(results[0]).toMatchObject(expected);
  }
});

test('QUERY-2 says what its data are complete to as the source that is furthest behind shows it, and no later than the start', async () => {
  let completeToMs: number | undefined = 999_900;
  const claiming = new PushedSource(() => completeToMs);
  const plain = new PushedSource();
  const { time, evaluator, results } = run({}, {}, [claiming, plain]);
  claiming.push(commit({ sequence: 1, timeMs: 999_800 }));
  plain.push(commit({ sequence: 1, timeMs: 999_950 }));
  await time.pass(1);
  expect(results.map(({ dataAsOf }) => dataAsOf.getTime())).toEqual([999_900]);
  plain.push(commit({ sequence: 2, timeMs: 9_999_950 }));
  completeToMs = 9_999_999;
  await time.pass(1000);
  expect(results[1]!.dataAsOf.getTime()).toBe(evaluator.times('start')[1]);
  completeToMs = undefined;
  plain.push(commit({ sequence: 3, timeMs: 9_999_951 }));
  const silentSinceMs = time.nowMs;
  await time.pass(1000);
  // What was complete stays so: the claim before was looked up within a tenth of the MAL.
  expect(results[2]!.dataAsOf.getTime()).toBeLessThanOrEqual(silentSinceMs);
  expect(results[2]!.dataAsOf.getTime()).toBeGreaterThanOrEqual(silentSinceMs - 100);
});

test('QUERY-2 what was complete stays so while a source cannot be heard and claims less, unless the clock was set back', async () => {
  let claim: () => number | undefined = () => time.nowMs - 100;
  const { time, source, query } = run({}, {}, new PushedSource(() => claim()));
  source.push(commit({ sequence: 1, timeMs: 999_000 }));
  await time.pass(2000);
  const asOf = query.status.dataAsOf!;
  expect(asOf.getTime()).toBeGreaterThanOrEqual(time.nowMs - 200);
  for (const silent of [() => time.nowMs - 4000, () => undefined]) {
    claim = silent;
    await time.pass(1000);
    expect(query.status.dataAsOf).toEqual(asOf);
  }
  claim = () => time.nowMs - 100;
  await time.pass(200);
  expect(query.status.dataAsOf!.getTime()).toBeGreaterThanOrEqual(time.nowMs - 200);
  time.nowMs -= 500_000;
  source.push(commit({ sequence: 2, timeMs: 999_000 }));
  await time.pass(1);
  expect(query.status.dataAsOf!.getTime()).toBe(time.nowMs - 101);
});

test('QUERY-2 counts no claim about what a source has handed out but is not applied', async () => {
  // Each commit is handed out at the very moment that the source is asked for its claim, which is about that commit too.
  let handedOut = 0;
  let nextMs = START_MS;
  const source = new PushedSource(() => {
    if (source.asked > handedOut && time.nowMs >= nextMs) {
      handedOut += 1;
      nextMs = time.nowMs + 37;
      source.push(commit({ sequence: handedOut, timeMs: 1000 * handedOut }));
    }
    return 1000 * handedOut;
  });
  const { time, results } = run({ evaluationMs: () => 30 }, {}, source);
  await time.pass(7000);
  expect(results.length).toBeGreaterThan(6);
  for (const { dataAsOf, cursors } of results)
    expect(dataAsOf.getTime()).toBeLessThanOrEqual(1000 * Number(cursors[0]!.slice(2)));
});

test('gives the whole answer until the next result is asked for', async () => {
  const { time, source, query } = scripted();
  const iterator = query[Symbol.asyncIterator]();
  source.push(state());
  const first = (await iterator.next()).value as BindingsResult;
  expect(first.bindings()).toEqual([{ n: literal('1') }]);
  const asked = iterator.next();
  const passed = { code: 'ERR_ANSWER_PASSED', details: { sequence: 0 } };
  expect(() => first.bindings()).toThrow(expect.objectContaining(passed));
  source.push(commit({ sequence: 1 }));
  await time.pass(2000);
  const second = (await asked).value as BindingsResult;
  expect(second.bindings()).toEqual([{ n: literal('2') }]);
  await iterator.return!();
  expect(second.bindings()).toEqual([{ n: literal('2') }]);
});

test("QUERY-4, QUERY-61 applies nothing while it evaluates or a result is in its reader's hands, and evaluates once at a time", async () => {
  const { time, evaluator, source, query } = scripted({ evaluationMs: () => 400, explanation: { isVolatile: true } });
  const iterator = query[Symbol.asyncIterator]();
  source.push(state());
  const first = iterator.next();
  await time.pass(400);
  await first;
  source.push(commit({ sequence: 1 }), commit({ sequence: 2 }));
  await time.pass(5000);
  expect(evaluator.times('apply')).toHaveLength(1);
  collect({ [Symbol.asyncIterator]: () => iterator });
  await time.pass(20_000);
  // The evaluator itself refuses to be used twice at a time.
  const busy = evaluator.happenings.filter(({ what }) => what !== 'load' && what !== 'close');
  for (const [index, { what }] of busy.entries())
    if (what === 'start') expect(busy[index + 1]?.what ?? 'end').toBe('end');
  expect(evaluator.times('apply')).toHaveLength(3);
});

test('asks a source for one event at a time, and for none that it has no room for', async () => {
  const { time, evaluator, source } = run({ evaluationMs: () => 5000 });
  source.push(state());
  await time.pass(100);
  source.push(...Array.from({ length: 50 }, (_, index) => commit({ sequence: index + 1 })));
  await time.pass(4000);
  expect(evaluator.times('apply')).toHaveLength(1);
  expect(source.asked).toBe(2);
});

test('ends by what fails: a source or what it brings, an evaluation, or data that cannot be read', async () => {
  const reason = new Error('broken');
  const data = (async function* () {
    yield saying('a');
    throw reason;
  })();
  const fails = (index: number) => (index === 1 ? reason : undefined);
  for (const [given, then, error, told] of [
    [run(), (source: PushedSource) => source.fail(reason), reason, 1],
    [run(), (source: PushedSource) => source.push({ hello: 1 } as never), { code: 'ERR_QUERY_SOURCE' }, 1],
    [run({ fails }), (source: PushedSource) => source.push(commit({ sequence: 1 })), reason, 1],
    [run({}, { data }), () => undefined, reason, 0],
  ] as const) {
    const { time, evaluator, source, results } = given;
    source.push(state());
    await time.pass(500);
    then(source);
    await time.pass(2000);
    expect(given.error).toMatchObject(error);
    expect(results).toHaveLength(told);
    expect(evaluator.times('close')).toHaveLength(1);
    expect(source.returned).toBe(told);
  }
});

test('lets everything go when it is left, also while a result is waited for', async () => {
  const left = scripted();
  left.source.push(state());
  for await (const { sequence } of left.query) {
    expect(sequence).toBe(0);
    break;
  }
  const waiting = scripted();
  const iterator = waiting.query[Symbol.asyncIterator]();
  const next = iterator.next();
  await waiting.time.settled();
  await iterator.return!();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  for (const { source, evaluator } of [left, waiting]) {
    expect(source.returned).toBe(1);
    expect(evaluator.times('close')).toHaveLength(1);
  }
});

test('throws the reason of its signal, lets everything go though nothing more is asked of it, and waits for nobody who does not', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const { time, evaluator, source, query } = scripted({}, { signal: controller.signal });
  source.isStuck = true;
  const iterator = query[Symbol.asyncIterator]();
  source.push(state());
  await iterator.next();
  controller.abort(reason);
  await time.pass(1000);
  expect(source.returned).toBe(1);
  expect(evaluator.times('close')).toHaveLength(1);
  await expect(iterator.next()).rejects.toBe(reason);
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

test('ends amid an evaluation that never ends, and one that has not begun at all', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const begun = run({ evaluationMs: () => Infinity }, { signal: controller.signal });
  begun.source.push(state());
  await begun.time.pass(100);
  controller.abort(reason);
  await begun.time.pass(1000);
  expect(begun.error).toBe(reason);
  expect(begun.evaluator.times('close')).toHaveLength(1);
  const unbegun = run({}, { signal: controller.signal });
  await unbegun.time.pass(1000);
  expect(unbegun.error).toBe(reason);
  expect(unbegun.source.asked).toBe(0);
});

test('closes an evaluator that comes after the end', async () => {
  const controller = new AbortController();
  const coming = new EventEmitter();
  const evaluators = async () => (await once(coming, 'evaluator'))[0];
  const { time, evaluator, over } = run({}, { signal: controller.signal, evaluators });
  controller.abort(new Error('enough'));
  await over;
  coming.emit('evaluator', evaluator);
  await time.settled();
  expect(evaluator.times('close')).toHaveLength(1);
});

test('is iterated over once', async () => {
  const { query } = scripted();
  const iterator = query[Symbol.asyncIterator]();
  expect(() => query[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'ERR_QUERY_BUSY' }));
  await iterator.return!();
  expect(() => query[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'ERR_QUERY_BUSY' }));
});

test('refuses what is no source, no query, or no evaluator', async () => {
  const of = (name: string) =>
    expect.objectContaining({ code: 'ERR_QUERY_OPTION', details: expect.objectContaining({ name }) });
  for (const source of ['http://localhost:3000/vehicles', undefined, [], [{}], [commit({ sequence: 1 })]]) {
    expect(() => liveQuery(source as never, 'ASK {}')).toThrow(of('source'));
  }
  for (const sparql of [undefined, null, 5, {}]) {
    expect(() => liveQuery(new PushedSource(), sparql as never)).toThrow(of('sparql'));
  }
  expect(() => liveQuery(new PushedSource(), 'ASK {}', null as never)).toThrow(of('options'));
  const forgotten = liveQuery(new PushedSource(), 'ASK {}', { evaluators: evaluateInWorker as never });
  await expect(forgotten.explain()).rejects.toThrow(of('evaluators'));
  for (const evaluators of [() => undefined, async () => null, () => ({})]) {
    const query = liveQuery(new PushedSource(), 'ASK {}', { evaluators: evaluators as never });
    await expect(query[Symbol.asyncIterator]().next()).rejects.toThrow(of('evaluators'));
  }
});

test('refuses data that are no quads', async () => {
  for (const data of [['<a> <b> <c>'], [undefined], new Map([['a', 'b']]), [{ subject: 'a' }], [saying('a'), 5]]) {
    const { query } = scripted({}, { data: data as never });
    const refused = { code: 'ERR_QUERY_OPTION', details: { name: 'data' } };
    await expect(query[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  }
});

test('explains itself without being read, and holds nothing after', async () => {
  const { evaluator, source, query } = scripted();
  expect((await query.explain()).reason).toBe('it is scripted');
  expect(await query.explain()).toBe(await query.explain());
  expect(evaluator.times('close')).toHaveLength(1);
  expect(source.asked).toBe(0);
  expect(query.status).toMatchObject({ evaluations: 0, dataAsOf: undefined, sources: [{ cursor: undefined }] });
});

test('loads data that always hold first, in slices between which others have their turn', async () => {
  const data = Array.from({ length: 5000 }, (_, index) => saying(String(index)));
  const { time, evaluator, source, query } = scripted({}, { data });
  source.push(state());
  let turns = 0;
  const turn = () => {
    turns += 1;
    if (evaluator.loaded < 5000) setImmediate(turn);
  };
  turn();
  collect(query);
  await time.pass(1);
  expect(evaluator.loaded).toBe(5000);
  expect(turns).toBeGreaterThan(3);
  expect(evaluator.happenings.map(({ what }) => what)).toEqual(['load', 'load', 'load', 'apply', 'start', 'end']);
});

test('QUERY-1 the form of a result tells what it has, and whoever knows the form may take that at once', () => {
  type Of<Form> = Extract<LiveResult, { readonly form: Form }>;
  expectTypeOf<Of<'boolean'>>().toEqualTypeOf<BooleanResult>();
  expectTypeOf<Of<'quads'>>().toEqualTypeOf<QuadsResult>();
  expectTypeOf<Of<'bindings'>>().toEqualTypeOf<BindingsResult>();
  expectTypeOf<LiveResult['sequence']>().toEqualTypeOf<number>();
  expectTypeOf<LiveResult['added']>().toEqualTypeOf<readonly Row[] | readonly Quad[] | undefined>();
  expectTypeOf<LiveResult['removed']>().toEqualTypeOf<readonly Row[] | readonly Quad[] | undefined>();
  expectTypeOf<LiveResult['value']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<BooleanResult['added']>().toEqualTypeOf<undefined>();
  expectTypeOf<QuadsResult['added']>().toEqualTypeOf<readonly Quad[]>();
  expectTypeOf<QuadsResult['bindings']>().toEqualTypeOf<undefined>();
  expectTypeOf<BindingsResult['added']>().toEqualTypeOf<readonly Row[]>();
  expectTypeOf<BindingsResult['quads']>().toEqualTypeOf<undefined>();
});
