import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { createLiveServer } from '@ldes-live/server';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseDuration } from '../../src/config/forms.ts';
import { configPlan } from '../../src/serve/plan.ts';
import { HEAD, isAccepted, mistakesOf, parse, source } from './parsed-config.ts';

describe('a configuration', () => {
  test('is read with its defaults', () => {
    const text = `${HEAD}streams:\n  vehicles:\n    source: { gtfsRt: https://agency.example/vp.pb, every: 20s }\n`;
    expect(parse(text)).toEqual({
      publicUrl: 'https://live.example.org/',
      store: './data',
      streams: {
        vehicles: { source: { kind: 'gtfsRt', feeds: [{ url: 'https://agency.example/vp.pb' }], intervalMs: 20_000 } },
      },
    });
  });

  test.each([
    ['nats://a:4222', 1],
    ['[nats://a:4222, "tls://b.example"]', 1],
    ['[nats://a, nats://b, "nats://[::1]:4222"]', 3],
  ])('may keep its logs at NATS servers: %s', (store, replicas) => {
    const stream = 'streams: { a: { source: { gtfsRt: "http://a/", every: 1s } } }';
    const config = parse(
      `${HEAD}store: ${store}\nnats: { credentials: ./a.creds, stream: T_1-x }\nnode: "n-\${KEY}"\n${stream}`,
    );
    const plan = configPlan({ config, files: {} }, '/etc/ldes/live.yml');
    expect(plan).toMatchObject({
      store: { servers: expect.arrayContaining([expect.stringMatching(/^(nats|tls):/)]) },
      nats: { replicas, credentials: '/etc/ldes/a.creds', stream: 'T_1-x', path: '/etc/ldes/data' },
      node: 'n-secret',
    });
    expect(configPlan({ config: parse(`${HEAD}store: ${store}\n${stream}`), files: {} }, 'live.yml').node).toBe(
      hostname(),
    );
  });

  test('is read with all that it may say', () => {
    const text = `${HEAD}store: memory
licence: https://agency.example/licence
publisher: { name: Agency, iri: "https://agency.example/#us" }
streams:
  rt-1:
    title: Everything
    description: |
      All that we know.

      And more.
    keywords: [trams, public transport]
    licence: urn:x-licence:1
    publisher: { name: Our branch }
    updates: unpredictable
    retention: { versions: 2, versionsFor: 30d, history: 7d, deletes: 0s, from: "2026-01-01T01:00:00.5+01:00" }
    source:
      every: 1.5m
      gtfsRt:
        - https://agency.example/a.pb
        - url: http://agency.example/b.pb
          headers: { x-api-key: "\${KEY}", accept: "a/b" }
          keys: { trip: [trip_id, "1001.1"] }
          origin: second
          limits: { bytes: 1, headers: 1ms, body: 24h, redirects: 0, entities: 1, entityBytes: 1, depth: 6, goneShare: 0 }
          iris: { stop: "{+base}stops/{id}" }
          publishLicensePlates: true
`;
    expect(parse(text)).toMatchObject({
      store: 'memory',
      licence: 'https://agency.example/licence',
      publisher: { name: 'Agency', iri: 'https://agency.example/#us' },
      streams: {
        'rt-1': {
          title: 'Everything',
          description: 'All that we know.\n\nAnd more.\n',
          keywords: ['trams', 'public transport'],
          licence: 'urn:x-licence:1',
          publisher: { name: 'Our branch' },
          updates: 'unpredictable',
          retention: {
            versionAmount: 2,
            versionMs: 2_592_000_000,
            fullLogMs: 604_800_000,
            versionDeleteMs: 0,
            startingFrom: '2026-01-01T00:00:00.500Z',
          },
          source: {
            intervalMs: 90_000,
            feeds: [
              { url: 'https://agency.example/a.pb' },
              {
                url: 'http://agency.example/b.pb',
                headers: { 'x-api-key': 'secret', accept: 'a/b' },
                keys: { trip: ['trip_id', '1001.1'] },
                origin: 'second',
                limits: {
                  limitBytes: 1,
                  limitHeadersMs: 1,
                  limitBodyMs: 86_400_000,
                  limitRedirects: 0,
                  limitEntities: 1,
                  limitEntityBytes: 1,
                  limitDepth: 6,
                  limitGoneShare: 0,
                },
                iris: { stop: '{+base}stops/{id}' },
                publishLicensePlates: true,
              },
            ],
          },
        },
      },
    });
  });

  test.each(['"http://a/"', '{ url: "http://a/" }', '["http://a/"]'])(
    'may say beside the URL of an only feed, %s, what holds for it',
    (gtfsRt) => {
      const beside = 'origin: b, headers: { c: d }, keys: { vehicle: [label] }, limits: { redirects: 1 }';
      const { streams } = parse(`${HEAD}streams: { a: { source: { gtfsRt: ${gtfsRt}, every: 1s, ${beside} } } }`);
      expect(streams.a?.source).toMatchObject({
        feeds: [
          {
            url: 'http://a/',
            origin: 'b',
            headers: { c: 'd' },
            keys: { vehicle: ['label'] },
            limits: { limitRedirects: 1 },
          },
        ],
      });
    },
  );

  test.each(['bytes: 9007199254740991', 'headers: 24h', 'body: 1ms', 'redirects: 100', 'goneShare: 1', 'depth: 7'])(
    'may set the limit %s',
    (limit) => {
      const text = `${HEAD}streams: { a: { source: { gtfsRt: "http://a/", every: 1s, limits: { ${limit} } } } }`;
      expect(() => parse(text)).not.toThrow();
    },
  );

  test.each(['100ms', '24h'])('may ask for a poll every %s', (every) => {
    expect(() => parse(`${HEAD}streams: { a: { source: { gtfsRt: "http://a/", every: ${every} } } }`)).not.toThrow();
  });
});

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
    expect(streamOf(`breakEven: ${breakEven}`)?.breakEvenSeconds).toBe(breakEvenSeconds);
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

