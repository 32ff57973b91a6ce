/* THE table of GTFS-Realtime: one line a field, with its wire name, the kind of its value, its RDF property and, of an own
 * property, the text of the vocabulary. The writer (to-rdf.ts), the vocabulary, the JSON-LD context, the SHACL shapes
 * (vocabulary.ts) and the table in specs/gtfs-realtime.md follow from it.
 *
 *   stop_id: reference('stop', own('currentStop', 'The stop that the current status of the vehicle refers to.'))
 *     -> { kind: 'reference', to: 'stop', property: { iri: 'https://w3id.org/ldes-live/gtfs-rt#currentStop', name, comment } }
 *
 * A field without a line is a mistake of the types. Whoever changes what a line writes raises MAPPING_VERSION. */
import { namedNode, prefixes, terms } from '@ldes-live/rdf-stream';
import type { ReferenceKind } from './entity-iris.ts';
import { enums, type messages } from './generated/gtfs-realtime.ts';
import type { EnumName, MessageName } from './messages.ts';

const dcat = terms('dcat', 'endDate startDate');
const dct = terms('dct', 'PeriodOfTime description identifier language subject temporal title');
const foaf = terms('foaf', 'page');
const geo = terms('geo', 'hasGeometry');
const grt = terms('grt', 'Alert EntitySelector StopTimeUpdate TripUpdate');
const gtfs = terms(
  'gtfs',
  'Shape Stop agency direction dropOffType headsign parentStation',
  'pickupType route routeType shape shortName stop stopSequence timeZone trip wheelchairAccessible zone',
);
const rdfs = terms('rdfs', 'label');
const schema = terms('schema', 'Vehicle arrivalTime departureTime');
const sosa = terms('sosa', 'resultTime');
const wgs = terms('wgs', 'lat long');
const LINKED_CONNECTIONS = 'http://semweb.mmlab.be/ns/linkedconnections#';

/** A property, or a class. */
export interface Term {
  readonly iri: string;
  /** Local name of an own term; absent of one of another vocabulary. */
  readonly name?: string;
  /** What the vocabulary says of it, at the line that introduces it. */
  readonly comment?: string;
  /** A term of another vocabulary that is nearly the same, but of another domain or with other values. */
  readonly match?: string;
}

/** What becomes of a field. */
export type Line =
  /** A value as its type on the wire says: a string, texts in languages, a number, an instant, a concept. */
  | { readonly kind: 'value' | 'duration' | 'link' | 'plate'; readonly property: Term }
  | { readonly kind: 'reference'; readonly property: Term; readonly to: ReferenceKind }
  /** A blank node of its own. */
  | { readonly kind: 'node'; readonly property: Term; readonly node: string }
  /** A message whose fields are said of the node that holds it. */
  | ({ readonly kind: 'inline' } & FieldTable);

/** What is said besides the fields, by a rule of the writer that is made from several of them. */
export interface DerivedLine {
  readonly property: Term;
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
  readonly type: Term;
}

type Lines<Name extends MessageName> = { readonly [Field in keyof (typeof messages)[Name]]: Line };

function own(name: string, comment?: string, match?: string): Term {
  return {
    iri: prefixes.rt + name,
    name,
    ...(comment !== undefined && { comment }),
    ...(match !== undefined && { match }),
  };
}

const termOf = (term: Term | string): Term => (typeof term === 'string' ? { iri: term } : term);
const value = (term: Term | string): Line => ({ kind: 'value', property: termOf(term) });
const duration = (term: Term): Line => ({ kind: 'duration', property: term });
const link = (term: Term | string): Line => ({ kind: 'link', property: termOf(term) });
const plate = (term: Term): Line => ({ kind: 'plate', property: term });
const reference = (to: ReferenceKind, term: Term | string): Line => ({ kind: 'reference', to, property: termOf(term) });
const node = (term: Term | string, name: string): Line => ({ kind: 'node', property: termOf(term), node: name });

function inline<Name extends MessageName>(message: Name, lines: Lines<Name>, ...derived: DerivedLine[]): Line {
  return { kind: 'inline', message, lines, derived };
}

function described<Name extends MessageName>(
  message: Name,
  type: Term | string,
  lines: Lines<Name>,
  ...derived: DerivedLine[]
): NodeTable {
  return { message, type: termOf(type), lines, derived };
}

/** A message that is written under its own name. */
function ownClass(name: string, message: MessageName = name as MessageName, match?: string): Term {
  return own(name, `What the message ${message} of GTFS-Realtime says.`, match);
}

/** The types of routes by `route_type`, as far as Linked GTFS has them. */
export const routeTypes = ['LightRail', 'Subway', 'Rail', 'Bus', 'Ferry', 'CableCar', 'Gondola', 'Funicular'].map(
  (name) => namedNode(prefixes.gtfs + name),
);

