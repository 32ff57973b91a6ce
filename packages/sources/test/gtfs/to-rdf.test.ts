import { namedNode, prefixes } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { describedTree } from '@ldes-live/test-support/rdf';
import { expect, test } from 'vitest';
import type { Alert, FeedEntity, TripUpdate, VehiclePosition } from '../../src/gtfs/generated/gtfs-realtime.ts';
import { createEntityIris, createKeyReader, type EntityKind, type NaturalKey } from '../../src/gtfs/keys.ts';
import { dateTimeText, decimalText, durationText, entityQuads, httpIri, languageTag } from '../../src/gtfs/to-rdf.ts';
import { bus, detour, publicUrl, streamUrl, train, turtleTree } from './feeds.ts';

const kinds: readonly EntityKind[] = ['trip_update', 'vehicle', 'alert', 'shape', 'stop', 'trip_modifications'];
const iris = createEntityIris({ base: publicUrl, stream: streamUrl });

function published(entity: FeedEntity, { publishLicensePlates = false } = {}) {
  const kind = kinds.find((one) => entity[one]) as EntityKind;
  const iri = iris.entity(kind, createKeyReader()(entity, kind) as NaturalKey, 1);
  const quads = entityQuads(iri, entity, kind, { iris, publishLicensePlates });
  return { entity: iri, tree: describedTree(quads, namedNode(iri)), quads };
}

const predicates = (entity: FeedEntity, options?: { publishLicensePlates: boolean }) =>
  published(entity, options).quads.map((quad) => quad.predicate.value);
const position = (vehicle: VehiclePosition): FeedEntity => ({ id: 'e', vehicle: { vehicle: { id: '1' }, ...vehicle } });
const update = (said: Partial<TripUpdate>): FeedEntity => ({
  id: 'e',
  trip_update: { trip: { trip_id: 't' }, ...said },
});
const alert = (said: Alert): FeedEntity => ({ id: 'e', alert: said });

const TIME = 1_699_405_500;
const texts = (text: string) => ({ translation: [{ text, language: 'en-US' }] });
const modified_trip = { modifications_id: 'm', affected_trip_id: 'o', start_date: '20240209', start_time: '01:00:00' };
const fullTrip = { trip_id: 't', start_date: '20240208', start_time: '25:14:00', direction_id: 6, modified_trip };
const fullPosition = position({
  trip: { ...fullTrip, schedule_relationship: 'ADDED' },
  vehicle: { id: '1', label: '12', wheelchair_accessible: 'UNKNOWN' },
  position: { latitude: 1, longitude: 2, bearing: 90.5, odometer: 1e21, speed: 0 },
  ...{
    current_status: 'STOPPED_AT',
    congestion_level: 'STOP_AND_GO',
    occupancy_status: 'FULL',
    occupancy_percentage: 110,
  },
  multi_carriage_details: [
    { id: 'c', label: 'C', occupancy_status: 'EMPTY', occupancy_percentage: -1, carriage_sequence: 1 },
    {},
  ],
});
const fullTripProperties = { trip_id: 'd', start_date: '20240208', start_time: '10:00:00', shape_id: 's' };
const stop_time_properties = { assigned_stop_id: 'p2', stop_headsign: 'South', pickup_type: 'NONE' } as const;
const fullUpdate = update({
  timestamp: TIME,
  vehicle: { label: 'Pride' },
  delay: -90,
  trip_properties: { ...fullTripProperties, trip_headsign: 'North', trip_short_name: '12' },
  stop_time_update: [
    {
      arrival: { delay: 0, uncertainty: 30, scheduled_time: TIME },
      departure: { delay: -5, uncertainty: 0, scheduled_time: TIME + 4 },
      schedule_relationship: 'SCHEDULED',
      departure_occupancy_status: 'NO_DATA_AVAILABLE',
      stop_time_properties: { ...stop_time_properties, drop_off_type: 'PHONE_AGENCY' },
    },
  ],
});
const linked = { url: 'https://a.example/i.png', media_type: 'image/png', language: 'EN' };
const fullAlert = alert({
  active_period: [{ start: TIME }, {}],
  communication_period: [{ end: TIME }],
  impact_period: [{ start: TIME, end: TIME + 1 }],
  severity_level: 'SEVERE',
  ...{ tts_header_text: texts('t'), tts_description_text: texts('d'), description_text: texts('D') },
  ...{ cause_detail: texts('c'), effect_detail: texts('e'), image_alternative_text: texts('i') },
  image: { localized_image: [linked, { url: 'i.png', media_type: 'image/png' }] },
  url: { translation: [{ text: 'no address' }] },
});
const selectors = [
  { agency_id: 'a' },
  { stop_id: 's' },
  { stop_id: 's' },
  { trip: { trip_id: 't' } },
  { trip: { trip_id: 't', start_date: '20240208' } },
  { route_type: 3 },
  { route_type: 700, direction_id: 1 },
  { route_id: 'r', stop_id: 's' },
  { route_id: 'r', trip: { route_id: 'other', trip_id: 't' } },
  { trip: { route_id: 'r', direction_id: 0 } },
];
const languages = [{ text: 'a' }, { text: 'b', language: 'fr' }, { text: 'c', language: 'fr_FR' }];
const stop_name = { translation: [{ text: 'Gare', language: 'fr' }] };
const stop = { stop_id: 'p', stop_name, stop_lat: Math.fround(42.34006), wheelchair_boarding: 'UNKNOWN' } as const;
const modification = {
  start_stop_selector: { stop_sequence: 3 },
  propagated_modification_delay: 120,
  replacement_stops: [{ stop_id: 'x', travel_time_to_stop: -30 }],
  last_modified_time: TIME,
};
const selected_trips = [{ trip_ids: ['a', 'b'], shape_id: 's' }];
const trip_modifications = { selected_trips, service_dates: ['20240208'], modifications: [modification] };

