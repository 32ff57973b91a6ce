import { encodeFeed } from '@ldes-live/sources';
import { expect, test } from 'vitest';
import { recognise } from '../../src/init/recognise.ts';

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const gbfs = (data: object) => ({ last_updated: 1, ttl: 5, version: '2.3', data });
const nowhere = async () => {
  throw new Error('There is nothing to read.');
};

test.each<[what: string, sample: unknown, found: object]>([
  ['an array', [{ a: 1 }], { source: 'json', reading: { format: 'json' } }],
  ['an object', { a: 1 }, { source: 'json' }],
  ['GeoJSON', { type: 'FeatureCollection', features: [] }, { source: 'geojson', reading: { format: 'geojson' } }],
  ['a GBFS system of version 3', gbfs({ feeds: [] }), { source: 'gbfs', gbfsFeed: 'station_status' }],
  [
    'a GBFS system of version 2',
    gbfs({ en: { feeds: [{ name: 'station_status', url: 'http://a/' }, { name: 'vehicle_status' }] } }),
    { source: 'gbfs', gbfsFeed: 'station_status' },
  ],
  ['GBFS stations', gbfs({ stations: [{ station_id: 1 }] }), { source: 'gbfs', gbfsFeed: 'station_status' }],
  ['GBFS places', gbfs({ stations: [{ lat: 1 }] }), { source: 'gbfs', gbfsFeed: 'station_information' }],
  ['GBFS bikes', gbfs({ bikes: [] }), { source: 'gbfs', gbfsFeed: 'free_bike_status' }],
  ['GBFS vehicles', gbfs({ vehicles: [] }), { source: 'gbfs', gbfsFeed: 'vehicle_status' }],
  ['another feed with data', gbfs({ things: [] }), { source: 'json' }],
  ['observations', { value: [{ '@iot.id': 1 }] }, { source: 'sensorthings' }],
  ['a SensorThings service', { value: [{ name: 'Observations', url: 'http://a/' }] }, { source: 'sensorthings' }],
  ['lines of JSON', '{"a":1}\n{"a":2}\n', { source: 'ndjson', reading: { format: 'ndjson' } }],
  ['XML', ' <?xml version="1.0"?><a/>', { source: 'xml', reading: { format: 'xml' } }],
  ['CSV', 'a,b\n1,2\n', { source: 'csv', reading: { format: 'csv' } }],
  ['CSV with quotes', 'a;b\n"1;2";3\n', { source: 'csv', reading: { format: 'csv', delimiter: ';' } }],
])('%s is recognised', async (_, sample, found) => {
  expect(await recognise(bytes(sample), nowhere)).toMatchObject(found);
});

test('CSV in the encoding of older spreadsheets is recognised', async () => {
  const reading = { format: 'csv', charset: 'windows-1252', delimiter: '\t' };
  const sample = Buffer.from('Name\tPl\u00e4tze\r\nMarkt\t3\r\n', 'latin1');
  expect(await recognise(sample, nowhere)).toMatchObject({ reading });
});

test('GTFS-Realtime is recognised', async () => {
  const feed = encodeFeed({ header: { gtfs_realtime_version: '2.0' }, entity: [] });
  expect(await recognise(feed, nowhere)).toMatchObject({ source: 'gtfsrt' });
});

test.each(['hello', 'one\ntwo\n', '"text"', '12', 'a,b\n1\n', '\u0000\u0001\u0002'])(
  '%j is nothing known',
  async (text) => {
    expect(await recognise(bytes(text), nowhere)).toBeUndefined();
  },
);

test.each([
  ['  \n', 'is empty'],
  ['<!DOCTYPE html><p>No.', 'is a web page (HTML), not data'],
  ['<?xml version="1.0"?>\n<html xmlns="a"/>', 'is a web page (HTML), not data'],
  ['{"a":[1,{"b":2},', 'starts like JSON, but is not valid: '],
  ['[{"a":1},\n{"a":1', 'starts like JSON, but is not valid: '],
  ['{"error":"No key","status":401}', 'is an answer that says error: "No key"'],
  ['PK\u0003\u0004', 'is a zip. For a timetable (GTFS), set source: { gtfs: URL } in the configuration'],
])('%j is not data', async (text, because) => {
  expect(await recognise(bytes(text), nowhere)).toContain(because);
});
