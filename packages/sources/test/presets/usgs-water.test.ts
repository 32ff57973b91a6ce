import { expect, test } from 'vitest';
import { usgsWater } from '../../src/presets/usgs-water.ts';
import { expectWhole, mapPreset, said, sample, tree, values } from './map-preset.ts';

const mapped = mapPreset(usgsWater, { body: sample('usgs.json') });

test('PRE-16 a value in a text is an observation in the unit that it came in', () => {
  const draft = mapped.of('USGS/00000001/00065/501#2026-01-05T04:15:00.000-05:00');
  expect(said(draft)).toEqual(
    tree(`<things/entities/series/USGS/00000001/00065/501#2026-01-05T04:15:00.000-05:00> a sosa:Observation ;
      sosa:phenomenonTime "2026-01-05T04:15:00.000-05:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T04:15:00.000-05:00"^^xsd:dateTime ;
      sosa:hasFeatureOfInterest <id/sites/USGS/00000001> ; sosa:observedProperty <id/properties/usgs/00065> ;
      sosa:hasSimpleResult 3.21 ; sosa:hasResult [ a qudt:QuantityValue ; qudt:numericValue 3.21 ; qudt:hasUnit unit:FT ] ;
      schema:unitText "ft" ; schema:measurementQualifier "P" .`),
  );
  expect(draft.entity).toBe('https://live.example.org/things/entities/series/USGS/00000001/00065/501');
  expect(values(draft, 'rdfs:label')).toEqual(['Gage height, feet@en', 'MADE UP RIVER AT EXAMPLE']);
  expect(values(draft, 'geo:asWKT')).toEqual(['POINT (-77.1 38.9)']);
});

test('PRE-16 -999999 is no value', () => {
  expect(mapped.drafts).toHaveLength(2);
  expect(mapped.drafts.flatMap((draft) => values(draft, 'sosa:hasSimpleResult')).sort()).toEqual(['3.21', '7']);
  expect(mapped.problems.map(({ details }) => details.record)).toEqual([2]);
});

test('PRE-16 a unit that is not in the table stays as text', () => {
  const other = mapped.of('99999/502#2026-01-05T04:15:00.000-05:00');
  expect(values(other, 'qudt:hasUnit')).toEqual([]);
  expect(values(other, 'schema:unitText')).toEqual(['furlong']);
});

test('PRE-2 every field is mapped, by both shapes', () => expectWhole(mapped, 'observation'));
