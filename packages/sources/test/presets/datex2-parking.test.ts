import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { describe, expect, test } from 'vitest';
import { datex2Parking } from '../../src/presets/datex2-parking.ts';
import { expectWhole, mapPreset, sample, values } from './map-preset.ts';

const status = { body: sample('datex2-status.xml') };
const whole = mapPreset(datex2Parking, { ...status, lookups: { sites: sample('datex2-table.xml') } });

describe('a sample of DATEX II', () => {
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
    const alone = mapPreset(datex2Parking, status);
    expect(values(alone.of('S1'), 'mv:currentValue')).toEqual(['15']);
    expect(values(alone.of('S1'), 'rdfs:label')).toEqual([]);
    expect(alone.findings).toEqual({ 'lookup-without-record:sites': 1 });
  });

  test('PRE-2 every field is mapped or left out, by both shapes', () => expectWhole(whole, 'parking'));
});

describeRecordings(
  'recordings of Aachen',
  () => {
    const aachen = mapPreset(datex2Parking, {
      body: recording('parkapi/aachen-realtime.xml', 'sensors'),
      lookups: { sites: recording('parkapi/aachen-static.xml', 'sensors') },
    });

    test('PRE-8 17 records of status join 17 of the table', () => {
      expect(aachen.drafts).toHaveLength(17);
      expect(aachen.problems).toEqual([]);
      expect(aachen.findings).toEqual({});
      for (const draft of aachen.drafts) {
        expect(values(draft, 'rdfs:label')).toHaveLength(1);
        expect(values(draft, 'rdfs:label')[0]).toMatch(/@de$/);
        expect(values(draft, 'geo:asWKT')).toHaveLength(1);
      }
    });

    test('PRE-8 published on 2025-02-07, with records that are older', () => {
      expect(aachen.documentTimeMs).toBe(Date.parse('2025-02-07T19:11:00.095Z'));
      for (const { versionTime } of aachen.drafts) {
        expect(Date.parse(versionTime as string)).toBeLessThan(aachen.documentTimeMs as number);
      }
    });

    test('PRE-2 Aachen is mapped whole', () => expectWhole(aachen, 'parking'));
  },
  'sensors',
);
