import { createMemoryStore } from '@ldes-live/log';
import { expect, test } from 'vitest';
import { streamFiles } from '../src/config/files/stream-files.ts';
import { parseConfig } from '../src/config/parse-config.ts';
import type { SourceConfig } from '../src/config/sources/source-schema.ts';
import { openStreams } from '../src/serve/open-streams.ts';
import { configPlan } from '../src/serve/serve-plan.ts';

/** Opens the streams of a configuration with this source. */
async function open(source: string) {
  const text = `publicUrl: http://live.example/\nstore: memory\nstreams: { a: { source: ${source} } }`;
  const store = createMemoryStore({ clock: () => 0, random: () => 0 });
  const parsed = parseConfig(text, 'live.yml', {});
  const problems: string[] = [];
  const place = {
    ...parsed,
    configFile: 'live.yml',
    name: 'a',
    source: parsed.config.streams.a?.source as SourceConfig,
  };
  const files = { a: await streamFiles(place, problems) };
  expect(problems).toEqual([]);
  const plan = configPlan({ ...parsed, files }, 'live.yml');
  return openStreams(plan, store, { clock: () => 0, onPoll: () => {} });
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
  expect(stream?.live.sources().map(({ origin }) => origin)).toEqual(origins);
  expect(stream?.live.shape?.iri).toMatch(/^http:\/\/live\.example\/a\/shape#/);
  expect(stream?.live.ingest).toBeUndefined();
});

test('a break-even that is stated is that of the stream', async () => {
  const source = '{ json: "http://a/", every: 1s, preset: parkapi }';
  const [stated] = await open(`${source}, breakEven: 82.5s`);
  expect(stated?.live.breakEvenSeconds).toBe(82.5);
  const [silent] = await open(source);
  expect(silent?.live).not.toHaveProperty('breakEvenSeconds');
});

test('a stream that takes posts has no source, and learns its schedule', async () => {
  const hash = 'a'.repeat(64);
  const [stream] = await open(`{ post: true, tokens: [${hash}], limits: { depth: 3 } }`);
  expect(stream?.sources).toEqual([]);
  expect(stream?.live).toMatchObject({ ingest: { tokenHashes: [hash], limits: { limitDepth: 3 } } });
  expect(stream?.live).not.toHaveProperty('schedule');
  expect(stream?.live).not.toHaveProperty('shape');
});

test('feeds have the names that they are given, or those of their URLs', async () => {
  const [stream] = await open('{ every: 1s, gtfsRt: ["http://a/vp.pb?key=1", { url: "http://b/", origin: b }] }');
  expect(stream?.live.sources().map(({ origin }) => origin)).toEqual(['http://a/vp.pb', 'b']);
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
