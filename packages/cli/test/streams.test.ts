import { createMemoryStore } from '@ldes-live/log';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../src/config/parse-config.ts';
import { readConfig } from '../src/config/read-config.ts';
import { configPlan } from '../src/serve/plan.ts';
import { feedOrigins, openStreams, preparedStreams, Reloader } from '../src/serve/streams.ts';
import { configFile } from './run-command.ts';

/** Opens the streams of a configuration with this source. */
async function open(source: string) {
  const text = `publicUrl: http://live.example/\nstore: memory\nstreams: { a: { source: ${source} } }`;
  const file = await configFile(text);
  const store = createMemoryStore({ clock: () => 0, random: () => 0 });
  return openStreams(preparedStreams(configPlan(await readConfig(file, {}), file)), store);
}

test.each([
  ['{ json: "http://a/b?key=1", every: 1s, preset: parkapi }', ['http://a/b']],
  [
    '{ csv: [http://a/, { url: "http://b/", origin: c }], every: 1s, mapping: { subject: "{+base}{id}", properties: [] } }',
    ['http://a/', 'c'],
  ],
  ['{ gbfs: "http://a/gbfs.json", feed: station_status }', ['http://a/gbfs.json#station_status']],
  ['{ gbfs: "http://a/gbfs.json", feed: vehicle_status, every: 5s, origin: b }', ['b']],
  ['{ sensorThings: "http://a/v1.1/", every: 1s }', ['http://a/v1.1/']],
  ['{ mqtt: "mqtt://u:p@a", topics: b, preset: sensorthings-mqtt, limits: { connect: 1s } }', ['mqtt://a']],
])('a stream of %s has its source, and the shape of its mapping', async (source, origins) => {
  const [stream] = await open(source);
  expect(stream?.live.sources?.map(({ origin }) => origin)).toEqual(origins);
  expect(stream?.live.shape?.iri).toMatch(/^http:\/\/live\.example\/a\/shape#/);
  expect(stream?.live.ingest).toBeUndefined();
});

test('a stream that takes posts has no source, and learns its schedule', async () => {
  const hash = 'a'.repeat(64);
  const [stream] = await open(`{ post: true, tokens: [${hash}], limits: { depth: 3 } }`);
  expect(stream?.live.sources).toEqual([]);
  expect(stream?.live).toMatchObject({ ingest: { tokenHashes: [hash], limits: { limitDepth: 3 } } });
  expect(stream?.live).not.toHaveProperty('schedule');
  expect(stream?.live).not.toHaveProperty('shape');
});

test('feeds have the names that they are given, or those of their URLs', async () => {
  const [stream] = await open('{ every: 1s, gtfsRt: ["http://a/vp.pb?key=1", { url: "http://b/", origin: b }] }');
  expect(stream?.live.sources?.map(({ origin }) => origin)).toEqual(['http://a/vp.pb', 'b']);
});

test.each([
  ['keys: { trip: [nonsense] }', 'ERR_KEY_FIELD', 'http://b/'],
  ['iris: { stop: "http://a/stops" }', 'ERR_IRI_TEMPLATE', 'http://b/'],
  ['iris: { stop: "" }', 'ERR_IRI_TEMPLATE', 'http://b/'],
  ['origin: second, iris: { stop: "{+nowhere}{id}" }', 'ERR_IRI_TEMPLATE', 'second'],
])('a feed with %s is refused by %s, which names stream and feed', async (options, code, origin) => {
  const opening = open(`{ every: 1s, gtfsRt: ["http://a/", { url: "http://b/?key=1", ${options} }] }`);
  await expect(opening).rejects.toMatchObject({
    code,
    message: expect.stringMatching(`^Stream a, feed ${origin}: (The template )?"`),
    details: { stream: 'a', origin },
  });
});

const plan = (text: string) =>
  configPlan({ ...parseConfig(`publicUrl: http://a.example/\n${text}`, 'live.yml', {}), files: {} }, '/etc/live.yml');
const source = 'source: { gtfsRt: "http://a/", every: 1s }';

describe('a plan', () => {
  test('holds what is said of each stream, and nothing of what is not said', () => {
    const { streams, store } = plan(`streams: { a: { ${source} } }`);
    expect(streams).toEqual([
      { name: 'a', title: 'a', about: {}, source: { kind: 'gtfsRt', feeds: [{ url: 'http://a/' }], intervalMs: 1000 } },
    ]);
    expect(store).toEqual({ path: '/etc/data' });
  });

  test('has what a stream says of its updates and of what it keeps', () => {
    const { streams } = plan(
      `streams:\n  a: { ${source}, updates: { every: 15m }, breakEven: 80s, retention: { versions: 1, history: 7d } }\n`,
    );
    expect(streams).toMatchObject([
      { updates: { everyMs: 900_000 }, breakEvenSeconds: 80, retention: { versionAmount: 1, fullLogMs: 604_800_000 } },
    ]);
  });
});

const originsOf = (...urls: string[]) => feedOrigins(urls.map((url) => ({ url })));

test('feeds are named by their URLs without query, fragment and user', () => {
  expect(originsOf('https://user:secret@a.example/vp.pb?key=secret#part', 'http://a.example:81/')).toEqual([
    'https://a.example/vp.pb',
    'http://a.example:81/',
  ]);
});

test('feeds that differ in their queries only are numbered', () => {
  expect(originsOf('http://a/?line=1', 'http://b/', 'http://a/?line=2', 'http://a/?line=3')).toEqual([
    'http://a/',
    'http://b/',
    'http://a/#2',
    'http://a/#3',
  ]);
});

test('a given name is kept, and no other feed gets it', () => {
  const feeds = [{ url: 'http://a/' }, { url: 'http://a/?2' }, { url: 'http://b/', origin: 'http://a/' }];
  expect(feedOrigins(feeds)).toEqual(['http://a/#2', 'http://a/#3', 'http://a/']);
});

test('DOC-93 a certificate that came with what could not be used is exchanged once that can be', async () => {
  const store = createMemoryStore({ clock: () => 0, random: () => 0 });
  const said = (cert: string, publicUrl = 'https://live.example/') => {
    const tls = { cert, key: 'key' };
    return { publicUrl, store: 'memory' as const, tls, streams: [] };
  };
  const present: string[] = [];
  const refused = new Set<string>();
  let read = said('first');
  const reloader = new Reloader({
    ...{ file: 'live.yaml', read: async () => read, publication: read, store, streams: [] },
    server: { logger: { info: () => {}, warn: () => {}, error: () => {} } as never, setStreams: async () => {} },
    front: {
      setTls: ({ cert }) => {
        if (refused.has(String(cert))) throw new Error('it belongs to another key');
        present.push(String(cert));
      },
    },
    onReloaded: () => {},
  });
  const reload = (next: typeof read) => {
    read = next;
    return reloader.reload();
  };
  await reload(said('second', 'https://elsewhere.example/'));
  await reload(said('second'));
  expect(present).toEqual(['second']);
  refused.add('third');
  await reload(said('third'));
  refused.clear();
  await reload(said('third'));
  await reload(said('third'));
  expect(present).toEqual(['second', 'third']);
});
