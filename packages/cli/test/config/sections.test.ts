import { createLiveServer } from '@ldes-live/server';
import { describe, expect, test } from 'vitest';
import { configPlan } from '../../src/serve/plan.ts';
import { HEAD, mistakesOf, parse, source } from './parsed-config.ts';

describe('a stream', () => {
  const streamOf = (rest: string) =>
    parse(`${HEAD}streams: { a: { source: { gtfsRt: "http://a/", every: 1s }, ${rest} } }`).streams.a;

  test.each([
    ['100ms', 100],
    ['15m', 900_000],
    ['366d', 31_622_400_000],
  ])('may say that it is updated every %s', (every, everyMs) => {
    expect(streamOf(`updates: { every: ${every} }`)?.updates).toEqual({ everyMs });
  });

  test.each([
    ['0s', 0],
    ['80s', 80],
    ['366d', 31_622_400],
  ])('may state a break-even of %s', (breakEven, breakEvenSeconds) => {
    expect(streamOf(`breakEven: ${breakEven}`)?.breakEven).toBe(breakEvenSeconds);
  });

  test.each([
    ['versions: 1, history: 7d', { versionAmount: 1, fullLogMs: 604_800_000 }],
    ['history: 1s', { fullLogMs: 1000 }],
    ['history: 36500d', { fullLogMs: 36_500 * 86_400_000 }],
    ['versions: 1, versionsFor: 1s', { versionAmount: 1, versionMs: 1000 }],
    ['versions: 1, deletes: 1ms', { versionAmount: 1, versionDeleteMs: 1 }],
    ['from: 2026-02-28T00:00Z', { startingFrom: '2026-02-28T00:00:00.000Z' }],
    ['from: 2028-02-29T23:30:00-01:00', { startingFrom: '2028-03-01T00:30:00.000Z' }],
  ])('may keep %s', (retention, policy) => {
    expect(streamOf(`retention: { ${retention} }`)?.retention).toEqual(policy);
  });
});

