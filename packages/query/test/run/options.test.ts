import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { checkedOptions, checkWindow, DEFAULT_LIMITS, LONGEST_SECONDS, type ViewOptions } from '../../src/options.ts';
import { checkEvent } from '../../src/source.ts';
import { commit, member, saying, state } from '../views/sample-members.ts';

test('has its defaults', () => {
  expect(checkedOptions({})).toEqual({
    malMs: 1000,
    window: { type: 'latest' },
    output: 'delta',
    limits: DEFAULT_LIMITS,
  });
  expect(checkedOptions({ limits: { limitRows: 1 } }).limits).toEqual({ ...DEFAULT_LIMITS, limitRows: 1 });
});

test('a MAL in whole milliseconds is that many, whatever a product of floating point is', () => {
  expect([0.001, 1.001, 1e-9].map((mal) => checkedOptions({ mal }).malMs)).toEqual([1, 1001, 1e-6]);
});

test('takes what it asks for', () => {
  for (const options of [
    { engine: comunica() },
    { engine: oxigraph() },
    { signal: AbortSignal.timeout(1000) },
    { data: new Set() },
    { data: (async function* () {})() },
    { limits: {}, clock: Date.now, evaluators: async () => ({}) },
  ]) {
    expect(() => checkedOptions(options as never)).not.toThrow();
  }
});

test('says what to give instead, whatever was given', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const [options, message] of [
    [
      { engine: oxigraph },
      'The option engine of a live query cannot be a function: give comunica() or oxigraph(), with the parentheses.',
    ],
    [{ window: '60s' }, /cannot be "60s": give an object, such as \{ type: 'time', range: 60 \} for a minute/],
    [{ mal: Number.NaN }, /cannot be NaN: give seconds above 0/],
    [{ mal: 5n }, /cannot be 5n/],
    [{ mal: circular }, /cannot be an object/],
    [{ mal: 'x'.repeat(1000) }, /cannot be "x{79}\.\.\.: /],
    [{ limits: 5 }, /such as \{ limitRows: 1000 \}/],
    [null, /option options of a live query cannot be null/],
  ] as const) {
    expect(() => checkedOptions(options as never)).toThrow(message);
  }
});

test('takes commits and states, and names what of one is not right', () => {
  const right = commit({ sequence: 1 });
  const deletion = { sequence: 2, kind: 'delete', quads: [] } as const;
  for (const event of [right, commit({ sequence: 1 }, deletion), state(), state({ sequence: 1 })]) {
    expect(() => checkEvent(event, undefined)).not.toThrow();
  }
  const { subject, predicate, object, graph } = saying('a');
  const holding = (change: object) => ({
    ...right,
    members: [member({ sequence: 1 }), { ...member({ sequence: 2 }), ...change }],
  });
  for (const [event, problem] of [
    [undefined, 'it is undefined'],
    [null, 'it is null'],
    ['commit', 'it is string'],
    [{ hello: 1 }, 'its cursor is not'],
    [{ ...right, cursor: 'a-1' }, 'its cursor is not'],
    [{ ...right, cursor: { epoch: 'a', sequence: '1' } }, 'its cursor is not'],
    [{ ...right, time: undefined }, 'its time is not'],
    [{ ...right, time: 'yesterday' }, 'its time is not'],
    [{ ...right, members: undefined }, 'its members are not an array'],
    [{ ...right, members: [5] }, 'in member 0, it is not an object'],
    [holding({ entity: undefined }), 'in member 1, entity is not'],
    [holding({ id: 5 }), 'id is not'],
    [holding({ kind: 'insert' }), 'kind is neither'],
    [holding({ sequence: '2' }), 'sequence is not'],
    [holding({ time: 1 }), 'time is not'],
    [holding({ quads: '<a> <b> <c> .' }), 'quads are not an array'],
    [holding({ quads: ['<a> <b> <c> .'] }), 'quads are not RDF/JS'],
    [holding({ quads: [{ subject, predicate, object }] }), 'quads are not RDF/JS'],
    [holding({ quads: [{ subject: 'a', predicate, object, graph }] }), 'quads are not RDF/JS'],
    [{ ...right, kind: 'commit' }, 'its kind is not state'],
    [{ kind: 'upsert', member: member({ sequence: 1 }), cursor: 'a-1' }, 'Wrap the follower in followCommits()'],
    [{ kind: 'state', cursor: { epoch: 'a', sequence: 1 }, members: [] }, 'the cursor of a state'],
    [{ kind: 'state', cursor: 'a-1' }, 'its members are not'],
  ] as const) {
    expect(() => checkEvent(event, 'urn:x:s'), problem).toThrow(
      expect.objectContaining({ code: 'ERR_QUERY_SOURCE', message: expect.stringContaining(problem) }),
    );
  }
  expect(() => checkEvent(5, 'urn:x:s')).toThrow(
    expect.objectContaining({ details: { url: 'urn:x:s', problem: 'it is number' } }),
  );
});