interface Faulty {
  readonly what: string;
  readonly by?: 'zod' | 'yaml';
  readonly text: string;
  readonly mistakes: readonly string[];
}

const faulty: readonly Faulty[] = parseYaml(readFileSync(new URL('faulty.yml', import.meta.url), 'utf8'));

test.each(faulty)('$what: refused, with every mistake at its place', ({ text, mistakes, by }) => {
  const found = mistakesOf(text);
  expect(found.map((mistake, index) => mistake.slice(0, mistakes[index]?.length))).toEqual(mistakes);
  if (by !== 'yaml') expect(isAccepted(parseYaml(text))).toBe(by === 'zod');
});

test('the error says how many mistakes the file has', () => {
  expect(() => parse('publicUrl: x\nstreams: 1')).toThrow(/^The configuration live.yml has 2 mistakes/);
  expect(() => parse('')).toThrow(/^The configuration live.yml has a mistake\. Correct it:/);
});

/** A configuration with this said of push, of its web pages, or of the queries of its stream. */
const configOf = (key: string, said: string) =>
  key === 'queries'
    ? `${HEAD}streams: { a: { ${source}, queries: ${said} } }\n`
    : `${HEAD}${key}: ${said}\nstreams: { a: { ${source} } }\n`;
const sourced = (...lines: string[]) => `${HEAD}streams:\n  a:\n    source:\n      ${lines.join('\n      ')}\n`;
const planOf = (text: string) => configPlan({ config: parse(text), files: {} }, '/etc/live.yml');
const queriesOf = (said: string) => planOf(configOf('queries', said)).streams[0]?.queries;

test('queries are off unless they are switched on', () => {
  expect(planOf(configOf('push', '{}')).streams[0]).not.toHaveProperty('queries');
  expect(queriesOf('false')).toBeUndefined();
  expect(queriesOf('true')).toEqual({});
  expect(queriesOf('{}')).toEqual({});
});

test('of push nothing has to be said', () => {
  expect(planOf(configOf('push', '{}')).push).toEqual({});
  expect(planOf(configOf('queries', 'true'))).not.toHaveProperty('push');
});

type Range = readonly [
  place: string,
  key: string,
  option: string,
  taken: readonly string[],
  refused: readonly string[],
];

test.each<Range>([
  ['queries', 'engine', 'engine', ['comunica', 'oxigraph'], ['jena', 'true']],
  ['queries', 'live', 'limitLiveQueries', ['1', '1000'], ['0', '1001']],
  ['queries', 'subscribers', 'limitSubscribers', ['1'], ['0', '1.5']],
  ['queries', 'waiting', 'limitWaitingQueries', ['1'], ['0']],
  ['queries', 'mal', 'limitMalMs', ['1ms', '24h'], ['0ms', '24.001h', '2']],
  ['queries', 'evaluation', 'limitEvaluationMs', ['1ms', '1h'], ['0ms', '1.001h']],
  ['queries', 'loading', 'limitLoadingMs', ['1ms', '1h'], ['0ms', '1.001h']],
  ['queries', 'memoryMib', 'limitMemoryMib', ['64'], ['63', '64MiB']],
  ['queries', 'stall', 'limitStallMs', ['1s', '24h'], ['999ms', '24.001h']],
  ['push', 'heartbeat', 'heartbeatMs', ['1s', '15s'], ['999ms', '15.001s']],
  ['push', 'retry', 'retryMs', ['100ms', '10m'], ['99ms', '10.001m']],
  ['push', 'queueBytes', 'limitQueueBytes', ['1'], ['0', '1.5', '1kB']],
  ['push', 'stall', 'limitStallMs', ['1s', '24h'], ['999ms', '24.001h']],
  ['push', 'connections', 'limitConnections', ['1', '9007199254740991'], ['0', '-1']],
  ['push', 'acceptsPerSecond', 'limitAcceptsPerSecond', ['1'], ['0', '0.5']],
  ['push', 'age', 'limitAgeMs', ['10s', '20d'], ['9.999s', '20.001d', '3600']],
  ['push', 'grace', 'shutdownGraceMs', ['0s', '1h'], ['1.001h', '8']],
])(
  '%s.%s is %s, and may be %j, and not %j; the server takes what it may be',
  async (place, key, option, taken, refused) => {
    for (const value of taken) {
      const { push = {}, streams } = parse(configOf(place, `{ ${key}: ${value} }`));
      expect(Object.keys(place === 'push' ? push : streams.a?.queries || {})).toEqual([option]);
      const server = await createLiveServer({ publicUrl: 'http://localhost/', streams: [], push });
      await server.close();
    }
    for (const value of refused) {
      const text = configOf(place, `{ ${key}: ${value} }`);
      expect(mistakesOf(text)).toEqual([expect.stringMatching(`${place}.${key}: found`)]);
      // JSON Schema knows the form of durations, and the range of numbers.
      expect(isAccepted(parseYaml(text))).toBe(parseDuration(value) !== undefined);
    }
  },
);