const noted = (seconds: string) => `"2023-11-08T01:0${seconds}Z"^^xsd:dateTime`;
const selector = (said: string) => `[ a grt:EntitySelector ; ${said} ]`;

/** Tests what is published of an entity, each set but for what it lacks to the least or with everything. */
const says =
  (name: string, of: FeedEntity) =>
  (texts: TemplateStringsArray, ...values: string[]) =>
    test(`${name} is written with existing terms where there are any`, () => {
      const { entity, tree } = published(of);
      const turtle = String.raw(texts, ...values);
      expect(tree).toEqual(turtleTree(turtle));
      // The tree has no subject: that is of the stream.
      expect(entity).toBe(turtle.replace(/^<rt\/([^>]*)>.*$/s, `${publicUrl}vehicles/entities/$1`));
    });

says('GTFS-16 a bus', bus)`<rt/vehicles/4382> a schema:Vehicle ; sosa:resultTime "2021-09-02T15:31:30Z"^^xsd:dateTime ;
    dct:identifier "4382" ; gtfs:trip <#trips/49195152> ; gtfs:route <#routes/100001> ;
    rt:tripInstance <#trips/49195152/20210902> ; rt:startDate "20210902" ;
    rt:currentStop <#stops/2470> ; rt:currentStopSequence 169 ; wgs:lat 47.636154 ; wgs:long -122.37035 ;
    geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (-122.37035 47.636154)"^^geo:wktLiteral ] .`;

says('GTFS-16 a vehicle with everything set', fullPosition)`<rt/vehicles/1> a schema:Vehicle ; dct:identifier "1" ;
    rdfs:label "12" ; rt:wheelchairAccessible rt:WheelchairAccessibleUnknown ;
    gtfs:trip <#trips/t> ; rt:tripInstance <#trips/t/20240208/25%3A14%3A00> ;
    rt:startDate "20240208" ; rt:startTime "25:14:00" ; rt:directionId 6 ; rt:scheduleRelationship rt:Added ;
    rt:modifiedTrip [ a rt:ModifiedTrip ; rt:modificationsId "m" ; rt:affectedTrip <#trips/o> ;
      rt:startDate "20240209" ; rt:startTime "01:00:00" ] ;
    rt:currentStatus rt:StoppedAt ; wgs:lat "1"^^xsd:decimal ; wgs:long "2"^^xsd:decimal ;
    geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (2 1)"^^geo:wktLiteral ] ;
    rt:bearing 90.5 ; rt:odometer "1000000000000000000000"^^xsd:decimal ; rt:speed "0"^^xsd:decimal ;
    rt:congestionLevel rt:StopAndGo ; rt:occupancyStatus rt:Full ; rt:occupancyPercentage 110 ;
    rt:carriage [ a rt:Carriage ; dct:identifier "c" ; rdfs:label "C" ; rt:carriageSequence 1 ;
      rt:occupancyStatus rt:Empty ; rt:occupancyPercentage -1 ], [ a rt:Carriage ] .`;

