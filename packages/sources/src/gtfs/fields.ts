/* THE table of GTFS-Realtime: one line a field, with its wire name, the kind of its value, its RDF property and, of an own
 * property, the text of the vocabulary. The writer (to-rdf.ts), the vocabulary, the JSON-LD context, the SHACL shapes
 * (vocabulary.ts) and the table in specs/gtfs-realtime.md follow from it.
 *
 *   stop_id: reference('stop', 'rt:currentStop', 'The stop that the current status of the vehicle refers to.')
 *     -> { kind: 'reference', to: 'stop', property: 'https://w3id.org/ldes-live/gtfs-rt#currentStop', comment: 'The stop ...' }
 *
 * A field without a line is a mistake of the types. Whoever changes what a line writes raises MAPPING_VERSION. */
import { namedNode, prefixes } from '@ldes-live/rdf-stream';
import { enums, type messages } from './generated/gtfs-realtime.ts';
import type { EntityKind, ReferenceKind } from './keys.ts';
import type { EnumName, MessageName, WireField } from './messages.ts';

/** How a property is said of a node; of an own one the line that introduces it has the text of the vocabulary. */
interface PropertyLine {
  /** Its IRI. */
  readonly property: string;
  readonly comment?: string | undefined;
}

/** What becomes of a field. */
export type Line =
  /** A value as its type on the wire says: a string, texts in languages, a number, an instant, a concept. */
  | ({ readonly kind: 'value' | 'duration' | 'link' | 'plate' } & PropertyLine)
  | ({ readonly kind: 'reference'; readonly to: ReferenceKind } & PropertyLine)
  /** A blank node of its own. */
  | ({ readonly kind: 'node'; readonly node: string } & PropertyLine)
  /** A message whose fields are said of the node that holds it. */
  | ({ readonly kind: 'inline' } & FieldTable);

/** What is said besides the fields, by a rule of the writer that is made from several of them. */
interface DerivedLine extends PropertyLine {
  /** IRIs, a node, or one of these IRIs. */
  readonly values: 'resource' | { readonly node: string } | { readonly in: readonly string[] };
  readonly isMany?: boolean;
}

/** The lines of a message. */
export interface FieldTable {
  readonly message: MessageName;
  readonly lines: Readonly<Record<string, Line>>;
  readonly derived: readonly DerivedLine[];
}

/** A node that a message is written as. */
export interface NodeTable extends FieldTable {
  /** IRI of its class. */
  readonly type: string;
}

type Compact = `${keyof typeof prefixes}:${string}`;
type Lines<Name extends MessageName> = { readonly [Field in keyof (typeof messages)[Name]]: Line };

function iriOf(compact: Compact): string {
  const colon = compact.indexOf(':');
  return prefixes[compact.slice(0, colon) as keyof typeof prefixes] + compact.slice(colon + 1);
}

const said = (name: Compact, comment?: string): PropertyLine => ({ property: iriOf(name), comment });
const value = (name: Compact, comment?: string): Line => ({ kind: 'value', ...said(name, comment) });
const duration = (name: Compact, comment: string): Line => ({ kind: 'duration', ...said(name, comment) });
const link = (name: Compact, comment?: string): Line => ({ kind: 'link', ...said(name, comment) });
const reference = (to: ReferenceKind, name: Compact, comment?: string): Line => ({
  ...{ kind: 'reference', to },
  ...said(name, comment),
});
const node = (of: string, name: Compact, comment?: string): Line => ({
  kind: 'node',
  node: of,
  ...said(name, comment),
});

function inline<Name extends MessageName>(message: Name, lines: Lines<Name>, ...derived: DerivedLine[]): Line {
  return { kind: 'inline', message, lines, derived };
}

function described<Name extends MessageName>(
  message: Name,
  type: Compact,
  lines: Lines<Name>,
  ...derived: DerivedLine[]
): NodeTable {
  return { message, type: iriOf(type), lines, derived };
}

/** What the values of a property are: literals, or resources. */
export type Range =
  | 'string'
  | 'text'
  | 'integer'
  | 'decimal'
  | 'dateTime'
  | 'duration'
  | 'resource'
  | 'concept'
  | 'node';

