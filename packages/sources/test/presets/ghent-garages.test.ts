import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { describe, expect, test } from 'vitest';
import { ghentGarages } from '../../src/presets/ghent-garages.ts';
import { expectWhole, fingerprints, mapPreset, said, sample, tree, values } from './map-preset.ts';

describe('a sample of either version', () => {
  const first = mapPreset(ghentGarages, { body: sample('ghent-1.json') });
  const second = mapPreset(ghentGarages, { body: sample('ghent-2.json') });

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

  test('PRE-2 every field is mapped, by both shapes', async () => {
    await expectWhole(first, 'parking');
    await expectWhole(second, 'parking');
  });
});

describeRecordings(
  'six recordings of Ghent',
  () => {
    const names = ['1-1705308099', '2-1705311469', '3-1705316554', '4-1705317924', '5-1705756364', '6-1706019398'];
    const bodies = names.map((name) => recording(`ghent-garages/${name}.json`, 'sensors'));
    const polls = bodies.map((body) => mapPreset(ghentGarages, { body }));

    test('PRE-7 the garages that changed are 11, 12, 10, 12 and 12 of 12, though each tells another time', () => {
      expect(polls.map(({ drafts }) => drafts.length)).toEqual([12, 12, 12, 12, 12, 12]);
      const changed = polls.slice(1).map((poll, index) => {
        const before = fingerprints(polls[index] as (typeof polls)[0]);
        expect([...before.keys()].sort()).toEqual([...fingerprints(poll).keys()].sort());
        return poll.drafts.filter(({ entity, fingerprint }) => before.get(entity) !== fingerprint).length;
      });
      expect(changed).toEqual([11, 12, 10, 12, 12]);
    });

    test('PRE-7 the time keeps its zone, and the place in the string is that of the field', () => {
      for (const [index, { drafts }] of polls.entries()) {
        const records = JSON.parse(new TextDecoder().decode(bodies[index])) as {
          readonly lastupdate: string;
          readonly location: { readonly lon: number; readonly lat: number };
          readonly locationanddimension: string;
        }[];
        expect(drafts.map(({ versionTime }) => versionTime)).toEqual(records.map(({ lastupdate }) => lastupdate));
        for (const { location, locationanddimension } of records) {
          const { latitude, longitude } = JSON.parse(locationanddimension).coordinatesForDisplay;
          expect([longitude, latitude]).toEqual([location.lon, location.lat]);
        }
      }
      expect(polls[0]?.drafts.every(({ versionTime }) => versionTime?.endsWith('+01:00'))).toBe(true);
    });

    test('PRE-7 damaged text is published as it came', () => {
      expect(values(polls[0]!.of('parking-reep'), 'dct:description')).toEqual(['? parkeergarage Reep in Gent@nl']);
    });

    test.each(polls.map((poll, index) => [index + 1, poll] as const))(
      'PRE-2 recording %i is mapped whole',
      async (_, poll) => {
        expect(poll.problems).toEqual([]);
        await expectWhole(poll, 'parking');
      },
    );
  },
  'sensors',
);