// No default stands for what is not set.
says('GTFS-7 the least', position({}))`<rt/vehicles/1> a schema:Vehicle ; dct:identifier "1" .`;

says('GTFS-16 a train', train)`<rt/trips/124/20231107/update> a grt:TripUpdate ;
    gtfs:trip <#trips/124> ; gtfs:route <#routes/L1> ;
    rt:tripInstance <#trips/124/20231107> ; rt:startDate "20231107" ;
    rt:vehicle <#vehicles/124> ; rt:scheduleRelationship rt:Scheduled ;
    rt:stopTimeUpdate
      [ a grt:StopTimeUpdate ; gtfs:stopSequence 20 ; gtfs:stop <#stops/70232> ; schema:departureTime ${noted('5:04')} ],
      [ a grt:StopTimeUpdate ; gtfs:stopSequence 21 ; gtfs:stop <#stops/70242> ;
        schema:arrivalTime "2023-11-08T01:10:01Z"^^xsd:dateTime ;
        schema:departureTime "2023-11-08T01:10:01Z"^^xsd:dateTime ; rt:arrivalDelay "PT60S"^^xsd:duration ] .`;

says('GTFS-16 an update with everything set', fullUpdate)`<rt/trips/t/update> a grt:TripUpdate ;
    sosa:resultTime ${noted('5:00')} ;
    gtfs:trip <#trips/t> ; rt:vehicleLabel "Pride" ; rt:delay "-PT90S"^^xsd:duration ;
    rt:tripProperties [ a rt:TripProperties ; gtfs:trip <#trips/d> ; rt:startDate "20240208" ;
      rt:startTime "10:00:00" ; gtfs:shape <#shapes/s> ; gtfs:headsign "North" ; gtfs:shortName "12" ] ;
    rt:stopTimeUpdate [ a grt:StopTimeUpdate ;
      rt:arrivalDelay "PT0S"^^xsd:duration ; rt:departureDelay "-PT5S"^^xsd:duration ;
      rt:arrivalUncertainty "PT30S"^^xsd:duration ; rt:departureUncertainty "PT0S"^^xsd:duration ;
      rt:scheduledArrivalTime ${noted('5:00')} ; rt:scheduledDepartureTime ${noted('5:04')} ;
      rt:scheduleRelationship rt:StopTimeScheduled ; rt:departureOccupancyStatus rt:NoDataAvailable ;
      rt:assignedStop <#stops/p2> ; gtfs:headsign "South" ; gtfs:pickupType rt:None ;
      gtfs:dropOffType rt:PhoneAgency ] .`;

// With a delay only no time is invented.
says(
  'GTFS-16 a delay alone',
  update({ stop_time_update: [{ stop_sequence: 1, departure: { delay: 60 } }] }),
)`<rt/trips/t/update> a grt:TripUpdate ; gtfs:trip <#trips/t> ; rt:stopTimeUpdate
    [ a grt:StopTimeUpdate ; gtfs:stopSequence 1 ; rt:departureDelay "PT60S"^^xsd:duration ] .`;

says('GTFS-16 a detour', detour)`<rt/alerts/${detour.id}> a grt:Alert ; rt:cause rt:Construction ; rt:effect rt:Detour ;
    dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "2021-09-14T16:00:00Z"^^xsd:dateTime ;
      dcat:endDate "2021-12-24T17:00:00Z"^^xsd:dateTime ] ;
    rt:informedEntity ${selector('gtfs:route <#routes/45>')} ; dct:subject <#routes/45> ;
    foaf:page <https://www.bibus.fr/deviation/20265cf9.pdf> ;
    dct:title "L 45 Prolongation des travaux rue de Kermaria jusqu'au 24/12" .`;

says('GTFS-16 an alert with everything set', fullAlert)`<rt/alerts/e> a grt:Alert ; rt:severityLevel rt:Severe ;
    dct:temporal [ a dct:PeriodOfTime ; dcat:startDate ${noted('5:00')} ], [ a dct:PeriodOfTime ] ;
    rt:communicationPeriod [ a dct:PeriodOfTime ; dcat:endDate ${noted('5:00')} ] ;
    rt:impactPeriod [ a dct:PeriodOfTime ; dcat:startDate ${noted('5:00')} ; dcat:endDate ${noted('5:01')} ] ;
    rt:ttsHeaderText "t"@en-us ; rt:ttsDescriptionText "d"@en-us ; dct:description "D"@en-us ;
    rt:causeDetail "c"@en-us ; rt:effectDetail "e"@en-us ; rt:imageAlternativeText "i"@en-us ;
    rt:image [ a rt:Image ; rt:imageUrl <https://a.example/i.png> ; rt:mediaType "image/png" ; dct:language "en" ],
      [ a rt:Image ; rt:mediaType "image/png" ] .`;

