import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { describe, expect, test } from 'vitest';
import type { Mapping } from '../../src/mapping/mapping.ts';
import { parkapi } from '../../src/presets/parkapi.ts';
import { parkingAalen } from '../../src/presets/parking-aalen.ts';
import { parkingBasel } from '../../src/presets/parking-basel.ts';
import { parkingFreiburg } from '../../src/presets/parking-freiburg.ts';
import { parkingFreiburgParkAndRide } from '../../src/presets/parking-freiburg-park-and-ride.ts';
import { parkingKarlsruhe } from '../../src/presets/parking-karlsruhe.ts';
import { parkingNedap } from '../../src/presets/parking-nedap.ts';
import { bietigheimBissingen, sensade } from './city-mappings.ts';
import { datatypes, expectWhole, mapPreset, sample, values } from './map-preset.ts';

const samples: readonly (readonly [file: string, mapping: Mapping])[] = [
  ['aalen.json', parkingAalen],
  ['basel.json', parkingBasel],
  ['bietigheim.csv', bietigheimBissingen],
  ['freiburg.json', parkingFreiburg],
  ['freiburg-park-and-ride.json', parkingFreiburgParkAndRide],
  ['karlsruhe.json', parkingKarlsruhe],
  ['nedap.json', parkingNedap],
  ['parkapi.json', parkapi],
  ['sensade.json', sensade],
];
const ofSample = (file: string) => {
  const mapping = samples.find(([name]) => name === file)?.[1] as Mapping;
  return mapPreset(mapping, { body: sample(file) });
};

test.each(samples)('PRE-2 the sample %s is mapped whole', async (file) => {
  await expectWhole(ofSample(file), 'parking');
});

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

describeRecordings(
  'recordings of car parks',
  () => {
    const of = (mapping: Mapping, file: string) =>
      mapPreset(mapping, { body: recording(`parkapi/${file}`, 'sensors') });

    test.each([
      ['aalen.json', parkingAalen, 6, 0],
      ['basel.json', parkingBasel, 16, 1],
      ['bietigheim-bissingen.csv', bietigheimBissingen, 14, 0],
      ['ellwangen_sensit.json', parkingNedap, 1, 0],
      ['freiburg.json', parkingFreiburg, 19, 0],
      ['freiburg_p_r_sensors.json', parkingFreiburgParkAndRide, 5, 0],
      ['karlsruhe.json', parkingKarlsruhe, 90, 0],
      ['mannheim.json', parkapi, 1, 0],
    ] as const)('PRE-2 %s is mapped whole', { timeout: 120_000 }, async (file, mapping, published, skipped) => {
      const mapped = of(mapping, file);
      expect(mapped.drafts).toHaveLength(published);
      expect(mapped.problems.map(({ code }) => code)).toEqual(Array(skipped).fill('ERR_MAPPING_RECORD'));
      await expectWhole(mapped, 'parking');
    });

    test('PRE-11 of the 90 car parks of Karlsruhe 51 have no free count, and no time either', () => {
      const { drafts } = of(parkingKarlsruhe, 'karlsruhe.json');
      const uncounted = drafts.filter((draft) => values(draft, 'mv:currentValue').length === 0);
      expect(uncounted).toHaveLength(51);
      expect(uncounted.filter(({ versionTime }) => versionTime !== undefined)).toEqual([]);
    });

    test('PRE-12 the car parks of Freiburg are in Freiburg', () => {
      for (const [mapping, file] of [
        [parkingFreiburg, 'freiburg.json'],
        [parkingFreiburgParkAndRide, 'freiburg_p_r_sensors.json'],
      ] as const) {
        for (const draft of of(mapping, file).drafts) {
          const [, longitude, latitude] = /^POINT \((\S+) (\S+)\)$/.exec(values(draft, 'geo:asWKT')[0] ?? '') ?? [];
          expect(Math.abs(Number(longitude) - 7.83)).toBeLessThan(0.1);
          expect(Math.abs(Number(latitude) - 48.0)).toBeLessThan(0.1);
        }
      }
    });

    test('PRE-13 of the 7 car parks of Sensade 4 do not add up, by up to 17, and all are as they came', async () => {
      const ids = [
        '0ff8c7e9-5867-46fa-8799-19f1044fe858',
        '2118f891-abb9-439b-9f43-54e976b6ab71',
        '515334a4-c032-41c5-92b0-550d4c0d3991',
        '555ba2d7-37f6-4b36-8428-087321717a1b',
        '7d1c853e-22fc-49a7-800e-076eac929c2b',
        '9ff03e01-cc7d-47b7-9584-ac3ddc7389f2',
        'b18dcdbb-f9e2-4dbf-947e-0985b8c7c4ab',
      ];
      const missing = [];
      for (const id of ids) {
        const mapped = of(sensade, `p-m-sensade/parking-lot-status-${id}.json`);
        await expectWhole(mapped, 'parking');
        const [total, free, taken] = ['mv:maximumValue', 'mv:currentValue', 'datex:parkingNumberOfOccupiedSpaces'].map(
          (name) => Number(values(mapped.of(id), name)[0]),
        );
        missing.push(total! - free! - taken!);
      }
      expect(missing).toEqual([0, 6, 2, 0, 1, 0, 17]);
    });
  },
  'sensors',
);
