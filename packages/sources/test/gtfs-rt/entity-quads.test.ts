import { namedNode, prefixes } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import { entityDrafts } from '../../src/gtfs-rt/entity-drafts.ts';
import type { Alert, TripUpdate, VehiclePosition } from '../../src/gtfs-rt/feed-entities.ts';
import type { FeedEntity } from '../../src/gtfs-rt/feed-message.ts';
import { createRtMapping, type RtMappingOptions } from '../../src/gtfs-rt/rt-mapping.ts';
import { bus, detour, feedOf, train } from './sample-feed.ts';
import { describedTree, publicUrl, streamUrl, turtleTree } from './turtle-tree.ts';

function published(entity: FeedEntity, options: Partial<RtMappingOptions> = {}) {
  const mapping = createRtMapping({ publicUrl, streamUrl, ...options });
  const { drafts } = entityDrafts(
    { feed: feedOf([entity]), unknownFields: {}, skippedEntities: [] },
    { origin: 'feed', mapping },
  );
  const draft = drafts[0];
  if (!draft) throw new Error('no draft');
  return { entity: draft.entity, tree: describedTree(draft.quads, namedNode(draft.entity)), quads: draft.quads };
}

const predicates = (entity: FeedEntity, options?: Partial<RtMappingOptions>) =>
  published(entity, options).quads.map((quad) => quad.predicate.value);
const position = (vehicle: VehiclePosition): FeedEntity => ({ id: 'e', vehicle: { vehicle: { id: '1' }, ...vehicle } });
const update = (said: Partial<TripUpdate>): FeedEntity => ({
  id: 'e',
  trip_update: { trip: { trip_id: 't' }, ...said },
});
const alert = (said: Alert): FeedEntity => ({ id: 'e', alert: said });

describe('a vehicle position', () => {
  test('GTFS-16 of a bus is written with existing terms where there are any', () => {
    const { entity, tree } = published(bus);
    expect(entity).toBe(`${publicUrl}vehicles/entities/vehicles/4382/position`);
    expect(tree).toEqual(
      turtleTree(`<rt/vehicles/4382/position> a grt:VehiclePosition, sosa:Observation ;
        sosa:resultTime "2021-09-02T15:31:30Z"^^xsd:dateTime ;
        sosa:hasFeatureOfInterest <id/vehicles/4382> ;
        sosa:observedProperty rt:vehiclePosition ;
        gtfs:trip <id/trips/49195152> ; gtfs:route <id/routes/100001> ;
        rt:tripInstance <id/trips/49195152/20210902> ; rt:startDate "20210902" ;
        rt:currentStop <id/stops/2470> ; rt:currentStopSequence 169 ;
        wgs:lat 47.636154 ; wgs:long -122.37035 ;
        geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (-122.37035 47.636154)"^^geo:wktLiteral ] .`),
    );
  });

  test('GTFS-16 with everything set says everything', () => {
    const { tree } = published(
      position({
        trip: {
          trip_id: 't',
          start_date: '20240208',
          start_time: '25:14:00',
          direction_id: 6,
          schedule_relationship: 'ADDED',
          modified_trip: {
            modifications_id: 'm',
            affected_trip_id: 'o',
            start_date: '20240209',
            start_time: '01:00:00',
          },
        },
        vehicle: { id: '1', label: '12', wheelchair_accessible: 'UNKNOWN' },
        position: { latitude: 1, longitude: 2, bearing: 90.5, odometer: 1e21, speed: 0 },
        current_status: 'STOPPED_AT',
        congestion_level: 'STOP_AND_GO',
        occupancy_status: 'FULL',
        occupancy_percentage: 110,
        multi_carriage_details: [
          { id: 'c', label: 'C', occupancy_status: 'EMPTY', occupancy_percentage: -1, carriage_sequence: 1 },
          {},
        ],
      }),
    );
    expect(tree).toEqual(
      turtleTree(`<rt/vehicles/1/position> a grt:VehiclePosition, sosa:Observation ;
        sosa:hasFeatureOfInterest <id/vehicles/1> ; sosa:observedProperty rt:vehiclePosition ;
        rdfs:label "12" ; rt:wheelchairAccessible rt:WheelchairAccessibleUnknown ;
        gtfs:trip <id/trips/t> ; rt:tripInstance <id/trips/t/20240208/25%3A14%3A00> ;
        rt:startDate "20240208" ; rt:startTime "25:14:00" ; rt:directionId 6 ; rt:scheduleRelationship rt:Added ;
        rt:modifiedTrip [ a rt:ModifiedTrip ; rt:modificationsId "m" ; rt:affectedTrip <id/trips/o> ;
          rt:startDate "20240209" ; rt:startTime "01:00:00" ] ;
        rt:currentStatus rt:StoppedAt ;
        wgs:lat "1"^^xsd:decimal ; wgs:long "2"^^xsd:decimal ;
        geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (2 1)"^^geo:wktLiteral ] ;
        rt:bearing 90.5 ; rt:odometer "1000000000000000000000"^^xsd:decimal ; rt:speed "0"^^xsd:decimal ;
        rt:congestionLevel rt:StopAndGo ; rt:occupancyStatus rt:Full ; rt:occupancyPercentage 110 ;
        rt:carriage [ a rt:Carriage ; dct:identifier "c" ; rdfs:label "C" ; rt:carriageSequence 1 ;
          rt:occupancyStatus rt:Empty ; rt:occupancyPercentage -1 ], [ a rt:Carriage ] .`),
    );
  });

  test('GTFS-7 what is not set is not published, and no default stands for it', () => {
    const { tree } = published(position({}));
    expect(tree).toEqual(
      turtleTree(`<rt/vehicles/1/position> a grt:VehiclePosition, sosa:Observation ;
        sosa:hasFeatureOfInterest <id/vehicles/1> ; sosa:observedProperty rt:vehiclePosition .`),
    );
  });

  test('GTFS-7 a speed of 0 that is set is published', () => {
    const rt = `${publicUrl}ns/rt#speed`;
    expect(predicates(position({ position: { latitude: 1, longitude: 2, speed: 0 } }))).toContain(rt);
    expect(predicates(position({ position: { latitude: 1, longitude: 2 } }))).not.toContain(rt);
  });

  test('GTFS-23 a licence plate is published only where that is configured', () => {
    const entity = position({ vehicle: { id: '1', license_plate: '青森200か1' } });
    expect(JSON.stringify(published(entity).quads)).not.toContain('青森200か1');
    const { tree } = published(entity, { publishLicensePlates: true });
    expect(tree).toContainEqual([`${publicUrl}ns/rt#licensePlate`, ['青森200か1', '', `${prefixes.xsd}string`]]);
  });

  test('GTFS-19 a place that is no number is left out whole', () => {
    const all = predicates(position({ position: { latitude: Number.NaN, longitude: 2, bearing: 1 } }));
    expect(all.filter((predicate) => /#(lat|long|hasGeometry|bearing)$/.test(predicate))).toEqual([
      `${publicUrl}ns/rt#bearing`,
    ]);
  });
});

