import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { expect, onTestFinished, test } from 'vitest';
import { configPlan } from '../src/serve/plan.ts';
import { mistakesOf, parse } from './config/parsed-config.ts';
import { configFile, served } from './run-command.ts';

const of = (...streams: string[]) => `publicUrl: https://live.example.org/\nstreams:\n  ${streams.join('\n  ')}\n`;
const TIMES = 'times: { source: { gtfs: http://a.example/gtfs.zip } }';

test('TT-8 a feed refers to what its timetable publishes, and IRIs that are configured count before', () => {
  const irisOf = (...streams: string[]) => {
    const { source } = configPlan({ config: parse(of(...streams)), files: {} }, '/etc/live.yml').streams[0] ?? {};
    return source?.kind === 'gtfsRt' ? source.feeds.map(({ iris }) => iris) : undefined;
  };
  const route = '{+base}times/entities/routes/{id}';
  const stop = '{+base}times/entities/stops/{id}';
  const agency = '{+base}times/entities/agencies/{id}';
  const feed = (more: string) => `a: { source: { gtfsRt: http://a.example/vp.pb, every: 20s${more} } }`;
  expect(irisOf(feed(', timetable: times'), TIMES)).toEqual([{ route, stop, agency }]);
  expect(irisOf(feed(', timetable: times, iris: { stop: "{+base}{id}" }'), TIMES)).toEqual([
    { route, stop: '{+base}{id}', agency },
  ]);
  const some = TIMES.replace(' }', ', include: [trips, shapes] }');
  const trip = { trip: '{+base}times/entities/trips/{id}', shape: '{+base}times/entities/shapes/{id}' };
  const feeds =
    'a: { source: { gtfsRt: [{ url: http://a.example/, timetable: times }, http://b.example/], every: 1s } }';
  expect(irisOf(feeds, some)).toEqual([trip, undefined]);
});

test('TT-8 a timetable that is not a stream with a timetable for its source is refused', () => {
  const beside = 'a: { source: { gtfsRt: http://a/, every: 1s, timetable: a } }';
  const within = 'b: { source: { gtfsRt: [http://a/, { url: http://b/, timetable: c }], every: 1s } }';
  expect(mistakesOf(of(beside, within, TIMES))).toEqual([
    'live.yml:3:59 streams.a.source.timetable: found "a", expected the name of a stream whose source is a timetable (times)',
    'live.yml:4:67 streams.b.source.gtfsRt.1.timetable: found "c", expected the name of a stream whose source is a timetable (times)',
  ]);
  expect(mistakesOf(of(beside))[0]).toMatch(/\(none yet: add one with source: \{ gtfs: URL \}\)$/);
});

describeRecordings('timetables of real agencies, over HTTP', () => {
  test.each([
    ['bustang/bustang.gtfs.zip', 'bustang/bustang.pb', { routes: 3, stops: 22, trips: 6 }],
    ['raba/raba.zip', 'raba/raba-trip-updates.pb', { routes: 2, stops: 6, trips: 9 }],
    ['raba/raba.zip', 'raba/raba-vehicle-positions.pb', { routes: 1, stops: 1, trips: 1 }],
  ])(
    'TT-7 every route, stop and trip of %s that %s names is a document',
    { timeout: 30_000 },
    async (zip, feed, counts) => {
      const files = await httpServer(({ url = '/' }, response) => void response.end(recording(url.slice(1))));
      onTestFinished(files.close);
      const from = files.url.replace(/\/$/, '');
      const streams = [
        `times: { source: { gtfs: "${from}/${zip}", every: 1h, include: [routes, stops, agencies, trips] } }`,
        `feed: { source: { gtfsRt: "${from}/${feed}", every: 1h, timetable: times } }`,
      ];
      const { base } = await served(await configFile(`store: memory\n${of(...streams)}`));
      const get = (path: string) => fetch(`${base}${path}`, { headers: { accept: 'application/n-quads' } });
      const named = new RegExp(
        `<https://live\\.example\\.org/(times/entities/(${Object.keys(counts).join('|')})/[^>]+)>`,
        'g',
      );
      const references = async () => [...(await (await get('feed/latest')).text()).matchAll(named)];
      await eventually(async () => expect((await references()).length).toBeGreaterThan(0));
      await eventually(async () => expect(await (await get('times/latest')).text()).toContain('#Trip>'));
      const found = new Map<string, Set<string>>();
      for (const [, path = '', part = ''] of await references()) {
        const answer = await get(path);
        expect(await answer.text(), path).toContain(`<https://live.example.org/${path}>`);
        expect(answer.status, path).toBe(200);
        found.set(part, (found.get(part) ?? new Set()).add(path));
      }
      expect(Object.fromEntries([...found].map(([part, paths]) => [part, paths.size]))).toEqual(counts);
    },
  );
});