const startDate = own(
  'startDate',
  'The service day of the trip in the time zone of the agency, YYYYMMDD, as the feed spells it.',
);
const startTime = own(
  'startTime',
  'When the trip starts on its service day, HH:MM:SS, beyond 24:00:00 after midnight, as the feed spells it.',
);
const directionId = own('directionId', 'The direction of travel as the timetable numbers it.', gtfs.direction);
const scheduleRelationship = own(
  'scheduleRelationship',
  'How the trip, or the stop of a trip, relates to the timetable.',
);
const occupancyStatus = own('occupancyStatus', 'How full the vehicle or the carriage is, in words.');
const occupancyPercentage = own(
  'occupancyPercentage',
  'How full the vehicle or the carriage is, in per cent; 100 is full by design.',
);

const trip = inline(
  'TripDescriptor',
  {
    trip_id: reference('trip', gtfs.trip),
    route_id: reference('route', gtfs.route),
    direction_id: value(directionId),
    start_date: value(startDate),
    start_time: value(startTime),
    schedule_relationship: value(scheduleRelationship),
    modified_trip: node(
      own('modifiedTrip', 'The trip of the timetable that trip modifications changed into this one.'),
      'ModifiedTrip',
    ),
  },
  {
    property: own(
      'tripInstance',
      'The trip on its service day, named by trip, start date and, if the feed gives it, start time.',
    ),
    values: 'resource',
  },
);

const vehicle = (id: Line, label: Line): Line =>
  inline('VehicleDescriptor', {
    id,
    label,
    license_plate: plate(
      own('licensePlate', 'The licence plate of the vehicle; published only where the operator chose so.'),
    ),
    wheelchair_accessible: value(
      own('wheelchairAccessible', 'Whether a wheelchair can be taken on the vehicle.', gtfs.wheelchairAccessible),
    ),
  });