const rangeOfType: Readonly<Record<WireField['type'], Range>> = {
  ...{ string: 'string', message: 'text', enum: 'concept', bool: 'integer', uint32: 'integer', int32: 'integer' },
  ...{ float: 'decimal', double: 'decimal', uint64: 'dateTime', int64: 'dateTime' },
};

/** What a field is written as by its line. */
export function rangeOf({ kind }: Exclude<Line, { kind: 'inline' }>, { type }: Pick<WireField, 'type'>): Range {
  if (kind === 'node' || kind === 'duration') return kind;
  return kind === 'reference' || kind === 'link' ? 'resource' : rangeOfType[type];
}

/** The types of routes by `route_type`, as far as Linked GTFS has them. */
export const routeTypes = ['LightRail', 'Subway', 'Rail', 'Bus', 'Ferry', 'CableCar', 'Gondola', 'Funicular'].map(
  (name) => namedNode(prefixes.gtfs + name),
);

const trip = inline(
  'TripDescriptor',
  {
    trip_id: reference('trip', 'gtfs:trip'),
    route_id: reference('route', 'gtfs:route'),
    direction_id: value('rt:directionId', 'The direction of travel as the timetable numbers it.'),
    start_date: value('rt:startDate', 'The service day, YYYYMMDD, in the time zone of the agency, as spelt.'),
    start_time: value('rt:startTime', 'The start on the service day, HH:MM:SS; beyond 24:00:00 after midnight.'),
    schedule_relationship: value('rt:scheduleRelationship', 'How a trip, or a stop of it, relates to the timetable.'),
    modified_trip: node('ModifiedTrip', 'rt:modifiedTrip', 'The trip that modifications changed into this one.'),
  },
  {
    ...said(
      'rt:tripInstance',
      'The trip on its service day, named by trip, start date and, if the feed gives it, start time.',
    ),
    values: 'resource',
  },
);

const vehicle = (id: Line, label: Line): Line =>
  inline('VehicleDescriptor', {
    id,
    label,
    license_plate: {
      kind: 'plate',
      ...said('rt:licensePlate', 'The licence plate of the vehicle; published only where the operator chose so.'),
    },
    wheelchair_accessible: value('rt:wheelchairAccessible', 'Whether the vehicle is accessible with a wheelchair.'),
  });

