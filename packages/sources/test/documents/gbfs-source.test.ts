import { expect, test } from 'vitest';
import { createGbfsSource, type GbfsSourceOptions } from '../../src/documents/gbfs.ts';
import { STATED_MARGIN_MS } from '../../src/polling/schedule.ts';
import { loadPreset } from '../../src/presets.ts';
import { ok, status } from '../feed-server.ts';
import { accepted, failed, startPolling } from '../polling.ts';
import { compiled, labelsOf, openAnswers } from './poll-documents.ts';

const mapping = compiled(loadPreset('gbfs-station-status').mapping);
const madeAt = Date.UTC(2024, 1, 8, 12, 59, 50) / 1000;

async function pollGbfs(options: Partial<GbfsSourceOptions> = {}) {
  const { server, answers, asked } = await openAnswers();
  const polling = startPolling((edge) =>
    createGbfsSource({ url: `${server.origin}/gbfs.json`, feed: 'station_status', mapping, ...options }, edge),
  );
  const feeds = (...names: string[]) => names.map((name) => ({ name, url: `${server.origin}/en/${name}.json` }));
  answers.set('/en/station_status.json', ok(stationStatus(5)));
  answers.set('/en/station_information.json', ok(stationInformation('Market')));
  return { ...polling, server, answers, feeds, asked };
}

function stationStatus(bikes: number, lastUpdated = madeAt): string {
  const station = { station_id: '1', num_bikes_available: bikes, num_docks_available: 3, is_installed: 1 };
  return JSON.stringify({ last_updated: lastUpdated, ttl: 30, version: '2.3', data: { stations: [station] } });
}

function stationInformation(name: string): string {
  const station = { station_id: '1', name, lat: 51.05, lon: 3.73, capacity: 8 };
  return JSON.stringify({ last_updated: madeAt, ttl: 3600, version: '2.3', data: { stations: [station] } });
}

const KNOWN = ['system_information', 'station_information', 'station_status'];

test('SRC-24 a discovery document of version 3 leads to the feed', async () => {
  const { answers, feeds, poll, asked, source, server } = await pollGbfs();
  answers.set('/gbfs.json', ok(JSON.stringify({ version: '3.0', data: { feeds: feeds(...KNOWN) } })));
  expect(await poll()).toMatchObject(accepted(1));
  expect(asked()).toEqual(['/gbfs.json', '/en/station_information.json', '/en/station_status.json']);
  expect(source.origin).toBe(`${server.origin}/gbfs.json#station_status`);
});

test.each([
  ['the first language that has the feed', {}, 'en'],
  ['the language that is asked for', { language: 'fr' }, 'fr'],
])('SRC-24 a discovery document before version 3 leads to %s', async (_, options, language) => {
  const { answers, feeds, poll, asked, server } = await pollGbfs(options);
  const french = KNOWN.map((name) => ({ name, url: `${server.origin}/fr/${name}.json` }));
  const data = { nl: { feeds: feeds('system_information') }, en: { feeds: feeds(...KNOWN) }, fr: { feeds: french } };
  answers.set('/gbfs.json', ok(JSON.stringify({ version: '2.3', data })));
  for (const name of KNOWN) answers.set(`/fr/${name}.json`, answers.get(`/en/${name}.json`) ?? status(404));
  expect(await poll()).toMatchObject(accepted(1));
  expect(asked()[2]).toBe(`/${language}/station_status.json`);
});

test('SRC-24 vehicles are found by either of their names', async () => {
  const vehicles = compiled(loadPreset('gbfs-vehicle-status').mapping);
  const { answers, feeds, poll, asked } = await pollGbfs({ feed: 'vehicle_status', mapping: vehicles, lookups: {} });
  const en = { feeds: feeds('free_bike_status', 'vehicle_types') };
  answers.set('/gbfs.json', ok(JSON.stringify({ data: { en } })));
  answers.set('/en/vehicle_types.json', ok('{"data": {"vehicle_types": []}}'));
  answers.set('/en/free_bike_status.json', ok(`{"last_updated": ${madeAt}, "ttl": 30, "data": {"bikes": []}}`));
  expect(await poll()).toMatchObject({ kind: 'accepted', entities: 0 });
  expect(asked().at(-1)).toBe('/en/free_bike_status.json');
});

test.each<[string, unknown, Partial<GbfsSourceOptions>, string]>([
  ['without the feed', { data: { feeds: [{ name: 'system_information', url: '/x' }] } }, {}, 'system_information'],
  ['without the language', { data: { en: { feeds: [] } } }, { language: 'fr' }, 'the languages en'],
  ['that is none', { stations: [] }, {}, 'no feeds'],
  ['that leads elsewhere', { data: { feeds: [{ name: 'station_status', url: 'file:///a' }] } }, {}, 'no feeds'],
])('SRC-24 a discovery document %s fails the poll by name', async (_, document, options, found) => {
  const { answers, poll } = await pollGbfs(options);
  answers.set('/gbfs.json', ok(JSON.stringify(document)));
  expect(await poll()).toMatchObject(failed('ERR_GBFS_FEED', { found }));
});

test('SRC-24 the discovery document is asked for at its own interval, and whenever a poll has failed', async () => {
  const { answers, feeds, poll, asked } = await pollGbfs({ intervalMs: 20_000, discoveryIntervalMs: 60_000 });
  const discovery = (...names: string[]) => ok(JSON.stringify({ data: { feeds: feeds(...names) } }));
  answers.set('/gbfs.json', discovery(...KNOWN));
  const polls: boolean[] = [];
  for (let count = 0; count < 4; count += 1) {
    await poll();
    polls.push(asked().includes('/gbfs.json'));
  }
  expect(polls).toEqual([true, false, false, true]);
  answers.delete('/en/station_status.json');
  expect(await poll()).toMatchObject(failed('ERR_FEED_STATUS'));
  asked();
  answers.set('/gbfs.json', status(500));
  answers.set('/en/station_status.json', ok(stationStatus(6)));
  expect(await poll()).toMatchObject({ kind: 'accepted', upserts: 1, problems: [{ code: 'ERR_FEED_STATUS' }] });
  expect(asked()).toEqual(['/gbfs.json', '/en/station_status.json']);
});

test('SRC-24 a lookup that is named as a feed is that feed of the system, and is mapped anew when it changes', async () => {
  const { answers, feeds, poll, latest, time } = await pollGbfs();
  answers.set('/gbfs.json', ok(JSON.stringify({ data: { feeds: feeds(...KNOWN) } })));
  await poll();
  expect(labelsOf({ latest })).toEqual(['Market']);
  answers.set('/en/station_information.json', ok(stationInformation('Station')));
  time.nowMs += 3_600_000;
  expect(await poll()).toMatchObject(accepted(1));
  expect(labelsOf({ latest })).toEqual(['Station']);
});

test('SRC-19 last_updated and ttl say when a feed is polled', async () => {
  const { answers, feeds, poll, source } = await pollGbfs();
  answers.set('/gbfs.json', ok(JSON.stringify({ data: { feeds: feeds(...KNOWN) } })));
  await poll();
  const nextMs = (madeAt + 30) * 1000 + STATED_MARGIN_MS;
  const [dataAt, nextPollAt] = [madeAt * 1000, nextMs].map((ms) => new Date(ms).toISOString());
  expect(source.health()).toMatchObject({ dataAt, nextPollAt });
});
