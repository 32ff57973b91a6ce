import { createMemoryStore } from '@ldes-live/log';
import { expect, test } from 'vitest';
import { parseConfig } from '../src/config/parse-config.ts';
import { openStreams } from '../src/serve/open-streams.ts';
import { configPlan } from '../src/serve/serve-plan.ts';

/** Opens the streams of a configuration with this source. */
function open(source: string) {
  const text = `publicUrl: http://live.example/\nstore: memory\nstreams: { a: { source: ${source} } }`;
  const store = createMemoryStore({ clock: () => 0, random: () => 0 });
  const plan = configPlan(parseConfig(text, 'live.yml', {}), 'live.yml');
  return openStreams(plan, store, { clock: () => 0, onPoll: () => {} });
}

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
