import { describe, expect, test } from 'vitest';
import { datatypes, mapPreset, mappingOf, ofSample, said, sampleJson, told, tree, values } from './map-preset.ts';

const pm25 = 'http://dd.eionet.europa.eu/vocabulary/aq/pollutant/6001';

describe('samples of GIOS', () => {
  const sensor = ofSample('gios-sensor.json');
  const station = ofSample('gios-station.json');

  test('PRE-3 an hour is an observation, in the zone of the mapping', () => {
    expect(said(sensor.of('#2026-01-05T09:00:00+01:00'))).toEqual(
      tree(`<things/entities/sensors/XxTownMill-PM2.5-1g#2026-01-05T09:00:00+01:00> a sosa:Observation ;
        sosa:madeBySensor <#sensors/XxTownMill-PM2.5-1g> ; sosa:hasFeatureOfInterest <#stations/XxTownMill> ;
        sosa:observedProperty <${pm25}> ;
        sosa:phenomenonTime "2026-01-05T09:00:00+01:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:00:00+01:00"^^xsd:dateTime ;
        sosa:hasSimpleResult 17.25 ; sosa:hasResult [ a qudt:QuantityValue ; qudt:numericValue 17.25 ; qudt:hasUnit unit:MicroGM-PER-M3 ] .`),
    );
    expect(sensor.drafts.map(({ versionTime }) => versionTime)).toEqual([
      '2026-01-05T09:00:00+01:00',
      '2026-07-05T09:00:00+02:00',
    ]);
  });

  test('PRE-3 an hour that has no value yet is left out', () => {
    expect(sensor.problems.map(({ details }) => details.record)).toEqual([1]);
  });

  test('PRE-3 the pollutants of a station find their sensors, whatever the case of their names', () => {
    expect(station.findings).toEqual({});
    expect(station.drafts.map(({ entity }) => entity.split('/').at(-1)).sort()).toEqual(['41', '42']);
    expect(values(station.of('sensors/41#2026-01-05T09:00:00+01:00'), 'sosa:observedProperty')).toEqual([pm25]);
  });

  test('PRE-3 without a zone there is no time, and nothing is guessed', () => {
    const { timeZone: _, ...zoneless } = mappingOf('gios');
    const invalid = expect.objectContaining({ code: 'ERR_MAPPING_INVALID' });
    expect(() => mapPreset(zoneless, { body: sampleJson('gios-sensor.json') })).toThrow(invalid);
  });
});

describe('a sample of WAQI', () => {
  const mapped = ofSample('waqi.json');
  const { data } = sampleJson('waqi.json');
  const bare = mapPreset('waqi', { body: data });

  test('PRE-3 a station is a collection of what it tells now, and none of it has a unit', () => {
    expect(said(mapped.of('stations/77'))).toEqual(
      tree(`<things/entities/stations/77> a sosa:ObservationCollection ;
        dct:modified "2026-01-05T10:00:00+01:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T10:00:00+01:00"^^xsd:dateTime ;
        sosa:hasFeatureOfInterest <#stations/77> ;
        sosa:hasMember
          [ a sosa:Observation ; sosa:observedProperty <#properties/waqi/o3> ; sosa:hasSimpleResult 12.5 ],
          [ a sosa:Observation ; sosa:observedProperty <#properties/waqi/pm25> ; sosa:hasSimpleResult "41"^^xsd:decimal ],
          [ a sosa:Observation ; sosa:observedProperty <#properties/waqi/t> ; sosa:hasSimpleResult "-1"^^xsd:decimal ],
          [ a sosa:Observation ; sosa:observedProperty <#properties/waqi/aqi> ; sosa:hasSimpleResult "41"^^xsd:decimal ] ;
        schema:additionalProperty [ a schema:PropertyValue ; schema:propertyID "dominentpol" ; schema:value "pm25" ] ;
        prov:wasAttributedTo [ a prov:Agent ; rdfs:label "Air of Example" ; schema:url "https://air.example/"^^xsd:anyURI ] .`),
    );
    expect(mapped.drafts[0]?.quads.filter(({ predicate }) => predicate.value.includes('qudt'))).toEqual([]);
  });

  test('PRE-3 the place has its latitude first in the source, and its longitude first in WKT', () => {
    expect(values(mapped.of('77'), 'geo:asWKT')).toEqual(['POINT (5.12 52.1)']);
  });

  test('PRE-3 with or without its envelope it says the same', async () => {
    expect(bare.drafts[0]?.fingerprint).toBe(mapped.drafts[0]?.fingerprint);
    expect(await bare.unmapped()).toEqual([]);
  });

  test('PRE-3 a station without an index has none', () => {
    const draft = mapPreset('waqi', { body: { ...data, aqi: '-' } }).of('77');
    expect(values(draft, 'sosa:hasMember')).toHaveLength(3);
  });
});

const polled = ofSample('sensorthings-observations.json');
const sent = ofSample('sensorthings-mqtt-observation.json');

