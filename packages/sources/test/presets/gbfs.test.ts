import { describe, expect, test } from 'vitest';
import { fingerprints, mapPreset, ofSample, said, sample, sampleJson, told, tree, values } from './map-preset.ts';

describe('stations of GBFS', () => {
  const two = ofSample('gbfs-2-station-status.json');
  const three = ofSample('gbfs-3-station-status.json');

  test('PRE-3 a station has its counts, and its name and place of the other file', () => {
    expect(said(two.of('stations/harbour'))).toEqual(
      tree(`<things/entities/stations/harbour> a gbfs:Station ; dct:identifier "harbour" ; rdfs:label "Harbour Square" ;
        gbfs:last_reported "2026-01-05T08:59:01Z"^^xsd:dateTime ; sosa:resultTime "2026-01-05T08:59:01Z"^^xsd:dateTime ;
        gbfs:capacity 16 ; gbfs:num_vehicles_available 4 ; gbfs:num_vehicles_disabled 1 ;
        gbfs:num_docks_available 11 ; gbfs:num_docks_disabled 0 ;
        gbfs:vehicle_types_available [ gbfs:vehicle_type_id "classic" ; gbfs:count 3 ], [ gbfs:vehicle_type_id "electric" ; gbfs:count 1 ] ;
        gbfs:vehicle_docks_available [ gbfs:vehicle_type_id "classic", "electric" ; gbfs:count 11 ] ;
        gbfs:is_installed true ; gbfs:is_renting true ; gbfs:is_returning false ;
        schema:address "Harbour Square 1" ;
        geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (3.6102 51.5021)"^^geo:wktLiteral ] .`),
    );
  });

  test.each([
    // Version 3 says what version 2 says, with its names in their languages.
    [three, 'harbour', { 'rdfs:label': 'Harbour Square@en|Havenplein@nl', time: '2026-01-05T09:59:01+01:00' }],
    [three, 'harbour', { 'gbfs:num_vehicles_available': '4', 'gbfs:is_returning': 'false' }],
    // A last_reported that cannot be meant, or is missing, is no time.
    [two, 'mill', { 'gbfs:last_reported': '', 'gbfs:is_returning': 'true', time: undefined as never }],
    [two, 'quay', { 'gbfs:last_reported': '', time: undefined as never }],
  ])('PRE-3 a station says what it has (%#)', ({ of }, end, said) => {
    expect(told(of(`stations/${end}`), said)).toEqual(said);
  });

  test('PRE-3 last_updated and ttl say when the next file comes, in either version', () => {
    expect([two, three].map(({ documentTimeMs, documentTtlMs }) => [documentTimeMs, documentTtlMs])).toEqual([
      [Date.parse('2026-01-05T09:00:00Z'), 30_000],
      [Date.parse('2026-01-05T09:00:00Z'), 60_000],
    ]);
  });

  test('PRE-3 a station that only reports again has not changed', () => {
    const body = sampleJson('gbfs-2-station-status.json');
    body.data.stations[0].last_reported = 1767603599;
    const lookups = { information: sample('gbfs-2-station-information.json') };
    const later = mapPreset('gbfs-station-status', { body, lookups });
    expect(later.of('stations/harbour').versionTime).not.toBe(two.of('stations/harbour').versionTime);
    expect(fingerprints(later)).toEqual(fingerprints(two));
  });

  test('PRE-3 a station that is listed twice is published once and counted, and no list of stations is an error', () => {
    const ofStations = (data: object) =>
      mapPreset('gbfs-station-status', { body: { last_updated: 1767603600, ttl: 0, data } });
    const record = { station_id: 'a', num_bikes_available: 1, is_installed: 1, is_renting: 1, is_returning: 1 };
    const { drafts, findings } = ofStations({ stations: [record, { ...record, num_bikes_available: 2 }] });
    expect(drafts).toHaveLength(1);
    expect(Object.values(findings)).toContain(1);
    expect(ofStations({ stations: [] }).drafts).toEqual([]);
    expect(() => ofStations({})).toThrow(expect.objectContaining({ code: 'ERR_MAPPING_RECORDS' }));
  });
});

describe('vehicles of GBFS', () => {
  const two = ofSample('gbfs-2-free-bike-status.json');
  const three = ofSample('gbfs-3-vehicle-status.json');

  test('PRE-4 both names of the file and of the id are taken', () => {
    expect(two.drafts.map(({ entity }) => entity.split('/').slice(-2).join('/'))).toEqual([
      'available-vehicles/7c1f',
      'available-vehicles/9e02',
    ]);
    expect(said(three.of('available-vehicles/a45d'))).toEqual(
      tree(`<things/entities/available-vehicles/a45d> a gbfs:Vehicle ;
        gbfs:last_reported "2026-01-05T09:58:00+01:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:58:00+01:00"^^xsd:dateTime ;
        gbfs:is_reserved false ; gbfs:is_disabled false ; gbfs:vehicle_type_id "scooter" ;
        gbfs:current_range_meters "8000"^^xsd:decimal ; gbfs:current_fuel_percent 0.64 ; gbfs:pricing_plan_id "day" ;
        gbfs:vehicle_equipment "helmet", "child_seat_a" ;
        gbfs:available_until "2026-01-05T22:00:00+01:00"^^xsd:dateTime ;
        geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (3.6121 51.5007)"^^geo:wktLiteral ] .`),
    );
  });

  test('PRE-4 the id of a vehicle stands in the IRI of its stay alone, so that nothing outlives it', () => {
    for (const { entity, quads } of [...two.drafts, ...three.drafts]) {
      const id = entity.split('/').at(-1) as string;
      const objects = quads.map(({ object }) => object.value);
      expect(objects.filter((value) => value.includes(id))).toEqual([]);
    }
  });

  test('PRE-4 a vehicle at a station, without a place of its own, is published', () => {
    const docked = { 'gbfs:station_id': 'harbour', 'geo:asWKT': '' };
    expect(told(two.of('9e02'), docked)).toEqual(docked);
    expect(values(two.of('7c1f'), 'gbfs:is_disabled')).toEqual(['true']);
  });
});
