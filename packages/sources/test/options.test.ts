import { expect, test } from 'vitest';
import { createGbfsSource } from '../src/documents/gbfs.ts';
import { createHttpSource } from '../src/documents/http-source.ts';
import { createGtfsRtSource } from '../src/gtfs/realtime-source.ts';
import { compileMapping } from '../src/mapping/compile.ts';
import { createMqttSource } from '../src/mqtt/source.ts';
import { checkFeedUrl, checkHeaders, parsedUrl, printableUrl } from '../src/options.ts';

const urls = { publicUrl: 'https://live.example.org/', streamUrl: 'https://live.example.org/things' };
const mapping = compileMapping({ subject: '{+stream}/{id}', properties: [] }, urls);
const named = { ...mapping, lookups: { names: { key: 'id', by: 'id' } } };
const http = { url: 'https://city.example/a.json', mapping };
const mqtt = { url: 'mqtt://broker.example', clientId: 'c', topics: [{ filter: 'a' }], mapping };

/** Each source with options that are changed. */
const sources: Readonly<Record<string, (changes: object) => unknown>> = {
  'GTFS-RT': (changes) => createGtfsRtSource({ ...http, ...urls, intervalMs: 20_000, ...changes }),
  HTTP: (changes) => createHttpSource({ ...http, ...changes }),
  GBFS: (changes) => createGbfsSource({ ...http, feed: 'station_status', ...changes }),
  MQTT: (changes) => createMqttSource({ ...mqtt, ...changes }),
};
const make = (source: string, changes: object) => (sources[source] as (changes: object) => unknown)(changes);

function expectRefused(source: string, option: string, changes: object) {
  const details = expect.objectContaining({ option });
  expect(() => make(source, changes), option).toThrow(expect.objectContaining({ code: 'ERR_SOURCE_OPTION', details }));
}

const DAY_MS = 86_400_000;
const times = { limitHeadersMs: [1, DAY_MS], limitBodyMs: [1, DAY_MS] };
const polled = { ...times, limitRedirects: [0, 100], limitGoneShare: [0, 1] };
const documents = { ...polled, limitPages: [1, 10_000], limitDepth: [1, 1000], limitRecords: [1], limitBytes: [1] };
const feeds = { limitDepth: [6], limitEntities: [1], limitEntityBytes: [1], limitUnknownNames: [0] };
const messages = { limitWaitingMessages: [1, 65_535], limitWaitingBytes: [1024], limitBatchMessages: [1, 65_535] };
const packets = { limitPacketBytes: [1024, 268_435_460], limitTopicAliases: [0, 65_535], limitConnectMs: [1, DAY_MS] };

/** The least and the most of options, by the option that holds them. */
test.each<[source: string, holder: string, ranges: Record<string, number[]>]>([
  ['GTFS-RT', '', { intervalMs: [1, DAY_MS] }],
  ['GTFS-RT', 'limits', { ...polled, limitBytes: [1], ...feeds }],
  ['HTTP', '', { intervalMs: [1, DAY_MS], minIntervalMs: [1, DAY_MS], maxIntervalMs: [5000, DAY_MS] }],
  ['HTTP', 'limits', documents],
  ['GBFS', '', { intervalMs: [1, DAY_MS], discoveryIntervalMs: [1, DAY_MS] }],
  ['MQTT', '', { sessionExpirySeconds: [0, 4_294_967_295], keepAliveSeconds: [1, 65_535] }],
  ['MQTT', 'reconnect', { baseMs: [1] }],
  ['MQTT', 'limits', { ...packets, ...messages }],
])('%s numbers %s are taken at the ends of their ranges alone', (source, holder, ranges) => {
  for (const [name, [least = 0, most]] of Object.entries(ranges)) {
    const changed = (value: number) => (holder ? { [holder]: { [name]: value } } : { [name]: value });
    const option = holder === 'reconnect' ? `reconnect.${name}` : name;
    const [step, between] = name === 'limitGoneShare' ? [0.01, -1] : [1, 0.5];
    for (const value of [least, most ?? least]) make(source, changed(value));
    for (const value of [least - step, least + between, Number.NaN, (most ?? Number.POSITIVE_INFINITY) + step]) {
      expectRefused(source, option, changed(value));
    }
  }
});

const often = { names: { url: http.url, intervalMs: 0 } };
const filters = (count: number) => Array.from({ length: count }, (_, index) => ({ filter: `t/${index}` }));

type Wrong = [source: string, option: string, changes: object];