test.each<[what: string, text: string, mistakes: string[]]>([
  [
    'updates that are not understood',
    `${HEAD}streams:\n  a:\n    ${source}\n    updates: sometimes\n`,
    ['live.yml:5:14 streams.a.updates: found "sometimes", expected "unpredictable", a mapping with every such as'],
  ],
  [
    'intervals of updates out of range, and misspelt',
    `${HEAD}streams:\n  a:\n    ${source}\n    updates: { every: 99ms }\n  b:\n    ${source}\n    updates: { every: 367d }\n  c:\n    ${source}\n    updates: { evry: 1s }\n`,
    [
      'live.yml:5:23 streams.a.updates.every: found "99ms", expected a duration from 100ms to 366d with its unit (ms, s, m, h or d)',
      'live.yml:8:23 streams.b.updates.every: found "367d", expected a duration',
      'live.yml:11:14 streams.c.updates.every: found nothing, expected a duration',
      'live.yml:11:16 streams.c.updates.evry: unknown key; did you mean every?',
    ],
  ],
  [
    'a retention whose parts refine nothing',
    `${HEAD}streams:\n  a:\n    ${source}\n    retention: { history: 7d, versionsFor: 1d, deletes: 0s }\n`,
    [
      'live.yml:5:44 streams.a.retention.versionsFor: found "1d", expected versions beside it',
      'live.yml:5:57 streams.a.retention.deletes: found "0s", expected versions beside it',
    ],
  ],
  [
    'a retention out of range',
    `${HEAD}streams:\n  a:\n    ${source}\n    retention:\n      versions: 0\n      versionsFor: 999ms\n      history: 36501d\n      deletes: -1s\n      from: 2026-02-30T00:00:00Z\n      version: 1\n`,
    [
      'live.yml:6:17 streams.a.retention.versions: found 0, expected an integer of at least 1',
      'live.yml:7:20 streams.a.retention.versionsFor: found "999ms", expected a duration from 1s to 36500d',
      'live.yml:8:16 streams.a.retention.history: found "36501d", expected a duration from 1s to 36500d',
      'live.yml:9:16 streams.a.retention.deletes: found "-1s", expected a duration from 0s to 36500d',
      'live.yml:10:13 streams.a.retention.from: found "2026-02-30T00:00:00Z", expected an instant with its timezone',
      'live.yml:11:7 streams.a.retention.version: unknown key; did you mean versions?',
    ],
  ],
  [
    'what a catalogue cannot say',
    `${HEAD}licence: CC BY\npublisher: { iri: "not one" }\nstreams:\n  a:\n    ${source}\n    description: " "\n    keywords: [a, b, a]\n    publisher: Us\n    licence: "http://a/<b>"\n    title: "a\\u0000"\n  b:\n    ${source}\n    keywords: []\n`,
    [
      'live.yml:2:10 licence: found "CC BY", expected an IRI, such as https://creativecommons.org/publicdomain/zero/1.0/',
      'live.yml:3:12 publisher.name: found nothing, expected a name in quotes',
      'live.yml:3:19 publisher.iri: found "not one", expected an IRI, such as https://agency.example/#us',
      'live.yml:7:18 streams.a.description: found " ", expected a text in quotes',
      'live.yml:8:22 streams.a.keywords.2: found "a", expected each word once',
      'live.yml:9:16 streams.a.publisher: found "Us", expected a mapping with a name',
      'live.yml:10:14 streams.a.licence: found "http://a/<b>", expected an IRI',
      'live.yml:11:12 streams.a.title: found "a\\u0000", expected a title in quotes',
      'live.yml:14:15 streams.b.keywords: found a list, expected at least one word',
    ],
  ],
])('%s is refused, with every mistake at its place', (_, text, mistakes) => {
  const found = mistakesOf(text);
  expect(found.map((mistake, index) => mistake.slice(0, mistakes[index]?.length))).toEqual(mistakes);
});

describe('queries schema', () => {
  const withQueries = (queries: string) => `${HEAD}streams: { a: { ${source}, queries: ${queries} } }\n`;
  const queriesOf = (text: string) =>
    configPlan({ config: parse(text), files: {} }, '/etc/live.yml').streams[0]?.queries;

  const ALL = `{ engine: oxigraph, live: 2, subscribers: 100, waiting: 5, mal: 2s, evaluation: 5s, loading: 1m, rows: 1000, quads: 50000, chars: 2000, textChars: 3000,
  memoryMib: 256, queueBytes: 262144, stall: 30s, replayBytes: 100000, answerBytes: 1000000 }`;

  test('queries are off unless they are switched on', () => {
    expect(queriesOf(`${HEAD}streams: { a: { ${source} } }\n`)).toBeUndefined();
    expect(queriesOf(withQueries('false'))).toBeUndefined();
    expect(queriesOf(withQueries('true'))).toEqual({});
    expect(queriesOf(withQueries('{}'))).toEqual({});
  });

  test('limits of queries are read with all that may be said of them, as the library calls them', () => {
    expect(queriesOf(withQueries(ALL))).toEqual({
      engine: 'oxigraph',
      limitLiveQueries: 2,
      limitSubscribers: 100,
      limitWaitingQueries: 5,
      limitMalMs: 2000,
      limitEvaluationMs: 5000,
      limitLoadingMs: 60_000,
      limitRows: 1000,
      limitQuads: 50_000,
      limitQueryChars: 2000,
      limitTextChars: 3000,
      limitMemoryMib: 256,
      limitQueueBytes: 262_144,
      limitStallMs: 30_000,
      limitReplayBytes: 100_000,
      limitAnswerBytes: 1_000_000,
    });
  });

  test.each([
    ['engine', ['comunica', 'oxigraph'], ['jena', 'true']],
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
    for (const value of taken)
      expect(Object.keys(queriesOf(withQueries(`{ ${key}: ${value} }`)) ?? {})).toHaveLength(1);
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
      expect.stringContaining('expected true, false, or a mapping with any of engine, live,'),
    ]);
  });
});

