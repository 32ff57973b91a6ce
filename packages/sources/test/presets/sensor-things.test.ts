import { describe, expect, test } from 'vitest';
import { sensorThings } from '../../src/presets/sensor-things.ts';
import { sensorThingsMqtt } from '../../src/presets/sensor-things-mqtt.ts';
import { datatypes, expectWhole, mapPreset, said, sample, tree, values } from './map-preset.ts';

const polled = mapPreset(sensorThings, { body: sample('sensorthings-observations.json') });
const topic = ['v1.1', 'Datastreams(12)', 'Observations'];
const sent = mapPreset(sensorThingsMqtt, { body: sample('sensorthings-mqtt-observation.json'), topic });

describe('over HTTP', () => {
  test('PRE-5 an observation is its own, with what it belongs to and its unit', () => {
    const draft = polled.of('datastreams/12#9001');
    expect(draft).toMatchObject({
      entity: 'https://live.example.org/things/entities/datastreams/12',
      id: 'https://live.example.org/things/entities/datastreams/12#9001',
      fingerprint: 'https://live.example.org/things/entities/datastreams/12#9001',
      versionTime: '2026-01-05T09:45:10Z',
    });
    expect(said(draft)).toEqual(
      tree(`<things/entities/datastreams/12#9001> a sosa:Observation ; dct:identifier "9001" ;
        rdfs:seeAlso <https://sensors.example/v1.1/Observations(9001)> ;
        sosa:phenomenonTime "2026-01-05T09:45:00Z"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:45:10Z"^^xsd:dateTime ;
        sosa:hasSimpleResult 2.75 ; schema:unitText "m" ;
        sosa:hasResult [ a qudt:QuantityValue ; qudt:numericValue 2.75 ; qudt:hasUnit unit:M ] ;
        dct:isPartOf <things/entities/datastreams/12> ; sosa:madeBySensor <id/sensors/5> ;
        sosa:observedProperty <id/properties/7> ; sosa:hasFeatureOfInterest <id/features/14> .`),
    );
    expect(values(draft, 'rdfs:label')).toEqual([
      'Level at the lock',
      'Lock 3',
      'Pressure probe',
      'The canal',
      'Water level',
    ]);
    expect(values(draft, 'geo:asWKT')).toEqual(['POINT (3.61 51.5)']);
  });

  test('PRE-5 an interval has both ends, and happened when it ended', () => {
    const ships = polled.of('#9002');
    expect(values(ships, 'sosa:phenomenonTime')).toEqual(['2026-01-05T09:00:00Z', '2026-01-05T10:00:00Z']);
    expect(ships.versionTime).toBe('2026-01-05T10:00:00Z');
  });

  test('PRE-5 a unit that QUDT does not have is text, and a result that is no number is no quantity', () => {
    expect(values(polled.of('#9002'), 'qudt:hasUnit')).toEqual([]);
    expect(values(polled.of('#9002'), 'schema:unitText')).toEqual(['ships']);
    expect(datatypes(polled.of('#9002'), 'qudt:numericValue')).toEqual(['decimal']);
    expect(values(polled.of('#9003'), 'sosa:hasSimpleResult')).toEqual(['open']);
    expect(values(polled.of('#9003'), 'sosa:hasResult')).toEqual([]);
  });

  test('PRE-5 an observation without a result is left out and told', () => {
    expect(polled.drafts).toHaveLength(3);
    expect(polled.problems.map(({ details }) => details.record)).toEqual([4]);
  });

  test('PRE-2 every field is mapped or left out, by both shapes', () => expectWhole(polled, 'observation'));
});

describe('over MQTT', () => {
  test('PRE-6 the observation that was polled and the one that was sent are one', () => {
    expect(sent.drafts).toHaveLength(1);
    expect(sent.drafts[0]?.id).toBe(polled.of('#9001').id);
    expect(sent.drafts[0]?.entity).toBe(polled.of('#9001').entity);
    expect(sent.drafts[0]?.versionTime).toBe(polled.of('#9001').versionTime);
  });

  test('PRE-6 without what it belongs to, it says what it has', () => {
    expect(said(sent.of('#9001'))).toEqual(
      tree(`<things/entities/datastreams/12#9001> a sosa:Observation ; dct:identifier "9001" ;
        rdfs:seeAlso <https://sensors.example/v1.1/Observations(9001)> ;
        sosa:phenomenonTime "2026-01-05T09:45:00Z"^^xsd:dateTime ; sosa:resultTime "2026-01-05T09:45:10Z"^^xsd:dateTime ;
        sosa:hasSimpleResult 2.75 ; dct:isPartOf <things/entities/datastreams/12> .`),
    );
  });

  test('PRE-6 a topic that names no datastream is told, not guessed', () => {
    const other = mapPreset(sensorThingsMqtt, {
      body: sample('sensorthings-mqtt-observation.json'),
      topic: ['v1.1', 'Observations'],
    });
    expect(other.drafts).toEqual([]);
    expect(other.problems).toHaveLength(1);
  });

  test('PRE-2 every field is mapped or left out, by both shapes', () => expectWhole(sent, 'observation'));
});