/** The nodes that feeds are written as, by the local names of their shapes. */
export const nodes: Readonly<Record<string, NodeTable>> = {
  // The position is not a thing of its own: what it says is said of the vehicle.
  Vehicle: described('VehiclePosition', 'schema:Vehicle', {
    timestamp: value('sosa:resultTime'),
    vehicle: vehicle(value('dct:identifier'), value('rdfs:label')),
    trip,
    // Not gtfs:stop: whether the vehicle is at the stop depends on its status.
    stop_id: reference('stop', 'rt:currentStop', 'The stop that the current status of the vehicle refers to.'),
    current_stop_sequence: value(
      'rt:currentStopSequence',
      'The place in the trip of the stop that the status refers to.',
    ),
    current_status: value('rt:currentStatus', 'Where the vehicle is relative to its current stop.'),
    position: inline(
      'Position',
      {
        latitude: value('wgs:lat'),
        longitude: value('wgs:long'),
        bearing: value('rt:bearing', 'The direction that the vehicle faces, in degrees clockwise from true north.'),
        odometer: value('rt:odometer', 'The odometer of the vehicle, in metres.'),
        speed: value('rt:speed', 'The speed of the vehicle, in metres per second.'),
      },
      { ...said('geo:hasGeometry'), values: { node: 'Geometry' } },
    ),
    congestion_level: value('rt:congestionLevel', 'How congested the road is that the vehicle is on.'),
    occupancy_status: value('rt:occupancyStatus', 'How full the vehicle or the carriage is, in words.'),
    occupancy_percentage: value('rt:occupancyPercentage', 'How full it is, in per cent; 100 is full by design.'),
    multi_carriage_details: node('Carriage', 'rt:carriage', 'A carriage of the vehicle.'),
  }),
  TripUpdate: described('TripUpdate', 'grt:TripUpdate', {
    timestamp: value('sosa:resultTime'),
    trip,
    vehicle: vehicle(
      reference('vehicle', 'rt:vehicle', 'The vehicle that serves the trip.'),
      value('rt:vehicleLabel', 'What passengers may know the vehicle of a trip by.'),
    ),
    delay: duration('rt:delay', 'How late the trip is; negative when early.'),
    trip_properties: node('TripProperties', 'rt:tripProperties', 'What differs from the timetable.'),
    stop_time_update: node('StopTimeUpdate', 'rt:stopTimeUpdate', 'What holds from one stop until the next update.'),
  }),
  Alert: described(
    'Alert',
    'grt:Alert',
    {
      cause: value('rt:cause', 'Why the alert is given.'),
      effect: value('rt:effect', 'The effect on passengers.'),
      severity_level: value('rt:severityLevel', 'How severe it is.'),
      active_period: node('Period', 'dct:temporal'),
      communication_period: node('Period', 'rt:communicationPeriod', 'A period in which the alert is to be shown.'),
      impact_period: node('Period', 'rt:impactPeriod', 'A period in which the services are affected.'),
      informed_entity: node(
        'EntitySelector',
        'rt:informedEntity',
        'What the alert is about: one of several selectors.',
      ),
      url: link('foaf:page'),
      header_text: value('dct:title'),
      description_text: value('dct:description'),
      tts_header_text: value('rt:ttsHeaderText', 'The title as spoken text.'),
      tts_description_text: value('rt:ttsDescriptionText', 'The description as spoken text.'),
      cause_detail: value('rt:causeDetail', 'The cause in the words of the agency.'),
      effect_detail: value('rt:effectDetail', 'The effect in the words of the agency.'),
      image: inline('TranslatedImage', {
        localized_image: node('Image', 'rt:image', 'An image to show with the alert.'),
      }),
      image_alternative_text: value('rt:imageAlternativeText', 'The alternative text of the image.'),
    },
    { ...said('dct:subject'), values: 'resource', isMany: true },
  ),
  Shape: described('Shape', 'rt:Shape', {
    shape_id: value('rt:shapeId', 'The id of a shape, as the feed has it.'),
    encoded_polyline: value('rt:encodedPolyline', 'The course of the shape, as an encoded polyline.'),
  }),
  Stop: described('Stop', 'rt:Stop', {
    stop_id: value('rt:stopId', 'The id of a stop, as the feed has it.'),
    stop_code: value('rt:stopCode', 'What passengers know the stop by, such as a number on its sign.'),
    stop_name: value('rt:stopName', 'The name of the stop.'),
    tts_stop_name: value('rt:ttsStopName', 'The name of the stop as spoken text.'),
    stop_desc: value('rt:stopDesc', 'What else passengers should know of the stop.'),
    stop_lat: value('rt:stopLat', 'The latitude of the stop, in degrees.'),
    stop_lon: value('rt:stopLon', 'The longitude of the stop, in degrees.'),
    zone_id: value('rt:zoneId', 'The id of the fare zone of the stop.'),
    stop_url: value('rt:stopUrl', 'A web page about the stop.'),
    parent_station: value('rt:parentStation', 'The id of the station that the stop is part of.'),
    stop_timezone: value('rt:stopTimezone', 'The time zone of the stop, by its name.'),
    wheelchair_boarding: value('rt:wheelchairBoarding', 'Whether passengers with wheelchairs can board at the stop.'),
    level_id: value('rt:levelId', 'The id of the level that the stop is on.'),
    platform_code: value('rt:platformCode', 'The name of the platform without the word for it.'),
  }),
  TripModifications: described('TripModifications', 'rt:TripModifications', {
    selected_trips: node('SelectedTrips', 'rt:selectedTrips', 'Trips that are modified alike.'),
    start_times: value('rt:startTimes', 'A start time of trips that run by frequency, HH:MM:SS.'),
    service_dates: value('rt:serviceDates', 'A service day of the modifications, YYYYMMDD.'),
    modifications: node('Modification', 'rt:modifications', 'A part of the trips that is replaced.'),
  }),
  SelectedTrips: described('SelectedTrips', 'rt:SelectedTrips', {
    trip_ids: value('rt:tripIds', 'The id of a trip, as the feed has it.'),
    shape_id: value('rt:shapeId'),
  }),
  Modification: described('Modification', 'rt:Modification', {
    start_stop_selector: node('StopSelector', 'rt:startStopSelector', 'The first stop that is replaced.'),
    end_stop_selector: node('StopSelector', 'rt:endStopSelector', 'The last stop that is replaced.'),
    propagated_modification_delay: duration(
      'rt:propagatedModificationDelay',
      'How much later the stops after it are served.',
    ),
    replacement_stops: node('ReplacementStop', 'rt:replacementStops', 'A stop that is served instead.'),
    service_alert_id: value('rt:serviceAlertId', 'The entity id of the alert about the modification.'),
    last_modified_time: value('rt:lastModifiedTime', 'When the modification was changed last.'),
  }),
  ReplacementStop: described('ReplacementStop', 'rt:ReplacementStop', {
    travel_time_to_stop: duration('rt:travelTimeToStop', 'The time from the reference stop to this one.'),
    stop_id: value('rt:stopId'),
  }),
  StopSelector: described('StopSelector', 'rt:StopSelector', {
    stop_sequence: value('rt:stopSequence', 'The place of the stop in the trip.'),
    stop_id: value('rt:stopId'),
  }),
  Carriage: described('CarriageDetails', 'rt:Carriage', {
    id: value('dct:identifier'),
    label: value('rdfs:label'),
    carriage_sequence: value('rt:carriageSequence', 'The place in the direction of travel; 1 is the first.'),
    occupancy_status: value('rt:occupancyStatus', 'How full the vehicle or the carriage is, in words.'),
    // Signed: the protocol has -1 for a carriage that says nothing of itself.
    occupancy_percentage: value('rt:occupancyPercentage', 'How full it is, in per cent; 100 is full by design.'),
  }),
  ModifiedTrip: described('ModifiedTripSelector', 'rt:ModifiedTrip', {
    modifications_id: value('rt:modificationsId', 'The entity id of the trip modifications.'),
    affected_trip_id: reference('trip', 'rt:affectedTrip', 'The trip of the timetable that is changed.'),
    start_date: value('rt:startDate', 'The service day, YYYYMMDD, in the time zone of the agency, as spelt.'),
    start_time: value('rt:startTime', 'The start on the service day, HH:MM:SS; beyond 24:00:00 after midnight.'),
  }),
  TripProperties: described('TripProperties', 'rt:TripProperties', {
    trip_id: reference('trip', 'gtfs:trip'),
    start_date: value('rt:startDate', 'The service day, YYYYMMDD, in the time zone of the agency, as spelt.'),
    start_time: value('rt:startTime', 'The start on the service day, HH:MM:SS; beyond 24:00:00 after midnight.'),
    shape_id: reference('shape', 'gtfs:shape'),
    trip_headsign: value('gtfs:headsign'),
    trip_short_name: value('gtfs:shortName'),
  }),
  StopTimeUpdate: described('StopTimeUpdate', 'grt:StopTimeUpdate', {
    stop_sequence: value('gtfs:stopSequence'),
    stop_id: reference('stop', 'gtfs:stop'),
    arrival: inline('StopTimeEvent', {
      time: value('schema:arrivalTime'),
      delay: duration('rt:arrivalDelay', 'How late the arrival is; negative when early.'),
      uncertainty: duration('rt:arrivalUncertainty', 'The possible error of the predicted arrival.'),
      scheduled_time: value('rt:scheduledArrivalTime', 'When the arrival was scheduled.'),
    }),
    departure: inline('StopTimeEvent', {
      time: value('schema:departureTime'),
      delay: duration('rt:departureDelay', 'How late the departure is; negative when early.'),
      uncertainty: duration('rt:departureUncertainty', 'The possible error of the predicted departure.'),
      scheduled_time: value('rt:scheduledDepartureTime', 'When the departure was scheduled.'),
    }),
    schedule_relationship: value('rt:scheduleRelationship', 'How a trip, or a stop of it, relates to the timetable.'),
    departure_occupancy_status: value('rt:departureOccupancyStatus', 'How full it will be after the departure.'),
    stop_time_properties: inline('StopTimeProperties', {
      assigned_stop_id: reference(
        'stop',
        'rt:assignedStop',
        'The stop that is served instead, such as another platform.',
      ),
      stop_headsign: value('gtfs:headsign'),
      pickup_type: value('gtfs:pickupType'),
      drop_off_type: value('gtfs:dropOffType'),
    }),
  }),
  // An end that is open is not there.
  Period: described('TimeRange', 'dct:PeriodOfTime', {
    start: value('dcat:startDate'),
    end: value('dcat:endDate'),
  }),
  EntitySelector: described(
    'EntitySelector',
    'grt:EntitySelector',
    {
      agency_id: reference('agency', 'gtfs:agency'),
      stop_id: reference('stop', 'gtfs:stop'),
      route_type: value('rt:routeType', 'The type of routes, where gtfs:routeType has no term for it.'),
      route_id: reference('route', 'gtfs:route'),
      direction_id: value('rt:directionId', 'The direction of travel as the timetable numbers it.'),
      trip,
    },
    { ...said('gtfs:routeType'), values: { in: routeTypes.map((type) => type.value) } },
  ),
  Image: described('LocalizedImage', 'rt:Image', {
    url: link('rt:imageUrl', 'Where the image is.'),
    media_type: value('rt:mediaType', 'The media type of the image.'),
    language: value('dct:language'),
  }),
};