describe('a trip update', () => {
  test('GTFS-16 of a train is written with existing terms where there are any', () => {
    const { entity, tree } = published(train);
    expect(entity).toBe(`${publicUrl}vehicles/entities/trips/124/20231107/update`);
    expect(tree).toEqual(
      turtleTree(`<rt/trips/124/20231107/update> a grt:TripUpdate ;
        gtfs:trip <id/trips/124> ; gtfs:route <id/routes/L1> ;
        rt:tripInstance <id/trips/124/20231107> ; rt:startDate "20231107" ;
        rt:vehicle <id/vehicles/124> ; rt:scheduleRelationship rt:Scheduled ;
        rt:stopTimeUpdate
          [ a grt:StopTimeUpdate ; gtfs:stopSequence 20 ; gtfs:stop <id/stops/70232> ;
            schema:departureTime "2023-11-08T01:05:04Z"^^xsd:dateTime ],
          [ a grt:StopTimeUpdate ; gtfs:stopSequence 21 ; gtfs:stop <id/stops/70242> ;
            schema:arrivalTime "2023-11-08T01:10:01Z"^^xsd:dateTime ;
            schema:departureTime "2023-11-08T01:10:01Z"^^xsd:dateTime ;
            rt:arrivalDelay "PT60S"^^xsd:duration ] .`),
    );
  });

  test('GTFS-16 with everything set says everything', () => {
    const { tree } = published(
      update({
        timestamp: 1_699_405_500,
        vehicle: { label: 'Pride' },
        delay: -90,
        trip_properties: {
          trip_id: 'd',
          start_date: '20240208',
          start_time: '10:00:00',
          shape_id: 's',
          trip_headsign: 'North',
          trip_short_name: '12',
        },
        stop_time_update: [
          {
            arrival: { delay: 0, uncertainty: 30, scheduled_time: 1_699_405_500 },
            departure: { delay: -5, uncertainty: 0, scheduled_time: 1_699_405_504 },
            schedule_relationship: 'SCHEDULED',
            departure_occupancy_status: 'NO_DATA_AVAILABLE',
            stop_time_properties: {
              assigned_stop_id: 'p2',
              stop_headsign: 'South',
              pickup_type: 'NONE',
              drop_off_type: 'PHONE_AGENCY',
            },
          },
        ],
      }),
    );
    expect(tree).toEqual(
      turtleTree(`<rt/trips/t/update> a grt:TripUpdate ; sosa:resultTime "2023-11-08T01:05:00Z"^^xsd:dateTime ;
        gtfs:trip <id/trips/t> ; rt:vehicleLabel "Pride" ; rt:delay "-PT90S"^^xsd:duration ;
        rt:tripProperties [ a rt:TripProperties ; gtfs:trip <id/trips/d> ; rt:startDate "20240208" ;
          rt:startTime "10:00:00" ; rt:shapeId "s" ; gtfs:headsign "North" ; rt:tripShortName "12" ] ;
        rt:stopTimeUpdate [ a grt:StopTimeUpdate ;
          rt:arrivalDelay "PT0S"^^xsd:duration ; rt:departureDelay "-PT5S"^^xsd:duration ;
          rt:arrivalUncertainty "PT30S"^^xsd:duration ; rt:departureUncertainty "PT0S"^^xsd:duration ;
          rt:scheduledArrivalTime "2023-11-08T01:05:00Z"^^xsd:dateTime ;
          rt:scheduledDepartureTime "2023-11-08T01:05:04Z"^^xsd:dateTime ;
          rt:scheduleRelationship rt:StopTimeScheduled ; rt:departureOccupancyStatus rt:NoDataAvailable ;
          rt:assignedStop <id/stops/p2> ; gtfs:headsign "South" ; gtfs:pickupType rt:None ;
          gtfs:dropOffType rt:PhoneAgency ] .`),
    );
  });

  test('GTFS-16 with a delay only invents no time', () => {
    const { quads } = published(update({ stop_time_update: [{ stop_sequence: 1, departure: { delay: 60 } }] }));
    expect(quads.filter((quad) => quad.object.termType === 'Literal').map((quad) => quad.object.value)).toEqual([
      '1',
      'PT60S',
    ]);
  });
});

