import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { describe, expect, test } from 'vitest';
import {
  expectWhole,
  fingerprints,
  type HandWrittenShapes,
  type MappedPreset,
  mapPreset,
  said,
  values,
} from './map-preset.ts';

const GHENT = ['1-1705308099', '2-1705311469', '3-1705316554', '4-1705317924', '5-1705756364', '6-1706019398'];
const NGSI_LD = ['example.json', 'example.jsonld', 'example-normalized.jsonld'];
const SENSADE = [
  '0ff8c7e9-5867-46fa-8799-19f1044fe858',
  '2118f891-abb9-439b-9f43-54e976b6ab71',
  '515334a4-c032-41c5-92b0-550d4c0d3991',
  '555ba2d7-37f6-4b36-8428-087321717a1b',
  '7d1c853e-22fc-49a7-800e-076eac929c2b',
  '9ff03e01-cc7d-47b7-9584-ac3ddc7389f2',
  'b18dcdbb-f9e2-4dbf-947e-0985b8c7c4ab',
];

type Row = readonly [
  file: string,
  preset: string,
  shape: HandWrittenShapes,
  published: number,
  skipped?: number,
  lookups?: Readonly<Record<string, string>>,
];

const whole: readonly Row[] = [
  ['parkapi/aalen.json', 'parking-aalen', 'parking', 6],
  ['parkapi/basel.json', 'parking-basel', 'parking', 16, 1],
  ['parkapi/bietigheim-bissingen.csv', 'bietigheim', 'parking', 14],
  ['parkapi/ellwangen_sensit.json', 'parking-nedap', 'parking', 1],
  ['parkapi/freiburg.json', 'parking-freiburg', 'parking', 19],
  ['parkapi/freiburg_p_r_sensors.json', 'parking-freiburg-park-and-ride', 'parking', 5],
  ['parkapi/karlsruhe.json', 'parking-karlsruhe', 'parking', 90],
  ['parkapi/mannheim.json', 'parkapi', 'parking', 1],
  ['parkapi/aachen-realtime.xml', 'datex2-parking', 'parking', 17, 0, { sites: 'parkapi/aachen-static.xml' }],
  ['air-quality/gios/sensors.json', 'gios-station', 'observation', 21, 0, { sensors: 'air-quality/gios/station.json' }],
  ['air-quality/waqi/air_quality_sensor.json', 'waqi', 'observation', 1],
  ...SENSADE.map((id): Row => [`parkapi/p-m-sensade/parking-lot-status-${id}.json`, 'sensade', 'parking', 1]),
  ...GHENT.map((name): Row => [`ghent-garages/${name}.json`, 'ghent-garages', 'parking', 12]),
  ...NGSI_LD.map((form): Row => [`ngsi-ld/OffStreetParking/${form}`, 'ngsi-ld-parking', 'parking', 1]),
  ...NGSI_LD.map((form): Row => [`ngsi-ld/ParkingSpot/${form}`, 'ngsi-ld-parking-spot', 'parking', 1]),
];

const mapped = (file: string): MappedPreset => {
  const [, preset, , , , lookups = {}] = whole.find(([name]) => name === file) as Row;
  const bodies = Object.entries(lookups).map(([name, lookup]) => [name, recording(lookup, 'sensors')]);
  return mapPreset(preset, { body: recording(file, 'sensors'), lookups: Object.fromEntries(bodies) });
};

type Two = [MappedPreset, MappedPreset];
type Three = [UpsertDraft, UpsertDraft, UpsertDraft];

/** What is said by each predicate, of those that both say something by. */
function shared(one: UpsertDraft, other: UpsertDraft): [unknown, unknown] {
  const facts = [said(one), said(other)] as [string, unknown][][];
  const names = facts.map((said) => new Set(said.map(([name]) => name))) as [Set<string>, Set<string>];
  return facts.map((said) => said.filter(([name]) => names.every((has) => has.has(name)))) as [unknown, unknown];
}

