import { describe, expect, test } from 'vitest';
import { datatypes, fingerprints, mapPreset, ofSample, said, sample, told, tree, values } from './map-preset.ts';

const KEY_VALUES = 'ngsi-ld-parking-key-values.json';
const FEW = 'mv:OnlyAFewParkingSpacesAvailable';

/** What things of samples say, by predicate. */
test.each<[id: string, file: string, end: string, said: Record<string, string>]>([
  ['PRE-3', 'parkapi.json', 'parking-sites/deck-1', { 'mv:maximumValue': '3|58|60', 'mv:currentValue': '20' }],
  ['PRE-3', 'parkapi.json', 'deck-1', { 'mv:validForUserGroup': 'mv:PersonsWithDisabledParkingPermit' }],
  ['PRE-3', 'parkapi.json', 'deck-1', { 'mv:vehicleHeightLimitInM': '2.05', 'geo:asWKT': 'POINT (9.3 49.5)' }],
  ['PRE-3', 'parkapi.json', 'deck-1', { time: '2026-01-05T10:00:00+01:00' }],
  // What is not counted has no free spaces, and a height of 0 is none.
  ['PRE-3', 'karlsruhe.json', '/1', { 'mv:currentValue': '30', 'schema:value': 'false|true' }],
  ['PRE-3', 'karlsruhe.json', '/1', { 'mv:civicStructureStatus': 'mv:Closed|mv:Faulty' }],
  ['PRE-3', 'karlsruhe.json', '/1', { 'rdfs:label': 'Garagen GmbH|Marktgarage@de|Nordtor@de' }],
  ['PRE-3', 'karlsruhe.json', '/2', { 'mv:currentValue': '', 'mv:vehicleHeightLimitInM': '' }],
  // Texts become numbers, and local time has its zone.
  ['PRE-3', 'freiburg.json', 'P99', { 'mv:currentValue': '40', time: '2026-07-01T10:20:00+02:00' }],
  ['PRE-3', 'freiburg.json', 'P98', { 'schema:url': '', time: '2026-01-05T10:20:00+01:00' }],
  ['PRE-3', 'freiburg-park-and-ride.json', 'PR1', { time: '2026-07-01T10:20:00+02:00' }],
  // A name is the key where there is no id, and an unknown status is one.
  ['PRE-3', 'aalen.json', '/P1%20Markt', { 'mv:civicStructureStatus': 'mv:Operational' }],
  ['PRE-3', 'aalen.json', '/P2%20Tor', { 'mv:civicStructureStatus': 'mv:StatusUnknown' }],
  ['PRE-3', 'nedap.json', '/8', { 'mv:civicStructureStatus': 'mv:Full' }],
  // Counts that do not add up are published as they are.
  ['PRE-3', 'sensade.json', '', { 'mv:maximumValue': '50', 'mv:currentValue': '20' }],
  ['PRE-3', 'sensade.json', '', { 'datex:parkingNumberOfOccupiedSpaces': '25' }],
  // CSV in Latin-1 with semicolons and milliseconds.
  ['PRE-3', 'bietigheim.csv', 'M%C3%BChle', { 'rdfs:label': 'Parkhaus Mühle@de', time: '2026-01-05T09:00:00.123Z' }],
  ['PRE-3', 'bietigheim.csv', 'Tor', { 'rdfs:label': 'Platz am Tor@de', time: '2026-01-05T08:50:00Z' }],
  ['PRE-3', 'datex2-status.xml', 'S1', { 'rdfs:label': 'Garage du marché@fr|Tiefgarage Markt@de' }],
  ['PRE-3', 'datex2-status.xml', 'S1', { 'mv:maximumValue': '100|90', 'mv:currentValue': '15' }],
  ['PRE-3', 'datex2-status.xml', 'S1', { 'mv:rateOfOccupancy': '83.3', 'geo:asWKT': 'POINT (6.1 50.7)' }],
  ['PRE-3', 'datex2-status.xml', 'S1', { 'mv:civicStructureStatus': `${FEW}|mv:Operational` }],
  ['PRE-3', 'datex2-status.xml', 'parking-sites/S1', { time: '2026-01-05T08:58:00Z' }],
  ['PRE-3', KEY_VALUES, 'dockside', { 'mv:currentValue': '120', 'sdm:category': 'public|underground' }],
  ['PRE-3', 'ngsi-ld-parking-normalised.json', 'dockside', { time: '2026-01-05T09:00:00Z' }],
  ['PRE-3', 'ngsi-ld-spots.json', 'spots/quay%3A7', { 'mv:isOccupied': 'true', 'sdm:parkingPermit': 'no' }],
  ['PRE-3', 'ngsi-ld-spots.json', 'spots/quay%3A7', { time: '2026-01-05T09:30:00Z' }],
  ['PRE-3', 'ngsi-ld-spots.json', 'quay%3A8', { 'mv:isOccupied': '', 'sdm:status': 'closed' }],
])('%s in %s "%s" says %j', (_, file, end, said) => {
  expect(told(ofSample(file).of(end), said)).toEqual(said);
});

