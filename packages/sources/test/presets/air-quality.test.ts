import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { describe, expect, test } from 'vitest';
import { gios } from '../../src/presets/gios.ts';
import { giosStation } from '../../src/presets/gios-station.ts';
import { waqi } from '../../src/presets/waqi.ts';
import { expectWhole, mapPreset, said, sample, tree, values } from './map-preset.ts';

const pm25 = 'http://dd.eionet.europa.eu/vocabulary/aq/pollutant/6001';

describe('samples of GIOS', () => {
  const sensor = mapPreset(gios, { body: sample('gios-sensor.json') });
  const station = mapPreset(giosStation, {
    body: sample('gios-station.json'),
    lookups: { sensors: sample('gios-sensors.json') },
  });

  test('PRE-14 an hour is an observation, in the zone of the mapping', () => {
    expect(said(sensor.of('#2026-01-05T09:00:00+01:00'))).toEqual(
      tree(`<things/entities/sensors/XxTownMill-PM2.5-1g#2026-01-05T09:00:00+01:00> a sosa:Observation ;
        sosa:madeBySensor <id/sensors/XxTownMill-PM2.5-1g> ; sosa:hasFeatureOfInterest <id/stations/XxTownMill> ;
        sosa:observedProperty <${pm25}> ;
        sosa:phenomenonTime "2026-01-05T09:00:00+01:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:00:00+01:00"^^xsd:dateTime ;
        sosa:hasSimpleResult 17.25 ; sosa:hasResult [ a qudt:QuantityValue ; qudt:numericValue 17.25 ; qudt:hasUnit unit:MicroGM-PER-M3 ] .`),
    );
    expect(sensor.drafts.map(({ versionTime }) => versionTime)).toEqual([
      '2026-01-05T09:00:00+01:00',
      '2026-07-05T09:00:00+02:00',
    ]);
  });

  test('PRE-14 an hour that has no value yet is left out', () => {
    expect(sensor.problems.map(({ details }) => details.record)).toEqual([1]);
  });

  test('PRE-14 the pollutants of a station find their sensors, whatever the case of their names', () => {
    expect(station.findings).toEqual({});
    expect(station.drafts.map(({ entity }) => entity.split('/').at(-1)).sort()).toEqual(['41', '42']);
    expect(values(station.of('sensors/41#2026-01-05T09:00:00+01:00'), 'sosa:observedProperty')).toEqual([pm25]);
  });

  test('PRE-14 without a zone there is no time, and nothing is guessed', () => {
    const { timeZone: _, ...zoneless } = gios;
    expect(() => mapPreset(zoneless, { body: sample('gios-sensor.json') })).toThrow(
      expect.objectContaining({ code: 'ERR_MAPPING_INVALID' }),
    );
  });

  test('PRE-2 every field is mapped, by both shapes', async () => {
    await expectWhole(sensor, 'observation');
    await expectWhole(station, 'observation');
  });
});

describe('a sample of WAQI', () => {
  const mapped = mapPreset(waqi, { body: sample('waqi.json') });
  const bare = mapPreset(waqi, {
    body: new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(sample('waqi.json'))).data)),
  });

  test('PRE-15 a station is a collection of what it tells now, and none of it has a unit', () => {
    expect(said(mapped.of('stations/77'))).toEqual(
      tree(`<things/entities/stations/77> a sosa:ObservationCollection ;
        dct:modified "2026-01-05T10:00:00+01:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T10:00:00+01:00"^^xsd:dateTime ;
        sosa:hasFeatureOfInterest <id/stations/77> ;
        sosa:hasMember
          [ a sosa:Observation ; sosa:observedProperty <id/properties/waqi/o3> ; sosa:hasSimpleResult 12.5 ],
          [ a sosa:Observation ; sosa:observedProperty <id/properties/waqi/pm25> ; sosa:hasSimpleResult "41"^^xsd:decimal ],
          [ a sosa:Observation ; sosa:observedProperty <id/properties/waqi/t> ; sosa:hasSimpleResult "-1"^^xsd:decimal ],
          [ a sosa:Observation ; sosa:observedProperty <id/properties/waqi/aqi> ; sosa:hasSimpleResult "41"^^xsd:decimal ] ;
        schema:additionalProperty [ a schema:PropertyValue ; schema:propertyID "dominentpol" ; schema:value "pm25" ] ;
        prov:wasAttributedTo [ a prov:Agent ; rdfs:label "Air of Example" ; schema:url "https://air.example/"^^xsd:anyURI ] .`),
    );
    expect(mapped.drafts[0]?.quads.filter(({ predicate }) => predicate.value.includes('qudt'))).toEqual([]);
  });

  test('PRE-15 the place has its latitude first in the source, and its longitude first in WKT', () => {
    expect(values(mapped.of('77'), 'geo:asWKT')).toEqual(['POINT (5.12 52.1)']);
  });

  test('PRE-15 with or without its envelope it says the same', () => {
    expect(bare.drafts[0]?.fingerprint).toBe(mapped.drafts[0]?.fingerprint);
  });

  test('PRE-15 a station without an index has none', () => {
    const text = new TextDecoder().decode(sample('waqi.json')).replace('"aqi": 41', '"aqi": "-"');
    const draft = mapPreset(waqi, { body: new TextEncoder().encode(text) }).of('77');
    expect(values(draft, 'sosa:hasMember')).toHaveLength(3);
  });

  test('PRE-2 every field is mapped or left out, by both shapes', async () => {
    await expectWhole(mapped, 'observation');
    await expectWhole(bare, 'observation');
  });
});

describeRecordings(
  'recordings of air quality',
  () => {
    const input = {
      body: recording('air-quality/gios/sensors.json', 'sensors'),
      lookups: { sensors: recording('air-quality/gios/station.json', 'sensors') },
    };
    const station = mapPreset(giosStation, input);
    const utrecht = mapPreset(waqi, { body: recording('air-quality/waqi/air_quality_sensor.json', 'sensors') });

    test('PRE-14 7 pollutants of 3 hours are 21 observations, and a replay adds none', () => {
      const ids = station.drafts.map(({ id }) => id);
      expect(new Set(ids).size).toBe(21);
      expect(new Set(station.drafts.map(({ entity }) => entity)).size).toBe(7);
      expect(mapPreset(giosStation, input).drafts.map(({ id }) => id)).toEqual(ids);
      expect(station.drafts.every(({ versionTime }) => versionTime?.endsWith('+02:00'))).toBe(true);
      expect(station.findings).toEqual({});
    });

    test('PRE-15 Utrecht tells 11 values and the index, the pollutant as it is spelt, at its own time', () => {
      const draft = utrecht.of('stations/4584');
      expect(values(draft, 'sosa:hasMember')).toHaveLength(12);
      expect(values(draft, 'schema:propertyID')).toEqual(['dominentpol']);
      expect(values(draft, 'schema:value')).toEqual(['o3']);
      expect(values(draft, 'qudt:hasUnit')).toEqual([]);
      expect(draft.versionTime).toBe('2023-08-07T17:00:00+02:00');
      expect(values(draft, 'geo:asWKT')).toEqual(['POINT (5.124464 52.105031)']);
    });

    test('PRE-2 both are mapped whole', async () => {
      await expectWhole(station, 'observation');
      await expectWhole(utrecht, 'observation');
    });
  },
  'sensors',
);