const time = (options: object) => ({ type: 'time', range: 60, ...options });

test.each<object>([
  { type: 'latest' },
  { type: 'all' },
  { type: 'count', members: 1 },
  time({}),
  time({ range: 0.001, step: 0.001, allowedLateness: 0, originMs: -8.64e15, time: 'published' }),
  time({ range: LONGEST_SECONDS, step: LONGEST_SECONDS, allowedLateness: LONGEST_SECONDS, time: 'version' }),
])('%j can be asked over', (options) => {
  expect(() => checkWindow(options as ViewOptions)).not.toThrow();
});

const refused = (name: string) =>
  expect.objectContaining({ code: 'ERR_QUERY_OPTION', details: expect.objectContaining({ name }) });

const each = (values: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries(values).flatMap(([name, all]) => all.map((value) => [value, name] as const));

const refusedOfTime = {
  range: [undefined, 0, 0.0009, Number.NaN, LONGEST_SECONDS + 1, '60'],
  step: [0, -1, 0.0009, Number.POSITIVE_INFINITY, null],
  time: ['sample'],
  allowedLateness: [-0.001, LONGEST_SECONDS + 1],
  originMs: [0.5, 8.64e15 + 1],
};

test.each<readonly [window: unknown, name: string]>([
  ...each({ window: [undefined, null, '60s'], 'window.type': [{}, { type: 'newest' }] }),
  ...each({ members: [0, 1.5, Number.POSITIVE_INFINITY, undefined] }).map(
    ([members, name]) => [{ type: 'count', members }, `window.${name}`] as const,
  ),
  ...each(refusedOfTime).map(([value, name]) => [time({ [name]: value }), `window.${name}`] as const),
])('%j is refused for its %s', (window, name) => {
  expect(() => checkWindow(window as ViewOptions)).toThrow(refused(name));
  if (window !== undefined) expect(() => checkedOptions({ window } as never)).toThrow(refused(name));
});

const refusedValues = {
  mal: [0, -1, Number.NaN, Infinity, '1', 5n],
  output: ['all'],
  clock: [1],
  sleep: [1],
  evaluators: [{}, null],
  data: [{}, null, 'network.ttl'],
  engine: ['oxigraph', oxigraph, {}, { name: 'oxigraph', open: true }, null],
  signal: [{}, new AbortController(), null],
  limits: [5, null, [5]],
  MAL: [1],
};

test.each<readonly [options: unknown, name: string]>([
  ...each(refusedValues).map(([value, name]) => [{ [name]: value }, name] as const),
  ...each({ options: [null, 'latest', []] }),
  [{ window: { type: 'latest', range: 0 }, limits: { limitRow: 1 } }, 'limits.limitRow'],
  [{ limits: { limitRows: 0 } }, 'limits.limitRows'],
  [{ limits: { limitEvaluationMs: 1.5 } }, 'limits.limitEvaluationMs'],
])('%o is refused for its %s', (options, name) => {
  expect(() => checkedOptions(options as never)).toThrow(refused(name));
});