test.each<Wrong>([
  ...['feed.pb', 'ftp://feed.example/', ''].flatMap((url): Wrong[] =>
    ['GTFS-RT', 'HTTP', 'GBFS'].map((source) => [source, 'url', { url }]),
  ),
  ['GTFS-RT', 'headers["a b"]', { headers: { 'a b': 'c' } }],
  ['HTTP', 'headers["a b"]', { headers: { 'a b': 'c' } }],
  ['HTTP', 'pages.next', { pages: { next: 'a..b' } }],
  ['HTTP', 'pages.next', { pages: { next: 'links[*]' } }],
  ['HTTP', 'lookups', { lookups: { names: { url: 'https://city.example/b.json' } } }],
  ['HTTP', 'lookups["names"]', { mapping: named }],
  ['HTTP', 'lookups["names"].url', { mapping: named, lookups: { names: { url: 'names.json' } } }],
  ['HTTP', 'lookups["names"].intervalMs', { mapping: named, lookups: often }],
  ['GBFS', 'feed', { feed: 'stations' }],
  ['GBFS', 'lookups["names"]', { mapping: named }],
  ...['broker.example', 'http://broker.example', 'mqtt://broker.example/path', 'mqtt://broker.example?x'].map(
    (url): Wrong => ['MQTT', 'url', { url }],
  ),
  ...['', 'x'.repeat(65_536), 'a\0'].map((clientId): Wrong => ['MQTT', 'clientId', { clientId }]),
  ['MQTT', 'version', { version: 3 }],
  ['MQTT', 'topics.length', { topics: [] }],
  ['MQTT', 'topics.length', { topics: filters(1001) }],
  ['MQTT', 'topics[0].filter', { topics: [{ filter: 'a/#/b' }] }],
  ['MQTT', 'topics[1].filter', { topics: [{ filter: 'a' }, { filter: 'a' }] }],
  ['MQTT', 'topics[0].qos', { topics: [{ filter: 'a', qos: 2 }] }],
  ['MQTT', 'emptyPayload', { emptyPayload: 'maybe' }],
  ['MQTT', 'reconnect.maxMs', { reconnect: { maxMs: DAY_MS + 1 } }],
  ['MQTT', 'reconnect.maxMs', { reconnect: { baseMs: 100, maxMs: 99 } }],
  ['MQTT', 'username', { username: 'x'.repeat(65_536) }],
  ['MQTT', 'password', { password: 'p', version: 4 }],
])('%s the option %s is checked', (source, option, changes) => {
  expectRefused(source, option, changes);
});

test.each<[changes: object]>([
  [{ url: 'mqtt://broker.example:1883/' }],
  [{ url: 'mqtts://[::1]:9' }],
  [{ clientId: 'x'.repeat(65_535) }],
  [{ topics: filters(1000) }],
  [{ reconnect: { baseMs: 1, maxMs: 1 } }],
  [{ reconnect: { maxMs: DAY_MS } }],
  [{ password: 'p' }],
])('%.60j is taken', (changes) => {
  expect(createMqttSource({ ...mqtt, ...changes }).origin).toMatch(/^mqtts?:/);
});

test.each([
  { url: 'mqtt://ann:secret@b/path?secret' },
  { url: 'ann:secret@b' },
  { username: 'ann', password: 'secret\0' },
])('MQTT-2 %j is refused without its password', (changes) => {
  const hidden = expect.objectContaining({ message: expect.not.stringContaining('secret') });
  expect(() => createMqttSource({ ...mqtt, ...changes })).toThrow(hidden);
});

test('sources can be made without an edge, and are named by their URLs', () => {
  const url = 'https://u:p@city.example/a.json?key=1';
  const source = createHttpSource({ ...http, url });
  expect([source.origin, source.schedule()]).toEqual(['https://city.example/a.json', { kind: 'unknown' }]);
  const bikes = createGbfsSource({ ...http, url, feed: 'station_status' });
  expect(bikes.origin).toBe('https://city.example/a.json#station_status');
});

test.each([
  ['htp://user:s3cret@feed.example/a?key=s3cret#s3cret', 'htp://feed.example/a'],
  ['http://user:s3cret@feed example/a?key=s3cret', 'http://feed example/a'],
  ['user:s3cret@feed.example/a', 'feed.example/a'],
])('GTFS-30 a URL that cannot be read is shown without what may be a key: %s', (value, shown) => {
  expect(() => checkFeedUrl('url', value)).toThrow(`The option url is "${shown}": give`);
});

test.each([
  ['x key', 's3cret'],
  ['x-key', 's3cret\nx'],
])('GTFS-30 a header field that HTTP cannot carry is named, and its value is not: %s', (name, value) => {
  checkHeaders('headers', { 'x-api-key': 'abc' });
  const details = expect.objectContaining({ option: `headers["${name}"]` });
  const message = expect.not.stringContaining('s3cret');
  const error = expect.objectContaining({ code: 'ERR_SOURCE_OPTION', message, details });
  expect(() => checkHeaders('headers', { [name]: value })).toThrow(error);
});

test('GTFS-30 a URL is shown without query, fragment and user', () => {
  const url = new URL('https://user:pass@feed.example:8443/a/b.pb?key=1#x');
  expect(printableUrl(url)).toBe('https://feed.example:8443/a/b.pb');
});

test.each([
  ['https://münchen.example/straße', undefined],
  ['//münchen.example/straße', 'https://h.example/'],
  ['a', 'https://münchen.example/'],
])('%j, beside %j, is a URL however often it is asked', (text, base) => {
  let refused = 0;
  for (let time = 0; time < 20_000; time += 1) if (!parsedUrl(text, base)) refused += 1;
  expect(refused).toBe(0);
});

test.each(['', 'a', '//h.example/', 'http://', 'http://[::1', 'http://h.example:99999/'])('%j is no URL', (text) => {
  expect(parsedUrl(text)).toBeUndefined();
});