describe('samples of car parks', () => {
  test.each([
    ['PRE-3', 'basel.json', 'uferweg'],
    ['PRE-3', 'aalen.json', 'P1%20Markt P2%20Tor'],
  ])('%s in %s there are %s', (_, file, ends) => {
    expect(ofSample(file).drafts.map(({ entity }) => entity.split('/').at(-1))).toEqual(ends.split(' '));
  });

  test('PRE-3 a notice among the car parks of Basel is told', () => {
    const { problems } = ofSample('basel.json');
    expect(problems.map(({ code, details }) => [code, details.record])).toEqual([['ERR_MAPPING_RECORD', 2]]);
  });

  test('PRE-3 a car park that is not counted has no time, and the document has', () => {
    expect(ofSample('karlsruhe.json').of('/2').versionTime).toBeUndefined();
    expect(ofSample('karlsruhe.json').documentTimeMs).toBe(Date.parse('2026-01-05T09:00:00Z'));
  });

  test('PRE-3 metres become degrees', () => {
    const altstadt = ofSample('freiburg.json').of('P99');
    // The central meridian of zone 32 is 9 degrees east, and 500,000 metres is on it.
    expect(values(altstadt, 'geo:asWKT')[0]).toMatch(/^POINT \(9(\.0+\d*)? 47\.8\d+\)$/);
    expect(datatypes(altstadt, 'mv:currentValue')).toEqual(['integer']);
  });
});

describe('a sample of either version', () => {
  const first = ofSample('ghent-1.json');
  const second = ofSample('ghent-2.json');

  test('PRE-3 a garage is a car park of MobiVoc', () => {
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

  test('PRE-3 both versions of the interface say the same', () => {
    expect(said(first.of('parking-kade'))).toEqual(said(second.of('parking-kade')));
    expect(fingerprints(first)).toEqual(fingerprints(second));
  });
});

describe('a sample of DATEX II', () => {
  const whole = ofSample('datex2-status.xml');

  test('PRE-3 a site has its class, and the publication its time, which is newer', () => {
    expect(values(whole.of('parking-sites/S1'), 'rdf:type')).toContain(
      'http://schema.mobivoc.org/#UndergroundParkingGarage',
    );
    expect(whole.documentTimeMs).toBe(Date.parse('2026-01-05T09:00:00Z'));
  });

  test('PRE-3 without the table the status is published alone', () => {
    const alone = mapPreset('datex2-parking', { body: sample('datex2-status.xml') });
    expect(values(alone.of('S1'), 'mv:currentValue')).toEqual(['15']);
    expect(values(alone.of('S1'), 'rdfs:label')).toEqual([]);
    expect(alone.findings).toEqual({ 'lookup-without-record:sites': 1 });
  });
});

describe('samples of NGSI-LD', () => {
  const plain = ofSample(KEY_VALUES);
  const normalised = ofSample('ngsi-ld-parking-normalised.json');
  const spots = ofSample('ngsi-ld-spots.json');

  test('PRE-3 key-values and the normalised form, a short id and a long one, are one entity that says the same', () => {
    expect(said(plain.of('parkings/dockside'))).toEqual(said(normalised.of('parkings/dockside')));
    expect(plain.drafts[0]?.entity).toBe(normalised.drafts[0]?.entity);
    expect(plain.drafts[0]?.fingerprint).toBe(normalised.drafts[0]?.fingerprint);
  });

  test('PRE-3 a LanguageProperty is a text of each language, in either form', () => {
    const texts = { languageMap: { en: 'Dockside', nl: 'Havenkant' } };
    const labels = [texts, { type: 'LanguageProperty', ...texts }].map((name) => {
      const body = [{ id: 'x', type: 'OffStreetParking', name }];
      const { drafts, problems, of } = mapPreset('ngsi-ld-parking', { body });
      expect([drafts.length, problems]).toEqual([1, []]);
      return values(of('parkings/x'), 'rdfs:label');
    });
    expect(labels).toEqual(Array(2).fill(['Dockside@en', 'Havenkant@nl']));
  });

  test('PRE-3 a spot without a time has none, and is in its site', () => {
    expect(spots.of('spots/quay%3A8').versionTime).toBeUndefined();
    const sites = [...new Set(spots.drafts.flatMap((draft) => values(draft, 'schema:containedInPlace')))];
    expect(sites).toEqual(['https://live.example.org/#parking-sites/quay']);
  });
});
