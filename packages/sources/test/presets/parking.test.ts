import { describe, expect, test } from 'vitest';
import { datex2Parking } from '../../src/presets/datex2-parking.ts';
import { datatypes, fingerprints, mapPreset, said, sample, tree, values } from './map-preset.ts';
import { ofSample } from './samples.ts';

describe('samples of car parks', () => {
  test('PRE-9 a site of ParkAPI has its own free spaces, out of those that count now', () => {
    const deck = ofSample('parkapi.json').of('parking-sites/deck-1');
    expect(values(deck, 'mv:maximumValue')).toEqual(['3', '58', '60']);
    expect(values(deck, 'mv:currentValue')).toEqual(['20']);
    expect(values(deck, 'mv:validForUserGroup')).toEqual([
      'http://schema.mobivoc.org/#PersonsWithDisabledParkingPermit',
    ]);
    expect(values(deck, 'mv:vehicleHeightLimitInM')).toEqual(['2.05']);
    expect(values(deck, 'geo:asWKT')).toEqual(['POINT (9.3 49.5)']);
    expect(deck.versionTime).toBe('2026-01-05T10:00:00+01:00');
  });

  test('PRE-10 a notice among the car parks of Basel is left out and told, the others published', () => {
    const { drafts, problems } = ofSample('basel.json');
    expect(drafts.map(({ entity }) => entity.split('/').at(-1))).toEqual(['uferweg']);
    expect(problems.map(({ code, details }) => [code, details.record])).toEqual([['ERR_MAPPING_RECORD', 2]]);
  });

  test('PRE-11 what is not counted has no free spaces, and a height of 0 is none', () => {
    const mapped = ofSample('karlsruhe.json');
    expect(values(mapped.of('/1'), 'mv:currentValue')).toEqual(['30']);
    expect(values(mapped.of('/1'), 'mv:civicStructureStatus').map((status) => status.split('#')[1])).toEqual([
      'Closed',
      'Faulty',
    ]);
    expect(values(mapped.of('/1'), 'schema:value')).toEqual(['false', 'true']);
    expect(values(mapped.of('/2'), 'mv:currentValue')).toEqual([]);
    expect(values(mapped.of('/2'), 'mv:vehicleHeightLimitInM')).toEqual([]);
    expect(mapped.of('/2').versionTime).toBeUndefined();
    expect(mapped.documentTimeMs).toBe(Date.parse('2026-01-05T09:00:00Z'));
  });

  test('PRE-12 metres become degrees, texts numbers, and local time has its zone', () => {
    const mapped = ofSample('freiburg.json');
    const altstadt = mapped.of('P99');
    // The central meridian of zone 32 is 9 degrees east, and 500,000 metres is on it.
    expect(values(altstadt, 'geo:asWKT')[0]).toMatch(/^POINT \(9(\.0+\d*)? 47\.8\d+\)$/);
    expect(values(altstadt, 'mv:currentValue')).toEqual(['40']);
    expect(datatypes(altstadt, 'mv:currentValue')).toEqual(['integer']);
    expect([altstadt, mapped.of('P98')].map(({ versionTime }) => versionTime)).toEqual([
      '2026-07-01T10:20:00+02:00',
      '2026-01-05T10:20:00+01:00',
    ]);
    expect(values(mapped.of('P98'), 'schema:url')).toEqual([]);
    expect(ofSample('freiburg-park-and-ride.json').of('PR1').versionTime).toBe('2026-07-01T10:20:00+02:00');
  });

  test('PRE-13 a name is the key where there is no id, and an unknown status is one', () => {
    const { drafts, of } = ofSample('aalen.json');
    expect(drafts.map(({ entity }) => entity.split('/').at(-1))).toEqual(['P1%20Markt', 'P2%20Tor']);
    expect(values(of('P1%20Markt'), 'mv:civicStructureStatus')).toEqual(['http://schema.mobivoc.org/#Operational']);
    expect(values(of('P2%20Tor'), 'mv:civicStructureStatus')).toEqual(['http://schema.mobivoc.org/#StatusUnknown']);
    expect(values(ofSample('nedap.json').of('/8'), 'mv:civicStructureStatus')).toEqual([
      'http://schema.mobivoc.org/#Full',
    ]);
  });

  test('PRE-13 CSV in Latin-1 with semicolons and milliseconds is read', () => {
    const { drafts } = ofSample('bietigheim.csv');
    expect(drafts.map((draft) => values(draft, 'rdfs:label'))).toEqual([['Parkhaus Mühle@de'], ['Platz am Tor@de']]);
    expect(drafts.map(({ versionTime }) => versionTime)).toEqual(['2026-01-05T09:00:00.123Z', '2026-01-05T08:50:00Z']);
  });

  test('PRE-13 counts that do not add up are published as they are', () => {
    const lot = ofSample('sensade.json').drafts[0]!;
    expect(
      ['mv:maximumValue', 'mv:currentValue', 'datex:parkingNumberOfOccupiedSpaces'].map((name) => values(lot, name)),
    ).toEqual([['50'], ['20'], ['25']]);
  });
});