describe('SensorThings over HTTP', () => {
  test('PRE-3 an observation is its own, with what it belongs to and its unit', () => {
    const draft = polled.of('datastreams/12#9001');
    const entity = 'https://live.example.org/things/entities/datastreams/12';
    const id = `${entity}#9001`;
    expect(draft).toMatchObject({ entity, id, fingerprint: id, versionTime: '2026-01-05T09:45:10Z' });
    expect(said(draft)).toEqual(
      tree(`<things/entities/datastreams/12#9001> a sosa:Observation ; dct:identifier "9001" ;
        rdfs:seeAlso <https://sensors.example/v1.1/Observations(9001)> ;
        sosa:phenomenonTime "2026-01-05T09:45:00Z"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:45:10Z"^^xsd:dateTime ;
        sosa:hasSimpleResult 2.75 ; schema:unitText "m" ;
        sosa:hasResult [ a qudt:QuantityValue ; qudt:numericValue 2.75 ; qudt:hasUnit unit:M ] ;
        dct:isPartOf <things/entities/datastreams/12> ; sosa:madeBySensor <#sensors/5> ;
        sosa:observedProperty <#properties/7> ; sosa:hasFeatureOfInterest <#features/14> .`),
    );
    const labels = 'Level at the lock|Lock 3|Pressure probe|The canal|Water level';
    const more = { 'rdfs:label': labels, 'geo:asWKT': 'POINT (3.61 51.5)' };
    expect(told(draft, more)).toEqual(more);
  });

  const ends = '2026-01-05T09:00:00Z|2026-01-05T10:00:00Z';
  test.each<[end: string, said: Record<string, string>]>([
    // An interval has both ends, and happened when it ended.
    ['#9002', { 'sosa:phenomenonTime': ends, time: '2026-01-05T10:00:00Z' }],
    // A unit that QUDT does not have is text, and a result that is no number is no quantity.
    ['#9002', { 'qudt:hasUnit': '', 'schema:unitText': 'ships' }],
    ['#9003', { 'sosa:hasSimpleResult': 'open', 'sosa:hasResult': '' }],
  ])('PRE-3 the observation %s says %j', (end, said) => {
    expect(told(polled.of(end), said)).toEqual(said);
    expect(datatypes(polled.of('#9002'), 'qudt:numericValue')).toEqual(['decimal']);
  });

  test('PRE-3 an observation without a result is left out and told', () => {
    expect(polled.drafts).toHaveLength(3);
    expect(polled.problems.map(({ details }) => details.record)).toEqual([4]);
  });
});

describe('SensorThings over MQTT', () => {
  test('PRE-3 the observation that was polled and the one that was sent are one', () => {
    expect(sent.drafts).toHaveLength(1);
    const { id, entity, versionTime } = polled.of('#9001');
    expect(sent.drafts[0]).toMatchObject({ id, entity, versionTime });
  });

  test('PRE-3 without what it belongs to, it says what it has', () => {
    expect(said(sent.of('#9001'))).toEqual(
      tree(`<things/entities/datastreams/12#9001> a sosa:Observation ; dct:identifier "9001" ;
        rdfs:seeAlso <https://sensors.example/v1.1/Observations(9001)> ;
        sosa:phenomenonTime "2026-01-05T09:45:00Z"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:45:10Z"^^xsd:dateTime ;
        sosa:hasSimpleResult 2.75 ; dct:isPartOf <things/entities/datastreams/12> .`),
    );
  });

  test('PRE-3 a topic that names no datastream is told, not guessed', () => {
    const body = sampleJson('sensorthings-mqtt-observation.json');
    const other = mapPreset('sensorthings-mqtt', { body, topic: ['v1.1', 'Observations'] });
    expect(other.drafts).toEqual([]);
    expect(other.problems).toHaveLength(1);
  });
});

const water = ofSample('usgs.json');

test('PRE-3 a value in a text is an observation in the unit that it came in', () => {
  const draft = water.of('USGS/00000001/00065/501#2026-01-05T04:15:00.000-05:00');
  expect(said(draft)).toEqual(
    tree(`<things/entities/series/USGS/00000001/00065/501#2026-01-05T04:15:00.000-05:00> a sosa:Observation ;
      sosa:phenomenonTime "2026-01-05T04:15:00.000-05:00"^^xsd:dateTime ; sosa:resultTime "2026-01-05T04:15:00.000-05:00"^^xsd:dateTime ;
      sosa:hasFeatureOfInterest <#sites/USGS/00000001> ; sosa:observedProperty <#properties/usgs/00065> ;
      sosa:hasSimpleResult 3.21 ; sosa:hasResult [ a qudt:QuantityValue ; qudt:numericValue 3.21 ; qudt:hasUnit unit:FT ] ;
      schema:unitText "ft" ; schema:measurementQualifier "P" .`),
  );
  expect(draft.entity).toBe('https://live.example.org/things/entities/series/USGS/00000001/00065/501');
  expect(values(draft, 'rdfs:label')).toEqual(['Gage height, feet@en', 'MADE UP RIVER AT EXAMPLE']);
  expect(values(draft, 'geo:asWKT')).toEqual(['POINT (-77.1 38.9)']);
});

test('PRE-3 -999999 is no value', () => {
  expect(water.drafts).toHaveLength(2);
  expect(water.drafts.flatMap((draft) => values(draft, 'sosa:hasSimpleResult')).sort()).toEqual(['3.21', '7']);
  expect(water.problems.map(({ details }) => details.record)).toEqual([2]);
});

test('PRE-3 a unit that is not in the table stays as text', () => {
  const text = { 'qudt:hasUnit': '', 'schema:unitText': 'furlong' };
  expect(told(water.of('99999/502#2026-01-05T04:15:00.000-05:00'), text)).toEqual(text);
});
