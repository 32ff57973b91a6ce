import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { createSensorThingsSource } from '../../src/documents/http-source.ts';
import { STATED_MARGIN_MS } from '../../src/polling/schedule.ts';
import { loadPreset } from '../../src/presets.ts';
import { ok, openFeedServer, status } from '../feed-server.ts';
import type { LatestMap } from '../latest-map.ts';
import { accepted, failed, startPolling } from '../polling.ts';
import {
  compiled,
  type DocumentPolling,
  garageMapping,
  garagePage,
  garages,
  HEADERS,
  INTERVAL_MS,
  iterated,
  PATH,
  pollDocuments,
  readingMapping,
  streamUrl,
} from './poll-documents.ts';

test('SRC-1 a document is polled, and what changes in it is handed on', async () => {
  const { poll, latest, source, serve } = await pollDocuments();
  expect(await serve(garages(4, 10))).toMatchObject({
    kind: 'accepted',
    entities: 4,
    upserts: 4,
    deletes: 0,
    problems: [],
  });
  expect(await poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(
    await serve('{"garages": [{"id": "g0", "free": 10}, {"id": "g1", "free": 9}, {"id": "g2", "free": 10}]}'),
  ).toMatchObject(accepted(1, 1));
  expect(latest.entities()).toEqual([0, 1, 2].map((number) => `${streamUrl}/g${number}`));
  expect(source.health()).toMatchObject({ state: 'ok', errors: {} });
});

test.each<[string, Parameters<typeof ok>[0] | 404, string]>([
  ['a web page', '<html>', 'ERR_DOCUMENT_MALFORMED'],
  ['nothing', '', 'ERR_DOCUMENT_MALFORMED'],
  ['a document that breaks off', garages(4, 11).slice(0, -9), 'ERR_DOCUMENT_MALFORMED'],
  ['status 404', 404, 'ERR_FEED_STATUS'],
])('SRC-1 after %s nothing has changed, and the next good poll is taken', async (_, bad, code) => {
  const { answers, poll, latest, source, serve } = await pollDocuments();
  await serve(garages(4, 10), { etag: '"good"' });
  answers.set(PATH, bad === 404 ? status(404) : ok(bad, { etag: '"good"' }));
  expect(await poll()).toMatchObject({ kind: 'failed', error: { code } });
  expect(source.health()).toMatchObject({ state: 'failing', lastError: { code } });
  expect(latest.size).toBe(4);
  expect(await serve(garages(4, 11), { etag: '"good"' })).toMatchObject(accepted(4, 0));
});

test('SRC-2 a record that cannot be mapped is told and left out, its entity stays, and the others are published', async () => {
  const { latest, source, serve } = await pollDocuments();
  await serve(garages(3, 10));
  const event = await serve(
    '{"garages": [{"id": "g0", "free": "many"}, {"id": "g1", "free": 9}, {"id": "g2", "free": 10}]}',
  );
  expect(event).toMatchObject({ kind: 'accepted', upserts: 1, deletes: 0, findings: { 'record-left-out': 1 } });
  expect(event).toMatchObject({ problems: [{ code: 'ERR_MAPPING_RECORD', details: { record: 1, path: 'free' } }] });
  expect(latest.size).toBe(3);
  expect(source.health()).toMatchObject({ state: 'ok', findings: { 'record-left-out': 1 } });
});

test('SRC-28 beside a record without a key nothing ends, and with the next good poll it does', async () => {
  const { answers, poll, latest, serve } = await pollDocuments();
  await serve(garages(3, 10));
  const two = '{"id": "g0", "free": 10}, {"id": "g1", "free": 9}';
  answers.set(PATH, ok(`{"garages": [${two}, {"id": "", "free": 1}]}`));
  const findings = { 'record-left-out': 1, endsWaiting: 1 };
  expect(await poll()).toMatchObject({ kind: 'accepted', upserts: 1, deletes: 0, findings });
  expect(latest.size).toBe(3);
  expect(await serve(`{"garages": [${two}]}`)).toMatchObject({ kind: 'accepted', deletes: 1, findings: {} });
  expect(latest.size).toBe(2);
});

test('MAP-23 a field that is not mapped is told once and counted, also when the document is held back', async () => {
  const { answers, poll, source, serve } = await pollDocuments({ intervalMs: 600_000 });
  expect(await serve(garages(4, 10))).toMatchObject({ kind: 'accepted', findings: {}, problems: [] });
  answers.set(PATH, ok('{"garages": [{"id": "g0", "free": 1, "level": 2, "colour": "red"}]}'));
  const unmapped = { code: 'ERR_MAPPING_UNMAPPED', details: { paths: ['colour', 'level'] } };
  expect(await poll()).toMatchObject({ kind: 'rejected', findings: { unmapped: 2 }, problems: [unmapped] });
  expect(await serve('{"garages": [{"id": "g0", "free": 2, "level": 2, "colour": "red"}]}')).toMatchObject({
    kind: 'accepted',
    findings: { unmapped: 2 },
    problems: [],
  });
  expect(source.health()).toMatchObject({ state: 'ok', findings: { unmapped: 2 }, errors: { ERR_FEED_SHRUNK: 1 } });
  expect(await serve('{"garages": [{"id": "g0", "free": 3}]}')).toMatchObject({ kind: 'accepted', findings: {} });
});

test('MAP-23 a field that is not mapped is told with the poll after one whose data could not be stored', async () => {
  const server = await openFeedServer(ok('{"garages": [{"id": "g0", "free": 1, "level": 2}]}'));
  const { events, iterate, latest } = iterated({ url: server.url, mapping: compiled(garageMapping) });
  const fail = () => {
    throw new RangeError('disk full');
  };
  for (let failure = 0; failure < 2; failure += 1) await expect(iterate(fail)).rejects.toThrow(RangeError);
  expect(events).toEqual([]);
  await iterate((batch) => latest.append(batch));
  server.answer = ok('{"garages": [{"id": "g0", "free": 2, "level": 2}]}');
  await iterate((batch) => latest.append(batch));
  const unmapped = { code: 'ERR_MAPPING_UNMAPPED', details: { paths: ['level'] } };
  expect(events).toMatchObject([
    { kind: 'accepted', problems: [unmapped] },
    { kind: 'accepted', problems: [] },
  ]);
});

test('SRC-3 a document without what should hold its records fails the poll, and an empty list does not', async () => {
  const { latest, serve } = await pollDocuments();
  await serve(garages(1, 10));
  expect(await serve('{"error": "quota exceeded"}')).toMatchObject(failed('ERR_MAPPING_RECORDS'));
  expect(await serve('{"error": "quota exceeded", "at": 2}')).toMatchObject(failed('ERR_MAPPING_RECORDS'));
  expect(latest.size).toBe(1);
  const other = await pollDocuments();
  other.answers.set(PATH, ok('{"garages": []}'));
  expect(await other.poll()).toMatchObject({ kind: 'accepted', entities: 0 });
});

test.each(['null', '""', '{"garages": null}', '{"garages": ""}', '{"garages": {}}', '{"garages": [null]}'])(
  'SRC-3 %s does not say that there are no records, whatever comes after',
  async (body) => {
    const { latest, time, serve } = await pollDocuments();
    await serve(garages(1, 10));
    for (const space of ['', ' ', '  ']) {
      expect(await serve(`${space}${body}`)).toMatchObject(failed('ERR_MAPPING_RECORDS'));
      time.nowMs += 600_000;
    }
    expect(latest.size).toBe(1);
  },
);

test('SRC-3 an error page that is XML has no records, and does not say that there are none', async () => {
  const mapping = compiled({ ...garageMapping, reads: { format: 'xml' }, records: 'garage[*]' });
  const { latest, serve } = await pollDocuments({ mapping });
  expect(await serve('<garages><garage><id>a</id><free>1</free></garage></garages>')).toMatchObject(accepted(1));
  for (const at of [1, 2]) {
    expect(await serve(`<html><body>Service unavailable ${at}</body></html>`)).toMatchObject(
      failed('ERR_MAPPING_RECORDS'),
    );
  }
  expect(latest.size).toBe(1);
});

test('SRC-3 a document of which no record can be mapped fails the poll, whatever it is', async () => {
  const { latest, serve } = await pollDocuments();
  await serve(garages(2, 10));
  expect(await serve('{"garages": [{"name": "a", "free": 1}, {"name": "b", "free": 2}]}')).toMatchObject({
    kind: 'failed',
    error: { code: 'ERR_RECORDS_UNREADABLE', details: { records: 2 }, cause: { code: 'ERR_MAPPING_RECORD' } },
  });
  expect(latest.size).toBe(2);
});

test('SRC-5 unless configured, a document of 32 MiB is taken, and one that is larger is not', async () => {
  const { serve } = await pollDocuments();
  const document = (bytes: number) => garages(1, 1).padEnd(bytes);
  expect(await serve(document(33_554_432))).toMatchObject(accepted(1));
  expect(await serve(document(33_554_433))).toMatchObject(failed('ERR_FEED_TOO_LARGE', { limitBytes: 33_554_432 }));
});

test('SRC-9 keys are sent, and neither origin, reports nor health show them', async () => {
  const { answers, poll, source, server, events } = await pollDocuments(({ url }) => ({
    url: `${url.replace('//', '//user-s3cret:s3cret@')}?key=s3cret`,
    headers: HEADERS,
  }));
  await poll();
  answers.set(`${PATH}?key=s3cret`, ok('<html>'));
  await poll();
  expect(server.requests[0]?.headers).toMatchObject({ ...HEADERS, authorization: expect.stringMatching(/^Basic /) });
  expect(source.origin).toBe(server.url);
  const shown = JSON.stringify([source.health(), events, events.map((one) => 'error' in one && one.error.message)]);
  expect(shown).toContain(server.url);
  expect(shown).not.toContain('s3cret');
});

const MADE = '2024-02-08T12:59:50Z';
const stated = { made: MADE, ttl: 30 };
const asStated = { intervalMs: undefined as never };

/** How long after the poll before it a poll is planned, milliseconds. */
async function waitOf({ poll, source, time }: DocumentPolling): Promise<number> {
  await poll();
  return Date.parse(source.health().nextPollAt ?? '') - time.nowMs;
}

/** The options, what the document states, how long after its poll the next is planned, and the interval that is told. */
test.each<[id: string, options: object, stated: Record<string, unknown>, waitMs: number, intervalMs?: number]>([
  // An interval that is configured counts, whatever the document says; where it says nothing, a minute.
  ['SRC-18', {}, { made: MADE, ttl: 3600 }, INTERVAL_MS],
  ['SRC-18', asStated, {}, 60_000],
  // Just after the span that the document says.
  ['SRC-19', asStated, stated, 20_000 + STATED_MARGIN_MS, 30_000],
  ['SRC-19', asStated, { ttl: 60 }, 60_000 + STATED_MARGIN_MS, 60_000],
  // Not faster than minIntervalMs, nor slower than maxIntervalMs.
  ['SRC-19', asStated, { made: MADE, ttl: 0 }, 5000],
  ['SRC-19', { ...asStated, minIntervalMs: 20_000 }, { made: MADE, ttl: 15 }, 20_000],
  ['SRC-19', asStated, { ttl: 1e9 }, 3_600_000 + STATED_MARGIN_MS, 3_600_000],
])(
  '%s with %j, of a document that states %j, the next poll is after %i ms',
  async (_, options, more, waitMs, every) => {
    const polling = await pollDocuments(options);
    polling.answers.set(PATH, ok(garages(1, 1, more)));
    expect(await waitOf(polling)).toBe(waitMs);
    expect(polling.source.schedule()).toMatchObject({ kind: 'interval', intervalMs: every ?? waitMs });
  },
);

test('SRC-18 after failures polls come by slots of the stated interval, or else of a minute, further and further apart', async () => {
  const polling = await pollDocuments(asStated);
  const waits = async () => [await waitOf(polling), await waitOf(polling), await waitOf(polling)];
  expect(await waits()).toEqual([60_000, 60_000 * 2, 60_000 * 4]);
  await polling.serve(garages(1, 1, stated));
  polling.answers.set(PATH, status(500));
  expect(await waits()).toEqual([30_000, 30_000 * 2, 30_000 * 4]);
  polling.answers.set(PATH, ok(garages(1, 2, { ttl: 30 })));
  expect(await waitOf(polling)).toBe(30_000 + STATED_MARGIN_MS);
});

test('SRC-22 health tells the time of the document, or else the newest of its records', async () => {
  const { poll, source, serve, answers } = await pollDocuments();
  const dataAt = async (of: object) => {
    await serve(JSON.stringify(of));
    return source.health().dataAt;
  };
  const times = ['2024-02-08T12:00:00Z', '2024-02-08T13:30:00+01:00', '2031-01-01T00:00:00Z'];
  const timed = { garages: times.map((at, id) => ({ id: `g${id}`, free: 1, at })) };
  expect(await dataAt({ garages: [{ id: 'g0', free: 1 }] })).toBeUndefined();
  expect(await dataAt(timed)).toBe('2024-02-08T12:30:00.000Z');
  expect(await dataAt({ made: MADE, ...timed })).toBe('2024-02-08T12:59:50.000Z');
  answers.set(PATH, status(500));
  await poll();
  expect(source.health()).toMatchObject({ state: 'failing', dataAt: '2024-02-08T12:59:50.000Z' });
});

test('SRC-22 health tells when the next update is expected to be visible, as the schedule does', async () => {
  const { source, stop, ended, serve } = await pollDocuments();
  await serve(garages(1, 1));
  const schedule = source.schedule();
  expect(schedule.kind === 'interval' && new Date(schedule.nextMs).toISOString()).toBe(source.health().nextUpdateAt);
  stop.abort();
  await ended;
  expect(source.health().nextUpdateAt).toBeUndefined();
});

const observing = { mapping: compiled(readingMapping) };

/** A reading of a sensor in a minute of an hour, numbered by it. */
const reading = (sensor: string, minute: number) => {
  return { id: minute, sensor, value: minute as number | string, at: `2024-02-08T12:${minute}:00Z` };
};
const readings = (...all: ReturnType<typeof reading>[]) => JSON.stringify({ readings: all });

/** The ids of what was handed on, batch by batch. */
const ids = ({ batches }: LatestMap) =>
  batches.map((batch) => batch.map((draft) => (draft.kind === 'upsert' ? draft.id?.split('/').at(-1) : 'gone')));

test('SRC-14 an observation is published once, and does not end by being absent', async () => {
  const { latest, serve } = await pollDocuments(observing);
  expect(await serve(readings(reading('a', 10), reading('b', 11)))).toMatchObject({ entities: 2, ...accepted(2, 0) });
  expect(await serve(readings(reading('b', 11), reading('a', 12)))).toMatchObject({ entities: 2, ...accepted(1, 0) });
  expect(await serve(readings())).toMatchObject({ entities: 0, ...accepted(0, 0) });
  expect(ids(latest)).toEqual([['10', '11'], ['12']]);
  expect(latest.entities()).toEqual(['a', 'b'].map((sensor) => `${streamUrl}/sensors/${sensor}`));
});

test('SRC-14 neither what the log holds nor what retention has erased is published again', async () => {
  const { latest, serve } = await pollDocuments(observing);
  const entity = `${streamUrl}/sensors/a`;
  latest.append([
    { kind: 'upsert', entity, origin: 'any', quads: [], fingerprint: '', id: `${streamUrl}/readings/10` },
  ]);
  await serve(readings(reading('a', 10), reading('a', 11)));
  latest.hasVersions = async () => new Set();
  await serve(readings(reading('a', 10), reading('a', 11), reading('a', 12)));
  expect(ids(latest)).toEqual([['10'], ['11'], ['12']]);
});

test('SRC-15 observations of one series come in successive batches, by their times, and late ones are counted', async () => {
  const { latest, source, serve } = await pollDocuments(observing);
  const all = [reading('a', 30), reading('b', 15), reading('a', 10), reading('a', 20), reading('b', 25)];
  expect(await serve(readings(...all))).toMatchObject(accepted(5));
  expect(ids(latest)).toEqual([['10', '15'], ['20', '25'], ['30']]);
  expect(latest.get(`${streamUrl}/sensors/a`)?.versionTime).toBe('2024-02-08T12:30:00Z');
  expect(source.health().dataAt).toBe('2024-02-08T12:30:00.000Z');
  expect(await serve(readings(reading('a', 12)))).toMatchObject({ ...accepted(1), findings: { versionTimesBack: 1 } });
});

test('SRC-15 a batch is not handed on before the one before it is stored, and what was not stored comes again', async () => {
  const server = await openFeedServer(ok(readings(reading('a', 10), reading('a', 20), reading('a', 30))));
  const { events, iterate, latest } = iterated({ url: server.url, ...observing });
  const failing = iterate((batch) => {
    if (latest.batches.length === 1) throw new RangeError('disk full');
    latest.append(batch);
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect([events, ids(latest)]).toEqual([[], [['10']]]);
  await iterate((batch) => latest.append(batch));
  expect(ids(latest)).toEqual([['10'], ['20'], ['30']]);
});

test('SRC-2 an observation that cannot be mapped is told, and the others are published', async () => {
  const { serve } = await pollDocuments(observing);
  const event = await serve(readings({ ...reading('a', 10), value: 'broken' }, reading('a', 11)));
  expect(event).toMatchObject({ ...accepted(1), problems: [{ code: 'ERR_MAPPING_RECORD' }] });
});

const expand = '$expand=Datastream($expand=Thing,Sensor,ObservedProperty),FeatureOfInterest';
const order = '$orderby=phenomenonTime%20desc';

test.each([
  ['/v1.1', `/v1.1/Observations?${expand}&${order}&$top=100`],
  ['/v1.1/', `/v1.1/Observations?${expand}&${order}&$top=100`],
  ['/v1.1/Datastreams(7)', `/v1.1/Datastreams(7)/Observations?${expand}&${order}&$top=100`],
  ['/v1.1/Observations', `/v1.1/Observations?${expand}&${order}&$top=100`],
  [
    '/v1.1/Observations?$top=5&$filter=result gt 1',
    `/v1.1/Observations?$top=5&$filter=result%20gt%201&${expand}&${order}`,
  ],
  [
    '/v1.1/Observations?%24expand=Datastream&$orderby=id',
    '/v1.1/Observations?%24expand=Datastream&$orderby=id&$top=100',
  ],
  ['/v1.1/Things?$expand=Datastreams', '/v1.1/Things?$expand=Datastreams'],
])('SRC-29 of the SensorThings URL %s the newest observations are asked for', async (given, asked) => {
  const server = await openFeedServer();
  const mapping = compiled({ ...readingMapping, records: 'value[*]' });
  const options = { url: server.origin + given, mapping, intervalMs: INTERVAL_MS };
  const { poll, source } = startPolling((edge) => createSensorThingsSource(options, edge));
  const next = (page: number) => ok(JSON.stringify({ value: [], '@iot.nextLink': `${server.origin}/${page}` }));
  server.answer = (response, request) => next(server.requests.length)(response, request);
  expect(await poll()).toMatchObject({ kind: 'accepted', findings: { pagesUnread: 1 } });
  expect(server.requests.map(({ path }) => path)).toEqual([
    asked,
    ...Array.from({ length: 9 }, (_, page) => `/${page + 1}`),
  ]);
  expect(source.origin).toBe(server.origin + given.replace(/\?.*/, ''));
});

test.each([
  [{ limitRecords: 3 }, { limitRecords: 2 }, 'ERR_DOCUMENT_TOO_MANY'],
  [{ limitDepth: 3 }, { limitDepth: 2 }, 'ERR_DOCUMENT_TOO_DEEP'],
  [{ limitTextBytes: 30 }, { limitTextBytes: 3 }, 'ERR_DOCUMENT_TEXT_TOO_LONG'],
])('MAP-81 a document is read within %j, and not within %j', async (wide, narrow, code) => {
  const [within, beyond] = [await pollDocuments({ limits: wide }), await pollDocuments({ limits: narrow })];
  expect(await within.serve(garages(3, 1))).toMatchObject(accepted(3));
  expect(await beyond.serve(garages(3, 1))).toMatchObject(failed(code));
});

test('MAP-81 the records of lists in lists count together, and so do those of pages', async () => {
  const mapping = compiled({ ...garageMapping, records: 'floors[*].garages[*]' });
  const floors = [0, 2, 4].map((first) => ({ garages: [0, 1].map((at) => ({ id: `g${first + at}`, free: 1 })) }));
  const paged = garagePage(['a', 'b'], '/2');
  for (const [count, document, options] of [
    [6, JSON.stringify({ floors }), { mapping }],
    [4, paged, { pages: { next: 'next' } }],
  ] as const) {
    for (const limitRecords of [count, count - 1]) {
      const { answers, serve } = await pollDocuments({ ...options, limits: { limitRecords } });
      answers.set('/2', ok(garagePage(['c', 'd'])));
      const isWithin = limitRecords === count;
      expect(await serve(document)).toMatchObject(
        isWithin ? accepted(count) : failed('ERR_DOCUMENT_TOO_MANY', { limitRecords }),
      );
    }
  }
});

const FILES = ['1-1705308099', '2-1705311469', '3-1705316554', '4-1705317924', '5-1705756364', '6-1706019398'];

describeRecordings(
  'recordings of sensors, polled in sequence',
  () => {
    test('SRC-1 six recordings of the garages of Ghent give exactly those that changed', async () => {
      const { serve, latest, source } = await pollDocuments({ mapping: compiled(loadPreset('ghent-garages').mapping) });
      for (const [index, upserts] of [12, 11, 12, 10, 12, 12].entries()) {
        const document = recording(`ghent-garages/${FILES[index]}.json`, 'sensors');
        expect(await serve(document)).toMatchObject(accepted(upserts, 0));
      }
      expect(latest.size).toBe(12);
      expect(source.health()).toMatchObject({ state: 'ok', errors: {} });
    });
  },
  'sensors',
);
