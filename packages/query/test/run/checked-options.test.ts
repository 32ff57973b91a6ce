import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { checkedOptions, DEFAULT_LIMITS } from '../../src/run/checked-options.ts';

test('QUERY-8 has its defaults', () => {
  expect(checkedOptions({})).toEqual({
    malMs: 1000,
    window: { type: 'latest' },
    output: 'delta',
    limits: DEFAULT_LIMITS,
  });
  const { limits, malMs } = checkedOptions({ mal: 0.001, limits: { limitRows: 1 } });
  expect(limits).toEqual({ ...DEFAULT_LIMITS, limitRows: 1 });
  expect(malMs).toBe(1);
});

test('QUERY-8 a MAL in whole milliseconds is that many, whatever a product of floating point is', () => {
  expect(checkedOptions({ mal: 1.001 }).malMs).toBe(1001);
  expect(checkedOptions({ mal: 1e-9 }).malMs).toBe(1e-6);
});

test('QUERY-8 refuses options that have no meaning or are out of their range', () => {
  for (const [options, name] of [
    [{ mal: 0 }, 'mal'],
    [{ mal: -1 }, 'mal'],
    [{ mal: Number.NaN }, 'mal'],
    [{ mal: Infinity }, 'mal'],
    [{ mal: '1' }, 'mal'],
    [{ output: 'all' }, 'output'],
    [{ clock: 1 }, 'clock'],
    [{ sleep: 1 }, 'sleep'],
    [{ evaluators: {} }, 'evaluators'],
    [{ evaluators: null }, 'evaluators'],
    [{ data: {} }, 'data'],
    [{ data: null }, 'data'],
    [{ data: 'network.ttl' }, 'data'],
    [{ engine: 'oxigraph' }, 'engine'],
    [{ engine: oxigraph }, 'engine'],
    [{ engine: {} }, 'engine'],
    [{ engine: { name: 'oxigraph', open: true } }, 'engine'],
    [{ engine: null }, 'engine'],
    [{ signal: {} }, 'signal'],
    [{ signal: new AbortController() }, 'signal'],
    [{ signal: null }, 'signal'],
    [{ limits: 5 }, 'limits'],
    [{ limits: null }, 'limits'],
    [{ limits: [5] }, 'limits'],
    [{ mal: 5n }, 'mal'],
    [{ window: '60s' }, 'window'],
    [{ window: null }, 'window'],
    [null, 'options'],
    ['latest', 'options'],
    [[], 'options'],
    [{ MAL: 1 }, 'MAL'],
    [{ window: { type: 'latest', range: 0 }, limits: { limitRow: 1 } }, 'limits.limitRow'],
    [{ limits: { limitRows: 0 } }, 'limits.limitRows'],
    [{ limits: { limitEvaluationMs: 1.5 } }, 'limits.limitEvaluationMs'],
    [{ window: { type: 'time', range: 0 } }, 'window.range'],
  ] as const) {
    const check = () => checkedOptions(options as never);
    expect(check, name).toThrow(
      expect.objectContaining({ code: 'ERR_QUERY_OPTION', details: expect.objectContaining({ name }) }),
    );
  }
});

test('QUERY-8 takes what it asks for', () => {
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

test('QUERY-8 says what to give instead, whatever was given', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const [options, message] of [
    [
      { engine: oxigraph },
      'The option engine of a live query cannot be a function: give comunica() or oxigraph(), called.',
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