/** The nodes that feeds are written as, by the local names of their shapes. Entities come first, in this order. */
export const nodes: Readonly<Record<string, NodeTable>> = {
  // The position is not a thing of its own: what it says is said of the vehicle.
  Vehicle: described('VehiclePosition', schema.Vehicle, {
    timestamp: value(sosa.resultTime),
    vehicle: vehicle(value(dct.identifier), value(rdfs.label)),
    trip,
    // Not gtfs:stop: whether the vehicle is at the stop depends on its status.
    stop_id: reference('stop', own('currentStop', 'The stop that the current status of the vehicle refers to.')),
    current_stop_sequence: value(
      own('currentStopSequence', 'The place in the trip of the stop that the current status of the vehicle refers to.'),
    ),
    current_status: value(own('currentStatus', 'Where the vehicle is relative to its current stop.')),
    position: inline(
      'Position',
      {
        latitude: value(wgs.lat),
        longitude: value(wgs.long),
        bearing: value(own('bearing', 'The direction that the vehicle faces, in degrees clockwise from true north.')),
        odometer: value(own('odometer', 'The odometer of the vehicle, in metres.')),
        speed: value(own('speed', 'The speed of the vehicle, in metres per second.')),
      },
      { property: termOf(geo.hasGeometry), values: { node: 'Geometry' } },
    ),
    congestion_level: value(own('congestionLevel', 'How congested the road is that the vehicle is on.')),
    occupancy_status: value(occupancyStatus),
    occupancy_percentage: value(occupancyPercentage),
    multi_carriage_details: node(own('carriage', 'A carriage of the vehicle.'), 'Carriage'),
  }),
  TripUpdate: described('TripUpdate', grt.TripUpdate, {
    timestamp: value(sosa.resultTime),
    trip,
    vehicle: vehicle(
      reference('vehicle', own('vehicle', 'The vehicle that serves the trip.')),
      value(own('vehicleLabel', 'What passengers may know the vehicle of a trip by.')),
    ),
    delay: duration(own('delay', 'How late the trip is; negative when early.')),
    trip_properties: node(
      own('tripProperties', 'What is other than in the timetable, and the identity of the trip if it is a duplicate.'),
      'TripProperties',
    ),
    stop_time_update: node(
      own('stopTimeUpdate', 'What the trip update says of one stop; it holds for later stops too, until the next one.'),
      'StopTimeUpdate',
    ),
  }),
  Alert: described(
    'Alert',
    grt.Alert,
    {
      cause: value(own('cause', 'Why the alert is given.')),
      effect: value(own('effect', 'What it means for passengers.')),
      severity_level: value(own('severityLevel', 'How severe it is.')),
      active_period: node(dct.temporal, 'Period'),
      communication_period: node(own('communicationPeriod', 'A period in which the alert is to be shown.'), 'Period'),
      impact_period: node(own('impactPeriod', 'A period in which the services are affected.'), 'Period'),
      informed_entity: node(
        own('informedEntity', 'What the alert is about: all that one selector says together, or another selector.'),
        'EntitySelector',
      ),
      url: link(foaf.page),
      header_text: value(dct.title),
      description_text: value(dct.description),
      tts_header_text: value(own('ttsHeaderText', 'The title as it is to be read aloud.')),
      tts_description_text: value(own('ttsDescriptionText', 'The description as it is to be read aloud.')),
      cause_detail: value(own('causeDetail', 'The cause in the words of the agency.')),
      effect_detail: value(own('effectDetail', 'The effect in the words of the agency.')),
      image: inline('TranslatedImage', {
        localized_image: node(own('image', 'An image to show with the alert.'), 'Image'),
      }),
      image_alternative_text: value(own('imageAlternativeText', 'What to tell those who do not see the image.')),
    },
    { property: termOf(dct.subject), values: 'resource', isMany: true },
  ),
  Shape: described('Shape', ownClass('Shape', 'Shape', gtfs.Shape), {
    shape_id: value(own('shapeId', 'The id of a shape, as the feed has it.')),
    encoded_polyline: value(own('encodedPolyline', 'The course of the shape, as an encoded polyline.')),
  }),
  Stop: described('Stop', ownClass('Stop', 'Stop', gtfs.Stop), {
    stop_id: value(own('stopId', 'The id of a stop, as the feed has it.')),
    stop_code: value(own('stopCode', 'What passengers know the stop by, such as a number on its sign.')),
    stop_name: value(own('stopName', 'The name of the stop.')),
    tts_stop_name: value(own('ttsStopName', 'The name of the stop as it is to be read aloud.')),
    stop_desc: value(own('stopDesc', 'What else passengers should know of the stop.')),
    stop_lat: value(own('stopLat', 'The latitude of the stop, in degrees.', wgs.lat)),
    stop_lon: value(own('stopLon', 'The longitude of the stop, in degrees.', wgs.long)),
    zone_id: value(own('zoneId', 'The id of the fare zone of the stop.', gtfs.zone)),
    stop_url: value(own('stopUrl', 'A web page about the stop.')),
    parent_station: value(own('parentStation', 'The id of the station that the stop is part of.', gtfs.parentStation)),
    stop_timezone: value(own('stopTimezone', 'The time zone of the stop, by its name.', gtfs.timeZone)),
    wheelchair_boarding: value(
      own('wheelchairBoarding', 'Whether wheelchairs can be taken on board at the stop.', gtfs.wheelchairAccessible),
    ),
    level_id: value(own('levelId', 'The id of the level that the stop is on.')),
    platform_code: value(own('platformCode', 'The name of the platform without the word for it.')),
  }),
  TripModifications: described('TripModifications', ownClass('TripModifications'), {
    selected_trips: node(own('selectedTrips', 'Trips that are modified alike.'), 'SelectedTrips'),
    start_times: value(own('startTimes', 'A start time of trips that run by frequency, HH:MM:SS.')),
    service_dates: value(own('serviceDates', 'A service day of the modifications, YYYYMMDD.')),
    modifications: node(own('modifications', 'A part of the trips that is replaced.'), 'Modification'),
  }),
  SelectedTrips: described('SelectedTrips', ownClass('SelectedTrips'), {
    trip_ids: value(own('tripIds', 'The id of a trip, as the feed has it.')),
    shape_id: value(own('shapeId')),
  }),
  Modification: described('Modification', ownClass('Modification'), {
    start_stop_selector: node(own('startStopSelector', 'The first stop that is replaced.'), 'StopSelector'),
    end_stop_selector: node(own('endStopSelector', 'The last stop that is replaced.'), 'StopSelector'),
    propagated_modification_delay: duration(
      own('propagatedModificationDelay', 'How much later the stops after the last replaced one are served.'),
    ),
    replacement_stops: node(own('replacementStops', 'A stop that is served instead.'), 'ReplacementStop'),
    service_alert_id: value(own('serviceAlertId', 'The entity id of the alert about the modification.')),
    last_modified_time: value(own('lastModifiedTime', 'When the modification was changed last.')),
  }),
  ReplacementStop: described('ReplacementStop', ownClass('ReplacementStop'), {
    travel_time_to_stop: duration(
      own('travelTimeToStop', 'How long after the arrival at the reference stop this stop is reached.'),
    ),
    stop_id: value(own('stopId')),
  }),
  StopSelector: described('StopSelector', ownClass('StopSelector'), {
    stop_sequence: value(own('stopSequence', 'The place of the stop in the trip.')),
    stop_id: value(own('stopId')),
  }),
  Carriage: described('CarriageDetails', ownClass('Carriage', 'CarriageDetails'), {
    id: value(dct.identifier),
    label: value(rdfs.label),
    carriage_sequence: value(
      own('carriageSequence', 'The place of the carriage in the direction of travel; 1 is the first.'),
    ),
    occupancy_status: value(occupancyStatus),
    // Signed: the protocol has -1 for a carriage that says nothing of itself.
    occupancy_percentage: value(occupancyPercentage),
  }),
  ModifiedTrip: described('ModifiedTripSelector', ownClass('ModifiedTrip', 'ModifiedTripSelector'), {
    modifications_id: value(own('modificationsId', 'The entity id of the trip modifications.')),
    affected_trip_id: reference('trip', own('affectedTrip', 'The trip of the timetable that is changed.')),
    start_date: value(startDate),
    start_time: value(startTime),
  }),
  TripProperties: described('TripProperties', ownClass('TripProperties'), {
    trip_id: reference('trip', gtfs.trip),
    start_date: value(startDate),
    start_time: value(startTime),
    shape_id: reference('shape', gtfs.shape),
    trip_headsign: value(gtfs.headsign),
    trip_short_name: value(gtfs.shortName),
  }),
  StopTimeUpdate: described('StopTimeUpdate', grt.StopTimeUpdate, {
    stop_sequence: value(gtfs.stopSequence),
    stop_id: reference('stop', gtfs.stop),
    arrival: inline('StopTimeEvent', {
      time: value(schema.arrivalTime),
      delay: duration(
        own('arrivalDelay', 'How late the arrival is; negative when early.', `${LINKED_CONNECTIONS}arrivalDelay`),
      ),
      uncertainty: duration(own('arrivalUncertainty', 'How far the arrival may be off what is predicted.')),
      scheduled_time: value(own('scheduledArrivalTime', 'When the arrival was scheduled.')),
    }),
    departure: inline('StopTimeEvent', {
      time: value(schema.departureTime),
      delay: duration(
        own('departureDelay', 'How late the departure is; negative when early.', `${LINKED_CONNECTIONS}departureDelay`),
      ),
      uncertainty: duration(own('departureUncertainty', 'How far the departure may be off what is predicted.')),
      scheduled_time: value(own('scheduledDepartureTime', 'When the departure was scheduled.')),
    }),
    schedule_relationship: value(scheduleRelationship),
    departure_occupancy_status: value(
      own('departureOccupancyStatus', 'How full the vehicle is expected to be after the departure.'),
    ),
    stop_time_properties: inline('StopTimeProperties', {
      assigned_stop_id: reference(
        'stop',
        own('assignedStop', 'The stop that is served instead of the one in the timetable, such as another platform.'),
      ),
      stop_headsign: value(gtfs.headsign),
      pickup_type: value(gtfs.pickupType),
      drop_off_type: value(gtfs.dropOffType),
    }),
  }),
  // An end that is open is not there.
  Period: described('TimeRange', dct.PeriodOfTime, {
    start: value(dcat.startDate),
    end: value(dcat.endDate),
  }),
  EntitySelector: described(
    'EntitySelector',
    grt.EntitySelector,
    {
      agency_id: reference('agency', gtfs.agency),
      stop_id: reference('stop', gtfs.stop),
      route_type: value(
        own(
          'routeType',
          'The type of the routes that are meant, as a number, where gtfs:routeType has no term for it.',
        ),
      ),
      route_id: reference('route', gtfs.route),
      direction_id: value(directionId),
      trip,
    },
    { property: termOf(gtfs.routeType), values: { in: routeTypes.map((type) => type.value) } },
  ),
  Image: described('LocalizedImage', ownClass('Image', 'LocalizedImage'), {
    url: link(own('imageUrl', 'Where the image is.')),
    media_type: value(own('mediaType', 'The media type of the image.')),
    language: value(dct.language),
  }),
};

/** Concepts of Linked GTFS that are nearly the same as own ones, by the local names of these. */
export const conceptMatches: Readonly<Record<string, string>> = {
  WheelchairAccessible: `${prefixes.gtfs}WheelchairAccessible`,
  WheelchairInaccessible: `${prefixes.gtfs}NotWheelchairAccessible`,
  Regular: `${prefixes.gtfs}Regular`,
  None: `${prefixes.gtfs}NotAvailable`,
  PhoneAgency: `${prefixes.gtfs}MustPhone`,
  CoordinateWithDriver: `${prefixes.gtfs}MustCoordinateWithDriver`,
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
 * @see specs/gtfs-realtime.md GTFS-18
 */
export function conceptName(values: EnumName, value: string): string {
  if (!sharedValues.has(value) || values === 'TripScheduleRelationship') return pascalCase(value);
  return (values === 'StopTimeScheduleRelationship' ? 'StopTime' : values) + pascalCase(value);
}
