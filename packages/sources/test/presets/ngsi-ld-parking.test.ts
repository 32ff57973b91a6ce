import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { describe, expect, test } from 'vitest';
import { ngsiLdParking } from '../../src/presets/ngsi-ld-parking.ts';
import { ngsiLdParkingSpot } from '../../src/presets/ngsi-ld-parking-spot.ts';
import { expectWhole, mapPreset, said, sample, values } from './map-preset.ts';

/** What is said by each predicate, of those that both say something by. */
function shared(one: UpsertDraft, other: UpsertDraft): [unknown, unknown] {
  const facts = [said(one), said(other)] as [string, unknown][][];
  const names = facts.map((said) => new Set(said.map(([name]) => name))) as [Set<string>, Set<string>];
  return facts.map((said) => said.filter(([name]) => names.every((has) => has.has(name)))) as [unknown, unknown];
}

describe('samples of NGSI-LD', () => {
  const plain = mapPreset(ngsiLdParking, { body: sample('ngsi-ld-parking-key-values.json') });
  const normalised = mapPreset(ngsiLdParking, { body: sample('ngsi-ld-parking-normalised.json') });
  const spots = mapPreset(ngsiLdParkingSpot, { body: sample('ngsi-ld-spots.json') });

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

  test('PRE-2 every field is mapped or left out, by both shapes', async () => {
    await expectWhole(plain, 'parking');
    await expectWhole(normalised, 'parking');
    await expectWhole(spots, 'parking');
  });
});

describeRecordings(
  'examples of NGSI-LD',
  () => {
    const forms = ['example.json', 'example.jsonld', 'example-normalized.jsonld'];
    const car = forms.map((form) =>
      mapPreset(ngsiLdParking, { body: recording(`ngsi-ld/OffStreetParking/${form}`, 'sensors') }),
    );
    const spot = forms.map((form) =>
      mapPreset(ngsiLdParkingSpot, { body: recording(`ngsi-ld/ParkingSpot/${form}`, 'sensors') }),
    );

    test('PRE-17 the three forms of a car park are one, with the same values but for the spelling of the street', () => {
      const [plain, linked, normalised] = car.map(({ drafts }) => drafts[0]) as [UpsertDraft, UpsertDraft, UpsertDraft];
      expect(new Set([plain, linked, normalised].map(({ entity }) => entity)).size).toBe(1);
      expect(new Set([plain, linked, normalised].map(({ versionTime }) => versionTime))).toEqual(
        new Set(['2018-09-21T12:00:00Z']),
      );
      const [one, two] = shared(plain, linked);
      expect(one).toEqual(two);
      const [three, four] = shared(linked, normalised).map((facts) =>
        JSON.parse(JSON.stringify(facts).replaceAll('Tomás', 'Tomas')),
      );
      expect(three).toEqual(four);
      expect((three as unknown[]).length).toBeGreaterThan(20);
    });

    test('PRE-17 each form says what only it has', () => {
      const has = (name: string) => car.map(({ drafts }) => values(drafts[0]!, name).length > 0);
      expect(has('sdm:extCategory')).toEqual([true, false, true]);
      expect(has('sdm:outOfServiceSlotNumber')).toEqual([true, true, false]);
      expect(has('schema:dateModified')).toEqual([true, false, false]);
    });

    test('PRE-17 the three forms of a spot are one, and agree', () => {
      const [plain, linked, normalised] = spot.map(({ drafts }) => drafts[0]) as [
        UpsertDraft,
        UpsertDraft,
        UpsertDraft,
      ];
      expect(said(plain)).toEqual(said(linked));
      const [one, two] = shared(linked, normalised);
      expect(one).toEqual(two);
      expect([linked, normalised].map(({ entity }) => entity)).toEqual([plain.entity, plain.entity]);
      expect(normalised.versionTime).toBe('2018-09-21T12:00:00Z');
    });

    test.each(forms.map((form, index) => [form, index] as const))('PRE-2 %s is mapped whole', async (_, index) => {
      for (const mapped of [car[index]!, spot[index]!]) {
        expect(mapped.problems).toEqual([]);
        expect(mapped.drafts).toHaveLength(1);
        await expectWhole(mapped, 'parking');
      }
    });
  },
  'sensors',
);
