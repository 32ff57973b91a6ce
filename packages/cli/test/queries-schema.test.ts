import { expect, test } from 'vitest';
import { configPlan } from '../src/serve/serve-plan.ts';
import { HEAD, mistakesOf, parse, source } from './parsed-config.ts';

const withQueries = (queries: string) => `${HEAD}streams: { a: { ${source}, queries: ${queries} } }\n`;
const queriesOf = (text: string) => configPlan({ config: parse(text), files: {} }, '/etc/live.yml').streams[0]?.queries;

const ALL = `{ live: 2, subscribers: 100, waiting: 5, mal: 2s, evaluation: 5s, loading: 1m, rows: 1000, quads: 50000, chars: 2000,
  memoryMib: 256, queueBytes: 262144, stall: 30s, replayBytes: 100000, answerBytes: 1000000 }`;

test('queries are off unless they are switched on', () => {
  expect(queriesOf(`${HEAD}streams: { a: { ${source} } }\n`)).toBeUndefined();
  expect(queriesOf(withQueries('false'))).toBeUndefined();
  expect(queriesOf(withQueries('true'))).toEqual({});
  expect(queriesOf(withQueries('{}'))).toEqual({});
});

test('limits of queries are read with all that may be said of them, as the library calls them', () => {
  expect(queriesOf(withQueries(ALL))).toEqual({
    limitLiveQueries: 2,
    limitSubscribers: 100,
    limitWaitingQueries: 5,
    limitMalMs: 2000,
    limitEvaluationMs: 5000,
    limitLoadingMs: 60_000,
    limitRows: 1000,
    limitQuads: 50_000,
    limitQueryChars: 2000,
    limitMemoryMib: 256,
    limitQueueBytes: 262_144,
    limitStallMs: 30_000,
    limitReplayBytes: 100_000,
    limitAnswerBytes: 1_000_000,
  });
});

test.each([
  ['live', ['1', '1000'], ['0', '1001']],
  ['subscribers', ['1'], ['0', '1.5']],
  ['waiting', ['1'], ['0']],
  ['mal', ['1ms', '24h'], ['0ms', '24.001h', '2']],
  ['evaluation', ['1ms', '1h'], ['0ms', '1.001h']],
  ['loading', ['1ms', '1h'], ['0ms', '1.001h']],
  ['rows', ['1'], ['0']],
  ['quads', ['1'], ['0']],
  ['chars', ['1'], ['0']],
  ['memoryMib', ['64'], ['63', '64MiB']],
  ['queueBytes', ['1'], ['0']],
  ['stall', ['1s', '24h'], ['999ms', '24.001h']],
  ['replayBytes', ['1'], ['0']],
  ['answerBytes', ['1'], ['0']],
] as const)('queries.%s may be %j, and not %j', (key, taken, refused) => {
  for (const value of taken) expect(Object.keys(queriesOf(withQueries(`{ ${key}: ${value} }`)) ?? {})).toHaveLength(1);
  for (const value of refused) {
    const [mistake, ...others] = mistakesOf(withQueries(`{ ${key}: ${value} }`));
    expect(others).toEqual([]);
    expect(mistake).toMatch(`streams.a.queries.${key}: found`);
  }
});

test('what is no limit of queries is told with what there is', () => {
  expect(mistakesOf(withQueries('{ memoryMb: 100 }'))).toEqual([
    expect.stringContaining('queries.memoryMb: unknown key; did you mean memoryMib?'),
  ]);
  expect(mistakesOf(withQueries('yes please'))).toEqual([
    expect.stringContaining('expected true, false, or a mapping with any of live,'),
  ]);
});