describe('an alert', () => {
  test('GTFS-16 of a detour is written with existing terms where there are any', () => {
    const { entity, tree } = published(detour);
    expect(entity).toBe(`${publicUrl}vehicles/entities/alerts/2ea09850-74d9-4db7-a537-d97d821956e8`);
    expect(tree).toEqual(
      turtleTree(`<rt/alerts/2ea09850-74d9-4db7-a537-d97d821956e8> a grt:Alert ;
        rt:cause rt:Construction ; rt:effect rt:Detour ;
        dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "2021-09-14T16:00:00Z"^^xsd:dateTime ;
          dcat:endDate "2021-12-24T17:00:00Z"^^xsd:dateTime ] ;
        rt:informedEntity [ a grt:EntitySelector ; gtfs:route <id/routes/45> ] ;
        dct:subject <id/routes/45> ;
        foaf:page <https://www.bibus.fr/deviation/20265cf9.pdf> ;
        dct:title "L 45 Prolongation des travaux rue de Kermaria jusqu'au 24/12" .`),
    );
  });

  test('GTFS-16 with everything set says everything', () => {
    const texts = (text: string) => ({ translation: [{ text, language: 'en-US' }] });
    const { tree } = published(
      alert({
        active_period: [{ start: 1_699_405_500 }, {}],
        communication_period: [{ end: 1_699_405_500 }],
        impact_period: [{ start: 1_699_405_500, end: 1_699_405_501 }],
        severity_level: 'SEVERE',
        tts_header_text: texts('t'),
        tts_description_text: texts('d'),
        description_text: texts('D'),
        cause_detail: texts('c'),
        effect_detail: texts('e'),
        image: {
          localized_image: [
            { url: 'https://a.example/i.png', media_type: 'image/png', language: 'EN' },
            { url: 'i.png', media_type: 'image/png' },
          ],
        },
        image_alternative_text: texts('i'),
        url: { translation: [{ text: 'no address' }] },
      }),
    );
    expect(tree).toEqual(
      turtleTree(`<rt/alerts/e> a grt:Alert ; rt:severityLevel rt:Severe ;
        dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "2023-11-08T01:05:00Z"^^xsd:dateTime ],
          [ a dct:PeriodOfTime ] ;
        rt:communicationPeriod [ a dct:PeriodOfTime ; dcat:endDate "2023-11-08T01:05:00Z"^^xsd:dateTime ] ;
        rt:impactPeriod [ a dct:PeriodOfTime ; dcat:startDate "2023-11-08T01:05:00Z"^^xsd:dateTime ;
          dcat:endDate "2023-11-08T01:05:01Z"^^xsd:dateTime ] ;
        rt:ttsHeaderText "t"@en-us ; rt:ttsDescriptionText "d"@en-us ; dct:description "D"@en-us ;
        rt:causeDetail "c"@en-us ; rt:effectDetail "e"@en-us ; rt:imageAlternativeText "i"@en-us ;
        rt:image [ a rt:Image ; rt:imageUrl <https://a.example/i.png> ; rt:mediaType "image/png" ; dct:language "en" ],
          [ a rt:Image ; rt:mediaType "image/png" ] .`),
    );
  });

  test('GTFS-21 a text has the language that the feed says, if that is a well-formed tag', () => {
    const translation = [{ text: 'a' }, { text: 'b', language: 'fr' }, { text: 'c', language: 'fr_FR' }];
    const { tree } = published(alert({ header_text: { translation } }));
    expect(tree).toEqual(turtleTree('<rt/alerts/e> a grt:Alert ; dct:title "a", "b"@fr, "c" .'));
  });

  test('GTFS-16 the keys of a selector hold together, and only a sole one is the subject', () => {
    const { tree } = published(
      alert({
        informed_entity: [
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
        ],
      }),
    );
    expect(tree).toEqual(
      turtleTree(`<rt/alerts/e> a grt:Alert ;
        dct:subject <id/agencies/a>, <id/stops/s>, <id/trips/t>, <id/trips/t/20240208> ;
        rt:informedEntity [ a grt:EntitySelector ; gtfs:agency <id/agencies/a> ],
          [ a grt:EntitySelector ; gtfs:stop <id/stops/s> ], [ a grt:EntitySelector ; gtfs:stop <id/stops/s> ],
          [ a grt:EntitySelector ; gtfs:trip <id/trips/t> ],
          [ a grt:EntitySelector ; gtfs:trip <id/trips/t> ; rt:tripInstance <id/trips/t/20240208> ;
            rt:startDate "20240208" ],
          [ a grt:EntitySelector ; gtfs:routeType gtfs:Bus ],
          [ a grt:EntitySelector ; rt:routeType 700 ; rt:directionId 1 ],
          [ a grt:EntitySelector ; gtfs:route <id/routes/r> ; gtfs:stop <id/stops/s> ],
          [ a grt:EntitySelector ; gtfs:route <id/routes/r> ; gtfs:trip <id/trips/t> ],
          [ a grt:EntitySelector ; gtfs:route <id/routes/r> ; rt:directionId 0 ] .`),
    );
  });
});