describe('a sample of either version', () => {
  const first = ofSample('ghent-1.json');
  const second = ofSample('ghent-2.json');

  test('PRE-7 a garage is a car park of MobiVoc', () => {
    expect(said(second.of('parking-kade'))).toEqual(
      tree(`<things/entities/garages/parking-kade> a mv:ParkingFacility, mv:ParkingGarage ;
        dct:identifier "https://city.example/parkings/parking-kade" ;
        rdfs:label "Kade"@nl ; dct:description "Parkeergarage Kade"@nl ; schema:keywords "parking"@nl ;
        dct:modified "2026-01-05T10:00:00+01:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T10:00:00+01:00"^^xsd:dateTime ;
        mv:capacity [ a mv:Capacity ; mv:maximumValue 200 ], [ a mv:RealTimeCapacity ; mv:currentValue 50 ] ;
        mv:rateOfOccupancy "75"^^xsd:decimal ; mv:civicStructureStatus mv:Operational ;
        datex:parkingOccupancyTrend "unknown" ; schema:openingHours "24/7" ;
        mv:operatedBy [ a schema:Organization ; rdfs:label "Stad" ] ;
        mv:price [ a schema:PriceSpecification ; mv:freeOfCharge false ] ;
        schema:url "https://city.example/parkings/parking-kade"^^xsd:anyURI ;
        schema:address [ a schema:PostalAddress ; schema:streetAddress "Kade 1" ; schema:telephone "09 000 00 00" ] ;
        geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (3.61 51.5)"^^geo:wktLiteral ] .`),
    );
  });

  test('PRE-7 both versions of the interface say the same', () => {
    expect(said(first.of('parking-kade'))).toEqual(said(second.of('parking-kade')));
    expect(fingerprints(first)).toEqual(fingerprints(second));
  });
});

describe('a sample of DATEX II', () => {
  const whole = ofSample('datex2-status.xml');

  test('PRE-8 a site has its status, and its name, size and place of the table', () => {
    const site = whole.of('parking-sites/S1');
    expect(values(site, 'rdfs:label')).toEqual(['Garage du marché@fr', 'Tiefgarage Markt@de']);
    expect(values(site, 'mv:maximumValue')).toEqual(['100', '90']);
    expect(values(site, 'mv:currentValue')).toEqual(['15']);
    expect(values(site, 'mv:rateOfOccupancy')).toEqual(['83.3']);
    expect(values(site, 'geo:asWKT')).toEqual(['POINT (6.1 50.7)']);
    expect(values(site, 'rdf:type')).toContain('http://schema.mobivoc.org/#UndergroundParkingGarage');
    expect(values(site, 'mv:civicStructureStatus').map((value) => value.split('#')[1])).toEqual([
      'OnlyAFewParkingSpacesAvailable',
      'Operational',
    ]);
  });

  test('PRE-8 the time of the site is older than that of the publication, and both are told', () => {
    expect(whole.of('S1').versionTime).toBe('2026-01-05T08:58:00Z');
    expect(whole.documentTimeMs).toBe(Date.parse('2026-01-05T09:00:00Z'));
  });

  test('PRE-8 without the table the status is published alone', () => {
    const alone = mapPreset(datex2Parking, { body: sample('datex2-status.xml') });
    expect(values(alone.of('S1'), 'mv:currentValue')).toEqual(['15']);
    expect(values(alone.of('S1'), 'rdfs:label')).toEqual([]);
    expect(alone.findings).toEqual({ 'lookup-without-record:sites': 1 });
  });
});

describe('samples of NGSI-LD', () => {
  const plain = ofSample('ngsi-ld-parking-key-values.json');
  const normalised = ofSample('ngsi-ld-parking-normalised.json');
  const spots = ofSample('ngsi-ld-spots.json');

  test('PRE-17 key-values and the normalised form, a short id and a long one, are one entity that says the same', () => {
    expect(said(plain.of('parkings/dockside'))).toEqual(said(normalised.of('parkings/dockside')));
    expect(plain.drafts[0]?.entity).toBe(normalised.drafts[0]?.entity);
    expect(plain.drafts[0]?.fingerprint).toBe(normalised.drafts[0]?.fingerprint);
    expect(values(plain.of('dockside'), 'mv:currentValue')).toEqual(['120']);
    expect(values(plain.of('dockside'), 'sdm:category')).toEqual(['public', 'underground']);
  });

  test('PRE-17 observedAt is the time of the version', () => {
    expect(normalised.of('dockside').versionTime).toBe('2026-01-05T09:00:00Z');
    expect(spots.of('spots/quay%3A7').versionTime).toBe('2026-01-05T09:30:00Z');
    expect(spots.of('spots/quay%3A8').versionTime).toBeUndefined();
  });

  test('PRE-17 a spot is free, occupied, or neither', () => {
    expect(values(spots.of('quay%3A7'), 'mv:isOccupied')).toEqual(['true']);
    expect(values(spots.of('quay%3A7'), 'sdm:parkingPermit')).toEqual(['no']);
    expect(values(spots.of('quay%3A8'), 'mv:isOccupied')).toEqual([]);
    expect(values(spots.of('quay%3A8'), 'sdm:status')).toEqual(['closed']);
    const sites = [...new Set(spots.drafts.flatMap((draft) => values(draft, 'schema:containedInPlace')))];
    expect(sites).toEqual(['https://live.example.org/id/parking-sites/quay']);
  });
});
