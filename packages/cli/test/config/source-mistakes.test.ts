import { expect, test } from 'vitest';
import { mistakesOf, parse } from './parsed-config.ts';

const HEAD = 'publicUrl: https://live.example.org/\nstreams:\n  a:\n    source:\n      ';
const HASH = 'a'.repeat(64);

test.each<[what: string, source: string[], mistakes: string[]]>([
  [
    'neither mapping nor preset',
    ['json: http://a/', 'every: 1s'],
    ['5:7 streams.a.source.mapping: found nothing, expected the file of a mapping, a mapping, or preset beside it'],
  ],
  [
    'both mapping and preset',
    ['json: http://a/', 'every: 1s', 'mapping: ./m.yml', 'preset: parkapi'],
    ['8:15 streams.a.source.preset: found "parkapi", expected it or mapping, not both'],
  ],
  [
    'a preset that does not ship',
    ['csv: http://a/', 'every: 1s', 'preset: parking'],
    ['7:15 streams.a.source.preset: found "parking", expected the name of a preset, one of gbfs-station-status,'],
  ],
  [
    'a mapping that is none',
    ['xml: http://a/', 'every: 1s', 'mapping: [a]'],
    ['7:16 streams.a.source.mapping: found a list, expected the file of a mapping, such as ./garages.mapping.yml,'],
  ],
  [
    'limits of documents out of range',
    [
      'json: http://a/',
      'every: 1s',
      'preset: parkapi',
      'limits: { records: 100000001, depth: 1001, pages: 10001, goneShare: 2, entities: 1 }',
    ],
    [
      '8:26 streams.a.source.limits.records: found 100000001, expected an integer from 1 to 100000000',
      '8:44 streams.a.source.limits.depth: found 1001, expected an integer from 1 to 1000',
      '8:57 streams.a.source.limits.pages: found 10001, expected an integer from 1 to 10000',
      '8:75 streams.a.source.limits.goneShare: found 2, expected a number from 0 to 1',
      '8:78 streams.a.source.limits.entities: unknown key; known here: bytes,',
    ],
  ],
  [
    'pages and lookups that are none',
    ['json: http://a/', 'every: 1s', 'preset: parkapi', 'pages: next', 'lookups: { b: c, "d e": "http://a/" }'],
    [
      '8:14 streams.a.source.pages: found "next", expected "link", or a mapping with next',
      '9:21 streams.a.source.lookups.b: found "c", expected an http or https URL of a document',
      '9:24 streams.a.source.lookups.d e: found "d e", expected the name of a lookup of the mapping',
    ],
  ],
  [
    'limits beside several documents',
    ['ndjson: [http://a/, http://b/]', 'every: 1s', 'preset: parkapi', 'limits: { bytes: 1 }'],
    [
      '8:15 streams.a.source.limits: found a mapping, expected it within the entry of its document: it can stand here only where ndjson is one URL',
    ],
  ],
  [
    'GBFS without a feed, and of one without a preset',
    ['gbfs: ftp://a/', 'feed: geofencing_zones'],
    [
      '5:13 streams.a.source.gbfs: found "ftp://a/", expected an http or https URL of gbfs.json',
      '6:13 streams.a.source.feed: found "geofencing_zones", expected one of station_status, vehicle_status,',
    ],
  ],
  [
    'a feed that no preset is for',
    ['gbfs: http://a/', 'feed: vehicle_types'],
    ['5:7 streams.a.source.mapping: found nothing, expected the file of a mapping'],
  ],
  [
    'MQTT that cannot be',
    ['mqtt: http://a/', 'topics: [a/#/b, a+, { filter: a, qos: 2 }]', 'version: 3', 'preset: sensorthings-mqtt'],
    [
      '5:13 streams.a.source.mqtt: found "http://a/", expected the URL of a broker',
      '6:16 streams.a.source.topics.0: found "a/#/b", expected a topic filter',
      '6:23 streams.a.source.topics.1: found "a+", expected a topic filter',
      '6:45 streams.a.source.topics.2.qos: found 2, expected 0 or 1',
      '7:16 streams.a.source.version: found 3, expected 4, for MQTT 3.1.1, or 5',
    ],
  ],
  [
    'secrets that are not set',
    ['mqtt: mqtt://a', 'topics: a', 'preset: sensorthings-mqtt', `password: "$\{NO_KEY}"`],
    [`8:17 streams.a.source.password: found "$\{NO_KEY}", expected the environment variable NO_KEY to be set`],
  ],
  [
    'posts without tokens, and tokens that are no hashes',
    ['post: yes', `tokens: [secret, "$\{KEY}"]`],
    [
      '5:13 streams.a.source.post: found "yes", expected true',
      '6:16 streams.a.source.tokens.0: found "secret", expected the SHA-256 of a token',
      `6:24 streams.a.source.tokens.1: found "$\{KEY}", expected the SHA-256 of a token`,
    ],
  ],
  [
    'posts that nobody may send',
    ['post: true', 'tokens: []'],
    ['6:15 streams.a.source.tokens: found a list, expected a list of hashes of tokens'],
  ],
])('%s is refused, with every mistake at its place', (_, source, mistakes) => {
  const found = mistakesOf(`${HEAD}${source.join('\n      ')}\n`);
  const expected = mistakes.map((mistake) => `live.yml:${mistake}`);
  expect(found.map((mistake, index) => mistake.slice(0, expected[index]?.length))).toEqual(expected);
});

test('keys from the environment stand in for themselves', () => {
  const source = `mqtt: mqtt://a\n      topics: a\n      password: "p-$\{KEY}"\n      preset: sensorthings-mqtt\n`;
  expect(parse(`${HEAD}${source}`).streams.a?.source).toMatchObject({
    password: 'p-secret',
    topics: [{ filter: 'a' }],
  });
});

test('durations of MQTT are whole seconds there, rounded up', () => {
  const source =
    'mqtt: mqtt://a\n      topics: a\n      preset: sensorthings-mqtt\n      session: 1.5s\n      keepAlive: 2s\n';
  expect(parse(`${HEAD}${source}`).streams.a?.source).toMatchObject({ sessionExpirySeconds: 2, keepAliveSeconds: 2 });
});

test('a post needs no more than a token', () => {
  expect(parse(`${HEAD}post: true\n      tokens: [${HASH}]\n`).streams.a?.source).toEqual({
    kind: 'post',
    tokenHashes: [HASH],
  });
});

test('MQTT-25 one session of a broker is not that of two streams', () => {
  const stream = (name: string, ...lines: string[]) =>
    [
      `  ${name}:`,
      '    source:',
      ...[...lines, 'topics: a', 'preset: sensorthings-mqtt'].map((line) => `      ${line}`),
    ].join('\n');
  const of = (...streams: string[]) => `publicUrl: https://live.example.org/\nstreams:\n${streams.join('\n')}\n`;
  const first = stream('a', 'mqtt: mqtt://Broker.example', 'clientId: city');
  expect(mistakesOf(of(first, stream('b', 'mqtt: mqtt://u:p@broker.example:1883', 'clientId: city')))).toEqual([
    'live.yml:12:17 streams.b.source.clientId: found "city", expected another one than that of the stream a, which is at the same broker, or none',
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