// A text has the language that the feed says, if that is a well-formed tag.
says('GTFS-21 texts', alert({ header_text: { translation: languages } }))`<rt/alerts/e> a grt:Alert ;
    dct:title "a", "b"@fr, "c" .`;

// The empty string is not set, wherever it stands.
says(
  'GTFS-8 a vehicle with empty texts',
  position({
    trip: { trip_id: 't', route_id: '', start_date: '20240208', start_time: '' },
    vehicle: { id: '1', label: '' },
    stop_id: '',
    multi_carriage_details: [{ id: '', label: '' }],
  }),
)`<rt/vehicles/1> a schema:Vehicle ; dct:identifier "1" ; gtfs:trip <#trips/t> ;
    rt:tripInstance <#trips/t/20240208> ; rt:startDate "20240208" ; rt:carriage [ a rt:Carriage ] .`;

says(
  'GTFS-8 an alert with empty texts',
  alert({
    header_text: {
      translation: [
        { text: '', language: 'en' },
        { text: 'a', language: '' },
      ],
    },
    image: { localized_image: [{ url: '', media_type: '', language: '' }] },
    informed_entity: [
      { agency_id: '', route_id: '', trip: { route_id: 'r' } },
      { agency_id: '', stop_id: 's' },
    ],
  }),
)`<rt/alerts/e> a grt:Alert ; dct:title "a" ; dct:subject <#stops/s> ; rt:image [ a rt:Image ] ;
    rt:informedEntity ${selector('gtfs:route <#routes/r>')}, ${selector('gtfs:stop <#stops/s>')} .`;

says('GTFS-8 a shape with empty texts', {
  id: 'e',
  shape: { shape_id: 's', encoded_polyline: '' },
})`<rt/shapes/s> a rt:Shape ; rt:shapeId "s" .`;

// The keys of a selector hold together, and only a sole one is the subject.
says('GTFS-16 selectors', alert({ informed_entity: selectors }))`<rt/alerts/e> a grt:Alert ;
    dct:subject <#agencies/a>, <#stops/s>, <#trips/t>, <#trips/t/20240208> ;
    rt:informedEntity ${selector('gtfs:agency <#agencies/a>')}, ${selector('gtfs:stop <#stops/s>')},
      ${selector('gtfs:stop <#stops/s>')}, ${selector('gtfs:trip <#trips/t>')},
      ${selector('gtfs:trip <#trips/t> ; rt:tripInstance <#trips/t/20240208> ; rt:startDate "20240208"')},
      ${selector('gtfs:routeType gtfs:Bus')}, ${selector('rt:routeType 700 ; rt:directionId 1')},
      ${selector('gtfs:route <#routes/r> ; gtfs:stop <#stops/s>')},
      ${selector('gtfs:route <#routes/r> ; gtfs:trip <#trips/t>')},
      ${selector('gtfs:route <#routes/r> ; rt:directionId 0')} .`;

says('GTFS-16 a shape', {
  id: 'e',
  shape: { shape_id: 's', encoded_polyline: '_p~iF' },
})`<rt/shapes/s> a rt:Shape ; rt:shapeId "s" ; rt:encodedPolyline "_p~iF" .`;

says('GTFS-16 a stop', {
  id: 'e',
  stop,
})`<rt/stops/p> a rt:Stop ; rt:stopId "p" ; rt:stopName "Gare"@fr ; rt:stopLat 42.34006 ;
    rt:wheelchairBoarding rt:WheelchairBoardingUnknown .`;

says('GTFS-16 trip modifications', {
  id: 'e',
  trip_modifications,
})`<rt/trip-modifications/e> a rt:TripModifications ; rt:serviceDates "20240208" ;
    rt:selectedTrips [ a rt:SelectedTrips ; rt:tripIds "a", "b" ; rt:shapeId "s" ] ;
    rt:modifications [ a rt:Modification ; rt:startStopSelector [ a rt:StopSelector ; rt:stopSequence 3 ] ;
      rt:propagatedModificationDelay "PT120S"^^xsd:duration ;
      rt:replacementStops [ a rt:ReplacementStop ; rt:stopId "x" ; rt:travelTimeToStop "-PT30S"^^xsd:duration ] ;
      rt:lastModifiedTime ${noted('5:00')} ] .`;

