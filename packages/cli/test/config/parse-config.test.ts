import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { configPlan } from '../../src/serve/plan.ts';
import { HEAD, mistakesOf, parse, source } from './parsed-config.ts';

describe('a configuration', () => {
  test('is read with its defaults', () => {
    const text = `${HEAD}streams:\n  vehicles:\n    source: { gtfsRt: https://agency.example/vp.pb, every: 20s }\n`;
    expect(parse(text)).toEqual({
      publicUrl: 'https://live.example.org/',
      store: './data',
      streams: {
        vehicles: { source: { kind: 'gtfsRt', feeds: [{ url: 'https://agency.example/vp.pb' }], everyMs: 20_000 } },
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
            everyMs: 90_000,
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

test.each<[what: string, text: string, mistakes: string[]]>([
  ['nothing at all', '', ['live.yml:1:1 found nothing, expected a mapping with publicUrl and streams']],
  [
    'a missing key',
    `streams: { a: { ${source} } }`,
    ['live.yml:1:1 publicUrl: found nothing, expected the http or https URL that readers reach the server at,'],
  ],
  [
    'a URL without its slash',
    `publicUrl: https://live.example.org\nstreams: { a: { ${source} } }`,
    ['live.yml:1:12 publicUrl: found "https://live.example.org", expected the http or https URL'],
  ],
  ['broken YAML', `${HEAD}streams: [`, ['live.yml:2:11 Flow sequence in block collection must be']],
  ['a key given twice', `${HEAD}store: a\nstore: b\n`, ['live.yml:3:1 Map keys must be unique']],
  ['no streams', `${HEAD}streams: {}`, ['live.yml:2:10 streams: found a mapping, expected at least one stream']],
  [
    'a misspelt key',
    `${HEAD}stroe: ./data\nstreams: { a: { ${source} } }`,
    ['live.yml:2:1 stroe: unknown key; did you mean store?'],
  ],
  [
    'a store over another network',
    `${HEAD}store: redis://host:4222\nstreams: { a: { ${source} } }`,
    [
      'live.yml:2:8 store: found "redis://host:4222", expected a folder, such as ./data, memory, or the URL of a NATS server',
    ],
  ],
  [
    'a store at NATS servers with more than an address',
    `${HEAD}store: [nats://a:4222, "nats://me:secret@b", tls://c/d, 5]\nstreams: { a: { ${source} } }`,
    [
      'live.yml:2:24 store.1: found "nats://me:secret@b", expected the URL of a NATS server, such as nats://host:4222',
      'live.yml:2:46 store.2: found "tls://c/d", expected the URL of a NATS server',
      'live.yml:2:57 store.3: found 5, expected the URL of a NATS server',
    ],
  ],
  [
    'a store that is nothing',
    `${HEAD}store: []\nstreams: { a: { ${source} } }`,
    ['live.yml:2:8 store: found a list, expected at least one URL'],
  ],
  [
    'a store that is a number',
    `${HEAD}store: 5\nstreams: { a: { ${source} } }`,
    ['live.yml:2:8 store: found 5, expected a folder'],
  ],
  [
    'how NATS keeps what it does not keep',
    `${HEAD}store: ./data\nnats: { replicas: 3 }\nnode: a\nstreams: { a: { ${source} } }`,
    [
      'live.yml:3:7 nats: found a mapping, expected it beside a store at NATS servers only, such as store: nats://host:4222',
      'live.yml:4:7 node: found "a", expected it beside a store at NATS servers only',
    ],
  ],
  [
    'what NATS cannot keep, and a node without a name',
    `${HEAD}store: nats://a\nnats: { replicas: 2, credentials: "", stream: a.b, data: " ", servers: 3 }\nnode: "\${NODE}"\nstreams: { a: { ${source} } }`,
    [
      'live.yml:3:19 nats.replicas: found 2, expected 1, 3 or 5',
      'live.yml:3:35 nats.credentials: found "", expected a file of credentials',
      'live.yml:3:47 nats.stream: found "a.b", expected a name of 1 to 32',
      'live.yml:3:58 nats.data: found " ", expected a folder',
      'live.yml:3:63 nats.servers: unknown key; known here: replicas, credentials, stream, data',
      `live.yml:4:7 node: found "\${NODE}", expected the environment variable NODE to be set`,
    ],
  ],
  [
    'names that cannot be',
    `${HEAD}streams:\n  Bus: { ${source} }\n  health: { ${source} }\n  ${'a'.repeat(65)}: { ${source} }\n`,
    [
      'live.yml:3:3 streams.Bus: found "Bus", expected a name of 1 to 64',
      'live.yml:4:3 streams.health: found "health", expected a name',
      `live.yml:5:3 streams.${'a'.repeat(65)}: found`,
    ],
  ],
  [
    'a duration without a unit',
    `${HEAD}streams:\n  a:\n    source:\n      gtfsRt: http://a.example/\n      every: 20\n`,
    ['live.yml:6:14 streams.a.source.every: found 20, expected a duration from 100ms to 24h with its unit'],
  ],
  [
    'a source of no kind',
    `${HEAD}streams:\n  a:\n    source: { soap: "http://a/", every: 20s }\n  b: { source: http://a/ }\n`,
    [
      'live.yml:4:13 streams.a.source: found a mapping, expected a mapping with one of gtfsRt, gtfs, json, ',
      'live.yml:5:16 streams.b.source: found "http://a/", expected a mapping with one of',
    ],
  ],
  [
    'a feed that is no URL',
    `${HEAD}streams: { a: { source: { gtfsRt: feed.pb, every: 20s } } }`,
    ['live.yml:2:35 streams.a.source.gtfsRt: found "feed.pb", expected an http or https URL'],
  ],
  [
    'the parts of a lone feed',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt:\n        url: 12\n        header: {}\n`,
    [
      'live.yml:7:14 streams.a.source.gtfsRt.url: found 12, expected an http or https URL',
      'live.yml:8:9 streams.a.source.gtfsRt.header: unknown key; did you mean headers?',
    ],
  ],
  [
    'header fields',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt:\n        url: http://a/\n        headers:\n          x-key: \${NO_KEY}\n          x-other: "a\\nb"\n          "a b": c\n`,
    [
      `live.yml:9:18 streams.a.source.gtfsRt.headers.x-key: found "$\{NO_KEY}", expected the environment variable NO_KEY to be set`,
      'live.yml:10:20 streams.a.source.gtfsRt.headers.x-other: found "a\\nb", expected the text of an HTTP header field',
      'live.yml:11:11 streams.a.source.gtfsRt.headers.a b: found "a b", expected the name of an HTTP header field',
    ],
  ],
  [
    'keys of no field',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt: { url: "http://a/", keys: { trips: [a], trip: [], vehicle: [1] } }\n`,
    [
      'live.yml:6:43 streams.a.source.gtfsRt.keys.trips: unknown key; did you mean trip?',
      'live.yml:6:61 streams.a.source.gtfsRt.keys.trip: found a list, expected a list of field names',
      'live.yml:6:75 streams.a.source.gtfsRt.keys.vehicle.0: found 1, expected the name of a field',
    ],
  ],
  [
    'limits out of range',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt: http://a/\n      limits:\n        bytes: 0\n        headers: 0ms\n        body: 24.001h\n        redirects: 101\n        entities: 0\n        depth: 5\n        goneShare: 1.1\n`,
    [
      'live.yml:8:16 streams.a.source.limits.bytes: found 0, expected an integer of at least 1',
      'live.yml:9:18 streams.a.source.limits.headers: found "0ms", expected a duration from 1ms to 24h with its unit',
      'live.yml:10:15 streams.a.source.limits.body: found "24.001h", expected a duration from 1ms to 24h with its unit',
      'live.yml:11:20 streams.a.source.limits.redirects: found 101, expected an integer from 0 to 100',
      'live.yml:12:19 streams.a.source.limits.entities: found 0, expected an integer of at least 1',
      'live.yml:13:16 streams.a.source.limits.depth: found 5, expected an integer of at least 6',
      'live.yml:14:20 streams.a.source.limits.goneShare: found 1.1, expected a number from 0 to 1',
    ],
  ],
  [
    'templates, names and flags that are none',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt:\n        - url: http://a/\n          origin: a b\n          iris: { stops: "", trip: 1 }\n          publishLicensePlates: yes\n        - url: http://b/\n          origin: "${'x'.repeat(101)}"\n`,
    [
      'live.yml:8:19 streams.a.source.gtfsRt.0.origin: found "a b", expected a name of 1 to 100 visible characters',
      'live.yml:9:19 streams.a.source.gtfsRt.0.iris.stops: unknown key; did you mean stop?',
      'live.yml:9:36 streams.a.source.gtfsRt.0.iris.trip: found 1, expected an IRI template in quotes',
      'live.yml:10:33 streams.a.source.gtfsRt.0.publishLicensePlates: found "yes", expected true or false',
      'live.yml:12:19 streams.a.source.gtfsRt.1.origin: found "xxx',
    ],
  ],
  [
    'one name for two feeds',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt:\n        - { url: "http://a/", origin: a }\n        - http://a/\n        - { url: "http://b/", origin: a }\n`,
    ['live.yml:9:39 streams.a.source.gtfsRt.2.origin: found "a", expected a name that no other feed of the stream has'],
  ],
  [
    'what holds for a feed, beside several',
    `${HEAD}streams:\n  a:\n    source:\n      every: 20s\n      gtfsRt: [http://a/, http://b/]\n      limits: { bytes: 1 }\n      origin: a\n`,
    [
      'live.yml:7:15 streams.a.source.limits: found a mapping, expected it within the entry of its feed: it can stand here only where gtfsRt is one URL',
      'live.yml:8:15 streams.a.source.origin: found "a", expected it within the entry',
    ],
  ],
])('%s is refused, with every mistake at its place', (_, text, mistakes) => {
  const found = mistakesOf(text);
  expect(found.map((mistake, index) => mistake.slice(0, mistakes[index]?.length))).toEqual(mistakes);
});

test('the error says how many mistakes the file has', () => {
  expect(() => parse('publicUrl: x\nstreams: 1')).toThrow(/^The configuration live.yml has 2 mistakes/);
  expect(() => parse('')).toThrow(/^The configuration live.yml has a mistake;/);
});