test('keys from the environment stand in for themselves', () => {
  const text = sourced('mqtt: mqtt://a', 'topics: a', `password: "p-$\{KEY}"`, 'preset: sensorthings-mqtt');
  expect(parse(text).streams.a?.source).toMatchObject({
    password: 'p-secret',
    topics: [{ filter: 'a' }],
  });
});

test('durations of MQTT are whole seconds there, rounded up', () => {
  const text = sourced('mqtt: mqtt://a', 'topics: a', 'preset: sensorthings-mqtt', 'session: 1.5s', 'keepAlive: 2s');
  expect(parse(text).streams.a?.source).toMatchObject({ sessionExpirySeconds: 2, keepAliveSeconds: 2 });
});

test('a post needs no more than a token', () => {
  const HASH = 'a'.repeat(64);
  expect(parse(sourced('post: true', `tokens: [${HASH}]`)).streams.a?.source).toEqual({
    kind: 'post',
    tokenHashes: [HASH],
  });
});

test('one session of a broker is not that of two streams', () => {
  const stream = (name: string, ...lines: string[]) =>
    [
      `  ${name}:`,
      '    source:',
      ...[...lines, 'topics: a', 'preset: sensorthings-mqtt'].map((line) => `      ${line}`),
    ].join('\n');
  const of = (...streams: string[]) => `publicUrl: https://live.example.org/\nstreams:\n${streams.join('\n')}\n`;
  const first = stream('a', 'mqtt: mqtt://Broker.example', 'clientId: city');
  expect(mistakesOf(of(first, stream('b', 'mqtt: mqtt://u:p@broker.example:1883', 'clientId: city')))).toEqual([
    'live.yml:12:17 streams.b.source.clientId: found "city", expected a different name than the stream a has at the same broker, or no key',
  ]);
  const others = [
    stream('b', 'mqtt: mqtt://broker.example', 'clientId: other'),
    stream('c', 'mqtt: mqtt://broker.example:1884', 'clientId: city'),
    stream('d', 'mqtt: mqtts://broker.example', 'clientId: city'),
    stream('e', 'mqtt: mqtt://broker.example'),
    stream('f', 'mqtt: mqtt://broker.example'),
  ];
  expect(Object.keys(parse(of(first, ...others)).streams)).toHaveLength(6);
});

test.each([
  ['500ms', 500],
  ['20s', 20_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  ['0.5d', 43_200_000],
  ['1.5s', 1500],
  ['1.005s', 1005],
  ['0.001s', 1],
  ['1.001m', 60_060],
  ['0s', 0],
])('%s is %i milliseconds', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test('other texts are not durations', () => {
  const texts = ['', '20 s', ...'20 s -1s +1s 1e3s 20S 1w 1.s .5s 1.2345s 1.5ms 20sec 1234567890s'.split(' ')];
  expect(texts.filter((text) => parseDuration(text) !== undefined)).toEqual([]);
});

test('a configuration with `tls` has a publicUrl of https and no store at NATS servers', () => {
  const tls = 'tls: { cert: ./live.crt, key: ./live.key }\n';
  const streams = `streams: { a: { ${source} } }\n`;
  expect(parse(`${HEAD}${tls}${streams}`).tls).toEqual({ cert: './live.crt', key: './live.key' });
  expect(mistakesOf(`publicUrl: http://live.example.org/\n${tls}${streams}`)).toEqual([
    expect.stringMatching(/publicUrl: found "http:.*expected a URL of https/),
  ]);
  expect(mistakesOf(`${HEAD}${tls}store: nats://a:4222\n${streams}`)).toEqual([
    expect.stringMatching(/tls: found a mapping, expected no key with a store at NATS servers/),
  ]);
});

test('what stands in the place of a key is told by messages alone, since it may be a secret', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  process.on('warning', listen);
  expect(mistakesOf(`${HEAD}streams:\n  a:\n    source: { post: true, tokens: {{ secret }} }\n`)).toHaveLength(1);
  await turn();
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

test.each(['a: { ? [b] : c }', `${'{'.repeat(150)}${'}'.repeat(150)}`])('%s has a key that is no text', (text) => {
  expect(mistakesOf(text)).toEqual([expect.stringContaining('a key is a list or a mapping, expected a text')]);
});