test('GTFS-23 a licence plate is published only where that is configured', () => {
  const entity = position({ vehicle: { id: '1', license_plate: '青森200か1' } });
  expect(JSON.stringify(published(entity).quads)).not.toContain('青森200か1');
  const { tree } = published(entity, { publishLicensePlates: true });
  expect(tree).toContainEqual([`${prefixes.rt}licensePlate`, ['青森200か1', '', `${prefixes.xsd}string`]]);
});

test('GTFS-19 a place that is no number is left out whole', () => {
  const all = predicates(position({ position: { latitude: Number.NaN, longitude: 2, bearing: 1 } }));
  const placed = all.filter((predicate) => /#(lat|long|hasGeometry|bearing)$/.test(predicate));
  expect(placed).toEqual([`${prefixes.rt}bearing`]);
});

const float = (value: string) => decimalText(Math.fround(Number(value)), 'float');
const double = (value: string) => decimalText(Number(value), 'double');
const seconds = (value: string) => dateTimeText(Number(value));
const lasting = (value: string) => durationText(Number(value));
const link = (value: string) => httpIri(` ${value}\n`);
/** Values that are not written. */
const none = (...values: unknown[]) => Object.fromEntries(values.map((value) => [String(value), undefined]));
const same = (...values: string[]) => Object.fromEntries(values.map((value) => [value, value]));
const zeros = (count: number) => '0'.repeat(count);

test.each<[id: string, write: (value: string) => string | undefined, texts: Record<string, string | undefined>]>([
  ['GTFS-20', float, same('47.636154', '42.34006', '0.051444', '0', '5', '0.1', '16777216')],
  ['GTFS-20', float, { '-122.370354': '-122.37035', '-0': '0', '1e-7': '0.0000001', '-1.5e-10': '-0.00000000015' }],
  ['GTFS-20', float, { '1e30': `1${zeros(30)}`, '3.4028235e38': `34028235${zeros(31)}` }],
  ['GTFS-20', float, { [2 ** -149]: `0.${zeros(44)}1`, ...none(Number.NaN, 1 / 0, -1 / 0) }],
  ['GTFS-20', double, { '1.7976931348623157e308': `17976931348623157${zeros(292)}`, '5e-324': `0.${zeros(323)}5` }],
  ['GTFS-20', double, { ...same('12345.678'), ...none(Number.NaN, 1 / 0, -1 / 0) }],
  ['GTFS-19', seconds, { 1: '1970-01-01T00:00:01Z', 1630596690: '2021-09-02T15:31:30Z' }],
  ['GTFS-19', seconds, { 253402300799: '9999-12-31T23:59:59Z', ...none(253_402_300_800) }],
  ['GTFS-19', seconds, none(0, -1, 1_699_405_500_000, Number.MAX_SAFE_INTEGER)],
  ['GTFS-16', lasting, { 60: 'PT60S', 0: 'PT0S', '-90': '-PT90S' }],
  ['GTFS-21', languageTag, { en: 'en', 'pt-BR': 'pt-br', 'zh-Hant-TW': 'zh-hant-tw' }],
  ['GTFS-21', languageTag, none('', 'en_US', 'englishlanguage', 'e n', '12', 'en-', 'español')],
  ['GTFS-16', link, same('https://a.example/x?y=1#z', 'HTTP://a.example', 'https://a.example/é')],
  ['GTFS-16', link, none('', 'www.a.example', 'mailto:a@b.example', 'javascript:alert(1)', 'https://a b', 'https://')],
  ['GTFS-16', link, none('https://a.example/<x>')],
])('%s values are written as the table says, or not at all (%#)', (_, write, texts) => {
  for (const [value, text] of Object.entries(texts)) expect([value, write(value)]).toEqual([value, text]);
});

test('GTFS-20 any 32-bit float reads back the same, is an xsd:decimal, and no shorter one does', () => {
  check(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value, 'float') as string;
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Math.fround(Number(text)) + 0).toBe(value + 0);
      const digits = text.replace(/^-?0*\.?0*|\.|-/g, '').replace(/0+$/, '').length;
      if (digits > 1) expect(Math.fround(Number(value.toPrecision(digits - 1)))).not.toBe(value);
    }),
  );
});

test('GTFS-20 any 64-bit float reads back the same', () => {
  check(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value, 'double') as string;
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
    }),
  );
});