describe('an experimental entity', () => {
  test('GTFS-17 a shape is written field by field', () => {
    const { entity, tree } = published({ id: 'e', shape: { shape_id: 's', encoded_polyline: '_p~iF' } });
    expect(entity).toBe(`${publicUrl}vehicles/entities/shapes/s`);
    expect(tree).toEqual(turtleTree('<rt/shapes/s> a rt:Shape ; rt:shapeId "s" ; rt:encodedPolyline "_p~iF" .'));
  });

  test('GTFS-17 a stop is written field by field', () => {
    const stop_name = { translation: [{ text: 'Gare', language: 'fr' }] };
    const stop = { stop_id: 'p', stop_name, stop_lat: Math.fround(42.34006), wheelchair_boarding: 'UNKNOWN' } as const;
    const { tree } = published({ id: 'e', stop });
    expect(tree).toEqual(
      turtleTree(`<rt/stops/p> a rt:Stop ; rt:stopId "p" ; rt:stopName "Gare"@fr ; rt:stopLat 42.34006 ;
        rt:wheelchairBoarding rt:WheelchairBoardingUnknown .`),
    );
  });

  test('GTFS-17 trip modifications are written with blank nodes for what is nested', () => {
    const { tree } = published({
      id: 'e',
      trip_modifications: {
        selected_trips: [{ trip_ids: ['a', 'b'], shape_id: 's' }],
        service_dates: ['20240208'],
        modifications: [
          {
            start_stop_selector: { stop_sequence: 3 },
            propagated_modification_delay: 120,
            replacement_stops: [{ stop_id: 'x', travel_time_to_stop: -30 }],
            last_modified_time: 1_699_405_500,
          },
        ],
      },
    });
    expect(tree).toEqual(
      turtleTree(`<rt/trip-modifications/e> a rt:TripModifications ; rt:serviceDates "20240208" ;
        rt:selectedTrips [ a rt:SelectedTrips ; rt:tripIds "a", "b" ; rt:shapeId "s" ] ;
        rt:modifications [ a rt:Modification ;
          rt:startStopSelector [ a rt:StopSelector ; rt:stopSequence 3 ] ;
          rt:propagatedModificationDelay "PT120S"^^xsd:duration ;
          rt:replacementStops [ a rt:ReplacementStop ; rt:stopId "x" ; rt:travelTimeToStop "-PT30S"^^xsd:duration ] ;
          rt:lastModifiedTime "2023-11-08T01:05:00Z"^^xsd:dateTime ] .`),
    );
  });
});