const LINKED_CONNECTIONS = 'http://semweb.mmlab.be/ns/linkedconnections#';

/** Terms of other vocabularies that are nearly the same as own ones, but of another domain or with other values. */
export const matches: Readonly<Record<string, string>> = {
  arrivalDelay: `${LINKED_CONNECTIONS}arrivalDelay`,
  departureDelay: `${LINKED_CONNECTIONS}departureDelay`,
  directionId: iriOf('gtfs:direction'),
  wheelchairAccessible: iriOf('gtfs:wheelchairAccessible'),
  WheelchairAccessible: iriOf('gtfs:WheelchairAccessible'),
  WheelchairInaccessible: iriOf('gtfs:NotWheelchairAccessible'),
  wheelchairBoarding: iriOf('gtfs:wheelchairAccessible'),
  Stop: iriOf('gtfs:Stop'),
  stopLat: iriOf('wgs:lat'),
  stopLon: iriOf('wgs:long'),
  stopTimezone: iriOf('gtfs:timeZone'),
  parentStation: iriOf('gtfs:parentStation'),
  zoneId: iriOf('gtfs:zone'),
  Shape: iriOf('gtfs:Shape'),
  Regular: iriOf('gtfs:Regular'),
  None: iriOf('gtfs:NotAvailable'),
  PhoneAgency: iriOf('gtfs:MustPhone'),
  CoordinateWithDriver: iriOf('gtfs:MustCoordinateWithDriver'),
};

/** The nodes of `nodes` that entities are, by their kind. */
export const entityNodes: Readonly<Record<EntityKind, string>> = {
  vehicle: 'Vehicle',
  trip_update: 'TripUpdate',
  alert: 'Alert',
  shape: 'Shape',
  stop: 'Stop',
  trip_modifications: 'TripModifications',
};

const pascalCase = (text: string) =>
  text.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The names of values that several enumerations have. */
const sharedValues = new Set(
  Object.values(enums)
    .flatMap((values) => Object.keys(values))
    .filter((name, index, all) => all.indexOf(name) !== index),
);

/**
 * Local name of the concept of an enumeration's value: the value's name, such as `StoppedAt`. A name that several
 * enumerations have is told apart by the enumeration's, but for the plain ones of a trip's schedule relationship.
 *
 * @see specs/gtfs-realtime.md
 */
export function conceptName(values: EnumName, value: string): string {
  if (!sharedValues.has(value) || values === 'TripScheduleRelationship') return pascalCase(value);
  return (values === 'StopTimeScheduleRelationship' ? 'StopTime' : values) + pascalCase(value);
}