describeRecordings(
  'recordings of sensors',
  () => {
    test.each(whole.map((row) => [row[0], row] as const))('PRE-2 %s is mapped whole', async (file, row) => {
      const [, , shape, published, skipped = 0] = row;
      const made = mapped(file);
      expect(made.drafts).toHaveLength(published);
      expect(made.problems.map(({ code }) => code)).toEqual(Array(skipped).fill('ERR_MAPPING_RECORD'));
      await expectWhole(made, shape);
    });

    describe('of car parks', () => {
      test('PRE-3 of the 90 car parks of Karlsruhe 51 have no free count, and no time either', () => {
        const { drafts } = mapped('parkapi/karlsruhe.json');
        const uncounted = drafts.filter((draft) => values(draft, 'mv:currentValue').length === 0);
        expect(uncounted).toHaveLength(51);
        expect(uncounted.filter(({ versionTime }) => versionTime !== undefined)).toEqual([]);
      });

      test('PRE-3 of the 7 car parks of Sensade 4 do not add up, by up to 17, and all are as they came', () => {
        const missing = [];
        for (const id of SENSADE) {
          const lot = mapped(`parkapi/p-m-sensade/parking-lot-status-${id}.json`);
          const count = (name: string) => Number(values(lot.of(id), name)[0]);
          const counted = count('mv:currentValue') + count('datex:parkingNumberOfOccupiedSpaces');
          missing.push(count('mv:maximumValue') - counted);
        }
        expect(missing).toEqual([0, 6, 2, 0, 1, 0, 17]);
      });
    });

    describe('of Ghent', () => {
      const files = GHENT.map((name) => `ghent-garages/${name}.json`);
      const polls = files.map(mapped);

      test('PRE-3 the garages that changed are 11, 12, 10, 12 and 12 of 12, though each tells another time', () => {
        const changed = polls.slice(1).map((poll, index) => {
          const before = fingerprints(polls[index] as (typeof polls)[0]);
          expect([...before.keys()].sort()).toEqual([...fingerprints(poll).keys()].sort());
          return poll.drafts.filter(({ entity, fingerprint }) => before.get(entity) !== fingerprint).length;
        });
        expect(changed).toEqual([11, 12, 10, 12, 12]);
      });

      test('PRE-3 the time keeps its zone, and the place in the string is that of the field', () => {
        for (const [index, { drafts }] of polls.entries()) {
          const records = JSON.parse(new TextDecoder().decode(recording(files[index] as string, 'sensors'))) as {
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

      test('PRE-3 damaged text is published as it came', () => {
        expect(values(polls[0]!.of('parking-reep'), 'dct:description')).toEqual(['? parkeergarage Reep in Gent@nl']);
      });
    });

    test('PRE-3 the records of status of Aachen join those of the table', () => {
      const { drafts, findings } = mapped('parkapi/aachen-realtime.xml');
      expect(findings).toEqual({});
      for (const draft of drafts) {
        expect(values(draft, 'rdfs:label')).toEqual([expect.stringMatching(/@de$/)]);
        expect(values(draft, 'geo:asWKT')).toHaveLength(1);
      }
    });

    describe('of NGSI-LD', () => {
      const car = NGSI_LD.map((form) => mapped(`ngsi-ld/OffStreetParking/${form}`));
      const spot = NGSI_LD.map((form) => mapped(`ngsi-ld/ParkingSpot/${form}`));

      test('PRE-3 the three forms of a car park are one, with the same values but for the spelling of the street', () => {
        const [plain, linked, normalised] = car.map(({ drafts }) => drafts[0]) as Three;
        expect(new Set([plain, linked, normalised].map(({ entity }) => entity)).size).toBe(1);
        for (const { versionTime } of [plain, linked, normalised]) expect(versionTime).toBe('2018-09-21T12:00:00Z');
        const [one, two] = shared(plain, linked);
        expect(one).toEqual(two);
        const [three, four] = shared(linked, normalised).map((facts) =>
          JSON.parse(JSON.stringify(facts).replaceAll('Tomás', 'Tomas')),
        );
        expect(three).toEqual(four);
        expect((three as unknown[]).length).toBeGreaterThan(20);
      });

      test('PRE-3 the three forms of a spot are one, and agree', () => {
        const [plain, linked, normalised] = spot.map(({ drafts }) => drafts[0]) as Three;
        expect(said(plain)).toEqual(said(linked));
        const [one, two] = shared(linked, normalised);
        expect(one).toEqual(two);
        expect([linked, normalised].map(({ entity }) => entity)).toEqual([plain.entity, plain.entity]);
        expect(normalised.versionTime).toBe('2018-09-21T12:00:00Z');
      });
    });

    test('PRE-3 7 pollutants of 3 hours are 21 observations, and a replay adds none', () => {
      const [{ drafts, findings }, again] = [1, 2].map(() => mapped('air-quality/gios/sensors.json')) as Two;
      const ids = drafts.map(({ id }) => id);
      expect(new Set(ids).size).toBe(21);
      expect(new Set(drafts.map(({ entity }) => entity)).size).toBe(7);
      expect(again.drafts.map(({ id }) => id)).toEqual(ids);
      expect(drafts.every(({ versionTime }) => versionTime?.endsWith('+02:00'))).toBe(true);
      expect(findings).toEqual({});
    });
  },
  'sensors',
);
