import { messages } from './generated/gtfs-realtime.ts';
import type { MessageName, WireField } from './messages.ts';
import { genericMessages } from './rt-classes.ts';

/** What the values of a property are: literals, or resources. */
export type RtRange =
  | 'string'
  | 'text'
  | 'integer'
  | 'decimal'
  | 'dateTime'
  | 'duration'
  | 'resource'
  | 'concept'
  | 'node';

/** A property of the project's own vocabulary. */
export interface RtProperty {
  readonly range: RtRange;
  /** The field that it stands for, as `Message.field`. */
  readonly field: `${MessageName}.${string}`;
  readonly comment: string;
}

/**
 * The own properties that vehicle positions, trip updates and alerts are written with: only what no
 * existing vocabulary says.
 *
 * @see specs/gtfs-realtime.md GTFS-16
 */
export const rtProperties = {
  tripInstance: {
    range: 'resource',
    field: 'TripDescriptor.start_date',
    comment: 'The trip on its service day, named by trip, start date and, if the feed gives it, start time.',
  },
  startDate: {
    range: 'string',
    field: 'TripDescriptor.start_date',
    comment: 'The service day of the trip in the time zone of the agency, YYYYMMDD, as the feed spells it.',
  },
  startTime: {
    range: 'string',
    field: 'TripDescriptor.start_time',
    comment:
      'When the trip starts on its service day, HH:MM:SS, beyond 24:00:00 after midnight, as the feed spells it.',
  },
  directionId: {
    range: 'integer',
    field: 'TripDescriptor.direction_id',
    comment: 'The direction of travel as the timetable numbers it.',
  },
  scheduleRelationship: {
    range: 'concept',
    field: 'TripDescriptor.schedule_relationship',
    comment: 'How the trip, or the stop of a trip, relates to the timetable.',
  },
  modifiedTrip: {
    range: 'node',
    field: 'TripDescriptor.modified_trip',
    comment: 'The trip of the timetable that trip modifications changed into this one.',
  },
  modificationsId: {
    range: 'string',
    field: 'ModifiedTripSelector.modifications_id',
    comment: 'The entity id of the trip modifications.',
  },
  affectedTrip: {
    range: 'resource',
    field: 'ModifiedTripSelector.affected_trip_id',
    comment: 'The trip of the timetable that is changed.',
  },
  vehicle: {
    range: 'resource',
    field: 'TripUpdate.vehicle',
    comment: 'The vehicle that serves the trip.',
  },
  vehicleLabel: {
    range: 'string',
    field: 'VehicleDescriptor.label',
    comment: 'What passengers may know the vehicle of a trip by.',
  },
  licensePlate: {
    range: 'string',
    field: 'VehicleDescriptor.license_plate',
    comment: 'The licence plate of the vehicle; published only where the operator chose so.',
  },
  wheelchairAccessible: {
    range: 'concept',
    field: 'VehicleDescriptor.wheelchair_accessible',
    comment: 'Whether a wheelchair can be taken on the vehicle.',
  },
  currentStop: {
    range: 'resource',
    field: 'VehiclePosition.stop_id',
    comment: 'The stop that the current status of the vehicle refers to.',
  },
  currentStopSequence: {
    range: 'integer',
    field: 'VehiclePosition.current_stop_sequence',
    comment: 'The place in the trip of the stop that the current status of the vehicle refers to.',
  },
  currentStatus: {
    range: 'concept',
    field: 'VehiclePosition.current_status',
    comment: 'Where the vehicle is relative to its current stop.',
  },
  bearing: {
    range: 'decimal',
    field: 'Position.bearing',
    comment: 'The direction that the vehicle faces, in degrees clockwise from true north.',
  },
  odometer: { range: 'decimal', field: 'Position.odometer', comment: 'The odometer of the vehicle, in metres.' },
  speed: { range: 'decimal', field: 'Position.speed', comment: 'The speed of the vehicle, in metres per second.' },
  congestionLevel: {
    range: 'concept',
    field: 'VehiclePosition.congestion_level',
    comment: 'How congested the road is that the vehicle is on.',
  },
  occupancyStatus: {
    range: 'concept',
    field: 'VehiclePosition.occupancy_status',
    comment: 'How full the vehicle or the carriage is, in words.',
  },
  occupancyPercentage: {
    range: 'integer',
    field: 'VehiclePosition.occupancy_percentage',
    comment: 'How full the vehicle or the carriage is, in per cent; 100 is full by design.',
  },
  carriage: {
    range: 'node',
    field: 'VehiclePosition.multi_carriage_details',
    comment: 'A carriage of the vehicle.',
  },
  carriageSequence: {
    range: 'integer',
    field: 'CarriageDetails.carriage_sequence',
    comment: 'The place of the carriage in the direction of travel; 1 is the first.',
  },
  stopTimeUpdate: {
    range: 'node',
    field: 'TripUpdate.stop_time_update',
    comment: 'What the trip update says of one stop; it holds for later stops too, until the next one.',
  },
  delay: { range: 'duration', field: 'TripUpdate.delay', comment: 'How late the trip is; negative when early.' },
  tripProperties: {
    range: 'node',
    field: 'TripUpdate.trip_properties',
    comment: 'What is other than in the timetable, and the identity of the trip if it is a duplicate.',
  },
  arrivalDelay: {
    range: 'duration',
    field: 'StopTimeEvent.delay',
    comment: 'How late the arrival is; negative when early.',
  },
  departureDelay: {
    range: 'duration',
    field: 'StopTimeEvent.delay',
    comment: 'How late the departure is; negative when early.',
  },
  arrivalUncertainty: {
    range: 'duration',
    field: 'StopTimeEvent.uncertainty',
    comment: 'How far the arrival may be off what is predicted.',
  },
  departureUncertainty: {
    range: 'duration',
    field: 'StopTimeEvent.uncertainty',
    comment: 'How far the departure may be off what is predicted.',
  },
  scheduledArrivalTime: {
    range: 'dateTime',
    field: 'StopTimeEvent.scheduled_time',
    comment: 'When the arrival was scheduled.',
  },
  scheduledDepartureTime: {
    range: 'dateTime',
    field: 'StopTimeEvent.scheduled_time',
    comment: 'When the departure was scheduled.',
  },
  departureOccupancyStatus: {
    range: 'concept',
    field: 'StopTimeUpdate.departure_occupancy_status',
    comment: 'How full the vehicle is expected to be after the departure.',
  },
  assignedStop: {
    range: 'resource',
    field: 'StopTimeProperties.assigned_stop_id',
    comment: 'The stop that is served instead of the one in the timetable, such as another platform.',
  },
  cause: { range: 'concept', field: 'Alert.cause', comment: 'Why the alert is given.' },
  effect: { range: 'concept', field: 'Alert.effect', comment: 'What it means for passengers.' },
  causeDetail: { range: 'text', field: 'Alert.cause_detail', comment: 'The cause in the words of the agency.' },
  effectDetail: { range: 'text', field: 'Alert.effect_detail', comment: 'The effect in the words of the agency.' },
  severityLevel: { range: 'concept', field: 'Alert.severity_level', comment: 'How severe it is.' },
  communicationPeriod: {
    range: 'node',
    field: 'Alert.communication_period',
    comment: 'A period in which the alert is to be shown.',
  },
  impactPeriod: {
    range: 'node',
    field: 'Alert.impact_period',
    comment: 'A period in which the services are affected.',
  },
  informedEntity: {
    range: 'node',
    field: 'Alert.informed_entity',
    comment: 'What the alert is about: all that one selector says together, or another selector.',
  },
  routeType: {
    range: 'integer',
    field: 'EntitySelector.route_type',
    comment: 'The type of the routes that are meant, as a number, where gtfs:routeType has no term for it.',
  },
  ttsHeaderText: { range: 'text', field: 'Alert.tts_header_text', comment: 'The title as it is to be read aloud.' },
  ttsDescriptionText: {
    range: 'text',
    field: 'Alert.tts_description_text',
    comment: 'The description as it is to be read aloud.',
  },
  image: { range: 'node', field: 'Alert.image', comment: 'An image to show with the alert.' },
  imageUrl: { range: 'resource', field: 'LocalizedImage.url', comment: 'Where the image is.' },
  mediaType: { range: 'string', field: 'LocalizedImage.media_type', comment: 'The media type of the image.' },
  imageAlternativeText: {
    range: 'text',
    field: 'Alert.image_alternative_text',
    comment: 'What to tell those who do not see the image.',
  },
} as const satisfies Readonly<Record<string, RtProperty>>;

/** The local name of the property that a field is written as where messages are written field by field. */
export function genericPropertyName(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The properties of messages that are written field by field, by local name. */
export function genericProperties(): Map<string, RtProperty> {
  const properties = new Map<string, RtProperty>();
  for (const message of genericMessages) {
    for (const [name, field] of Object.entries<WireField>(messages[message])) {
      const comment = `The field ${name} of ${message} as the feed has it.`;
      properties.set(genericPropertyName(name), { range: genericRange(field), field: `${message}.${name}`, comment });
    }
  }
  return properties;
}

/** What a field is written as where messages are written field by field. */
export function genericRange(field: WireField): RtRange {
  if (field.type === 'message') return field.of === 'TranslatedString' ? 'text' : 'node';
  if (field.type === 'enum') return 'concept';
  if (field.type === 'uint64' || field.type === 'int64') return 'dateTime';
  if (field.type === 'int32') return 'duration';
  if (field.type === 'string') return 'string';
  return field.type === 'float' || field.type === 'double' ? 'decimal' : 'integer';
}