describe('push schema', () => {
  const withPush = (push: string) => `${HEAD}push: ${push}\nstreams: { a: { ${source} } }\n`;

  const ALL = `{ heartbeat: 10s, retry: 2s, queueBytes: 262144, stall: 30s, frameBytes: 1000000, replayBytes: 2000000, replayMembers: 1000,
  narrowing: 5, connections: 200, connectionsPerAddress: 20, acceptsPerSecond: 50, waitingAccepts: 100, age: 30m, grace: 30s }`;

  test('push is read with all that may be said of it, as the server calls it', async () => {
    const { push } = parse(withPush(ALL));
    expect(push).toEqual({
      heartbeatMs: 10_000,
      retryMs: 2000,
      limitQueueBytes: 262_144,
      limitStallMs: 30_000,
      limitFrameBytes: 1_000_000,
      limitReplayBytes: 2_000_000,
      limitReplayMembers: 1000,
      limitNarrowing: 5,
      limitConnections: 200,
      limitConnectionsPerAddress: 20,
      limitAcceptsPerSecond: 50,
      limitWaitingAccepts: 100,
      limitAgeMs: 1_800_000,
      shutdownGraceMs: 30_000,
    });
    expect(configPlan({ config: parse(withPush(ALL)), files: {} }, '/etc/live.yml').push).toEqual(push);
  });

  test('of push nothing has to be said', () => {
    expect(configPlan({ config: parse(withPush('{}')), files: {} }, '/etc/live.yml').push).toEqual({});
    expect(
      configPlan({ config: parse(`${HEAD}streams: { a: { ${source} } }\n`), files: {} }, '/etc/live.yml'),
    ).not.toHaveProperty('push');
  });

  test.each([
    ['heartbeat', ['1s', '15s'], ['999ms', '15.001s']],
    ['retry', ['100ms', '10m'], ['99ms', '10.001m']],
    ['queueBytes', ['1'], ['0', '1.5', '1kB']],
    ['stall', ['1s', '24h'], ['999ms', '24.001h']],
    ['frameBytes', ['1'], ['0']],
    ['replayBytes', ['1'], ['0']],
    ['replayMembers', ['1'], ['0']],
    ['narrowing', ['1'], ['0']],
    ['connections', ['1', '9007199254740991'], ['0', '-1']],
    ['connectionsPerAddress', ['1'], ['0']],
    ['acceptsPerSecond', ['1'], ['0', '0.5']],
    ['waitingAccepts', ['1'], ['0']],
    ['age', ['10s', '20d'], ['9.999s', '20.001d', '3600']],
    ['grace', ['0s', '1h'], ['1.001h', '8']],
  ] as const)('push.%s may be %j, and not %j; the server takes what it may be', async (key, taken, refused) => {
    for (const value of taken) {
      const { push } = parse(withPush(`{ ${key}: ${value} }`));
      const server = await createLiveServer({ publicUrl: 'http://localhost/', streams: [], ...(push && { push }) });
      await server.close();
    }
    for (const value of refused) {
      const [mistake, ...others] = mistakesOf(withPush(`{ ${key}: ${value} }`));
      expect(others).toEqual([]);
      expect(mistake).toMatch(`push.${key}: found`);
    }
  });

  test('a misspelt key of push is told with the one that is meant', () => {
    expect(mistakesOf(withPush('{ conections: 10 }'))).toEqual([
      expect.stringContaining('push.conections: unknown key; did you mean connections?'),
    ]);
    expect(mistakesOf(withPush('fast'))).toEqual([
      expect.stringContaining('expected a mapping with any of heartbeat,'),
    ]);
  });
});
