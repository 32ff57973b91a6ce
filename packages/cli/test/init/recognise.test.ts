import { encodeFeed } from '@ldes-live/sources';
import { expect, test } from 'vitest';
import { recognise } from '../../src/init/recognise.ts';

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const gbfs = (data: object) => ({ last_updated: 1, ttl: 5, version: '2.3', data });

test.each<[what: string, sample: unknown, found: object]>([
  ['an array', [{ a: 1 }], { source: 'json', reading: { format: 'json' } }],
  ['an object', { a: 1 }, { source: 'json' }],
  ['GeoJSON', { type: 'FeatureCollection', features: [] }, { source: 'geojson', reading: { format: 'geojson' } }],
  ['a GBFS system of version 3', gbfs({ feeds: [] }), { source: 'gbfs', isGbfsSystem: true }],
  ['a GBFS system of version 2', gbfs({ en: { feeds: [] } }), { source: 'gbfs', isGbfsSystem: true }],
  ['GBFS stations', gbfs({ stations: [{ station_id: 1 }] }), { source: 'gbfs', gbfsFeed: 'station_status' }],
  ['GBFS places', gbfs({ stations: [{ lat: 1 }] }), { source: 'gbfs', gbfsFeed: 'station_information' }],
  ['GBFS bikes', gbfs({ bikes: [] }), { source: 'gbfs', gbfsFeed: 'free_bike_status' }],
  ['GBFS vehicles', gbfs({ vehicles: [] }), { source: 'gbfs', gbfsFeed: 'vehicle_status' }],
  ['another feed with data', gbfs({ things: [] }), { source: 'json' }],
  ['observations', { value: [{ '@iot.id': 1 }] }, { source: 'sensorthings' }],
  [
    'a SensorThings service',
    { value: [{ name: 'Observations', url: 'http://a/' }] },
    { source: 'sensorthings', because: 'it lists what a SensorThings service has' },
  ],
  ['NGSI-LD', [{ id: 'urn:ngsi-ld:A:1', type: 'A' }], { source: 'json', because: 'it has entities of NGSI-LD' }],
  ['lines of JSON', '{"a":1}\n{"a":2}\n', { source: 'ndjson', reading: { format: 'ndjson' } }],
  ['XML', ' <?xml version="1.0"?><a/>', { source: 'xml', because: 'it is XML', reading: { format: 'xml' } }],
  ['DATEX II', '<d2LogicalModel xmlns="http://datex2.eu/schema"/>', { because: 'it is XML of DATEX II' }],
  ['CSV', 'a,b\n1,2\n', { source: 'csv', reading: { format: 'csv' } }],
  ['CSV with quotes', 'a;b\n"1;2";3\n', { source: 'csv', reading: { format: 'csv', delimiter: ';' } }],
])('%s is recognised', (_, sample, found) => {
  expect(recognise(bytes(sample))).toMatchObject(found);
});

test('CSV in the encoding of older spreadsheets is recognised', () => {
  const reading = { format: 'csv', charset: 'windows-1252', delimiter: '\t' };
  expect(recognise(Buffer.from('Name\tPl\u00e4tze\r\nMarkt\t3\r\n', 'latin1'))).toMatchObject({ reading });
});

test('GTFS-Realtime is recognised', () => {
  const feed = encodeFeed({ header: { gtfs_realtime_version: '2.0' }, entity: [] });
  expect(recognise(feed)).toMatchObject({ source: 'gtfsrt' });
});

test.each(['', 'hello', 'one\ntwo\n', '"text"', '12', 'a,b\n1\n', '\u0000\u0001\u0002'])(
  '%j is nothing known',
  (text) => {
    expect(recognise(bytes(text))).toBeUndefined();
  },
);
