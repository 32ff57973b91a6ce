import { StreamError } from '@ldes-live/rdf-stream';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { createSensorThingsSource } from '../../src/documents/http-source.ts';
import type { CompiledMapping } from '../../src/mapping/compile.ts';
import type { MappedDocument, MappingInput } from '../../src/mapping/map-document.ts';
import { loadPreset } from '../../src/presets.ts';
import { ok, openFeedServer, status } from '../feed-server.ts';
import { accepted, failed, rejected, startPolling } from '../polling.ts';
import {
  compiled,
  garageMapping,
  garagePage,
  garages,
  HEADERS,
  INTERVAL_MS,
  iterated,
  pollDocuments,
  readingMapping,
  streamUrl,
} from './poll-documents.ts';

const PATH = '/feed.pb';

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

test('SRC-1 a document that lost most of its entities is held back until another confirms it', async () => {
  const { latest, serve } = await pollDocuments();
  await serve(garages(10, 1));
  expect(await serve(garages(4, 1))).toMatchObject(rejected('ERR_FEED_SHRUNK'));
  expect(latest.size).toBe(10);
  expect(await serve(garages(4, 2))).toMatchObject({ kind: 'accepted', deletes: 6 });
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

test('SRC-27 a field that is not mapped is told once and counted, also when the document is held back', async () => {
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

test('SRC-27 a field that is not mapped is told with the poll after one whose data could not be stored', async () => {
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

test('SRC-4 a document of which no record can be mapped fails the poll, whatever it is', async () => {
  const { latest, serve } = await pollDocuments();
  await serve(garages(2, 10));
  expect(await serve('{"garages": [{"name": "a", "free": 1}, {"name": "b", "free": 2}]}')).toMatchObject({
    kind: 'failed',
    error: { code: 'ERR_RECORDS_UNREADABLE', details: { records: 2 }, cause: { code: 'ERR_MAPPING_RECORD' } },
  });
  expect(latest.size).toBe(2);
});

test('SRC-7 unless configured, a document of 32 MiB is taken, and one that is larger is not', async () => {
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

const NOTHING: MappedDocument = {
  ...{ entities: [], unreadableEntities: [], unnamedRecords: 0, findings: {}, problems: [], records: 0 },
  unmapped: async () => [],
};
const candidate = (entity: string) => ({ entity, fingerprint: '1', quads: () => [] });

/** A mapping that answers later, with what a test gives. */
function later(map: (input: MappingInput) => Partial<MappedDocument>): CompiledMapping {
  return {
    ...compiled(garageMapping),
    lookups: {},
    map: async (input) => {
      await new Promise(setImmediate);
      return { ...NOTHING, ...map(input) };
    },
  };
}

test('SRC-5 pages are summed up, and the first one says what the document is', async () => {
  const problem = new StreamError('ERR_TEST', 'no');
  const mapping = later(({ document }) => {
    const { next } = document as { next?: string };
    const page = next ? 1 : 2;
    return {
      records: 20,
      problems: Array.from({ length: 15 }, () => problem),
      findings: { odd: page, ...(page === 2 ? { other: 1 } : {}) },
      entities: [candidate(`urn:${page}`)],
      documentTimeMs: page,
      documentTtlMs: page * 60_000,
    };
  });
  const options = { mapping, pages: { next: 'next' }, intervalMs: undefined as never };
  const { answers, serve, source } = await pollDocuments(options);
  answers.set(`${PATH}?page=2`, ok(garagePage([], '')));
  const event = await serve(garagePage([], '?page=2'));
  expect(event).toMatchObject({ entities: 2, findings: { odd: 3, other: 1 } });
  expect('problems' in event && event.problems).toHaveLength(20);
  expect(source.health().dataAt).toBe(new Date(1).toISOString());
  expect(source.schedule()).toMatchObject({ intervalMs: 60_000 });
});

test('SRC-10 a lookup is read once as long as its bytes are the same', async () => {
  const seen: unknown[] = [];
  const mapping = later(({ lookups }) => {
    seen.push(lookups?.names);
    return {};
  });
  const { answers, serve } = await pollDocuments(({ origin }) => ({
    mapping: { ...mapping, lookups: { names: { key: 'id', by: 'id', reads: { format: 'csv' } } } },
    lookups: { names: { url: `${origin}/names` } },
  }));
  answers.set('/names', ok('id,name\ng0,North\n'));
  for (const document of ['1', '2']) await serve(document);
  expect(seen[0]).toEqual([{ id: 'g0', name: 'North' }]);
  expect(seen[1]).toBe(seen[0]);
});

test('SRC-4 records without a key and without a problem are none that can be read either', async () => {
  const { serve } = await pollDocuments({ mapping: later(() => ({ records: 1 })) });
  expect(await serve('{}')).toMatchObject(failed('ERR_RECORDS_UNREADABLE', { records: 1 }));
});

test.each([
  [{ limitRecords: 3 }, { limitRecords: 2 }, 'ERR_DOCUMENT_TOO_MANY'],
  [{ limitDepth: 3 }, { limitDepth: 2 }, 'ERR_DOCUMENT_TOO_DEEP'],
])('MAP-81 a document is read within %j, and not within %j', async (wide, narrow, code) => {
  const [within, beyond] = [await pollDocuments({ limits: wide }), await pollDocuments({ limits: narrow })];
  expect(await within.serve(garages(3, 1))).toMatchObject(accepted(3));
  expect(await beyond.serve(garages(3, 1))).toMatchObject(failed(code));
});

test('SRC-27 a document is looked at once in ten minutes, and what was seen holds until then', async () => {
  let looks = 0;
  const paths = ['a'];
  const unmapped = async () => {
    looks += 1;
    return [...paths];
  };
  const { serve, time } = await pollDocuments({ mapping: later(() => ({ unmapped })), intervalMs: 1 });
  await serve('0');
  const startMs = time.nowMs;
  const at = (afterMs: number) => {
    time.nowMs = startMs + afterMs;
    return serve(String(afterMs));
  };
  paths.push('b');
  expect(await at(599_999)).toMatchObject({ findings: { unmapped: 1 }, problems: [] });
  expect(looks).toBe(1);
  expect(await at(600_000)).toMatchObject({ findings: { unmapped: 2 }, problems: [{ details: { paths: ['b'] } }] });
  paths.length = 0;
  expect(await at(1_200_000)).toMatchObject({ findings: {}, problems: [] });
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
