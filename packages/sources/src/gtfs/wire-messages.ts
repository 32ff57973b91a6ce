import type * as entities from './feed-entities.ts';
import type { FeedEntity, FeedHeader, FeedMessage } from './feed-message.ts';
import {
  bool,
  double,
  duration,
  float,
  int32,
  message,
  oneOf,
  repeated,
  required,
  string,
  time,
  uint32,
  type WireField,
} from './wire-format.ts';

/** The TypeScript type of each message. */
interface MessageTypes {
  FeedMessage: FeedMessage;
  FeedHeader: FeedHeader;
  FeedEntity: FeedEntity;
  TripUpdate: entities.TripUpdate;
  StopTimeUpdate: entities.StopTimeUpdate;
  StopTimeEvent: entities.StopTimeEvent;
  StopTimeProperties: entities.StopTimeProperties;
  TripProperties: entities.TripProperties;
  VehiclePosition: entities.VehiclePosition;
  CarriageDetails: entities.CarriageDetails;
  Position: entities.Position;
  TripDescriptor: entities.TripDescriptor;
  ModifiedTripSelector: entities.ModifiedTripSelector;
  VehicleDescriptor: entities.VehicleDescriptor;
  Alert: entities.Alert;
  TimeRange: entities.TimeRange;
  EntitySelector: entities.EntitySelector;
  TranslatedString: entities.TranslatedString;
  Translation: entities.Translation;
  TranslatedImage: entities.TranslatedImage;
  LocalizedImage: entities.LocalizedImage;
  Shape: entities.Shape;
  Stop: entities.Stop;
  TripModifications: entities.TripModifications;
  SelectedTrips: entities.SelectedTrips;
  Modification: entities.Modification;
  ReplacementStop: entities.ReplacementStop;
  StopSelector: entities.StopSelector;
}

/** The name of a message. */
export type WireMessageName = keyof MessageTypes;

// A field that a type has and the descriptor lacks, or the other way round, does not compile.
type Messages = { readonly [Name in WireMessageName]: Fields<MessageTypes[Name]> };
type Fields<Message> = { readonly [Field in keyof Message as Field extends string ? Field : never]-?: WireField };

/**
 * The messages of GTFS-Realtime (specification of 2026-06): each field's number and type, in the order
 * of the specification.
 *
 * @see specs/gtfs-realtime.md GTFS-1
 */
export const wireMessages = {
  FeedMessage: { header: required(message('FeedHeader', 1)), entity: repeated(message('FeedEntity', 2)) },
  FeedHeader: {
    gtfs_realtime_version: required(string(1)),
    incrementality: oneOf('Incrementality', 2),
    timestamp: time(3, 'uint64'),
    feed_version: string(4),
  },
  FeedEntity: {
    id: required(string(1)),
    is_deleted: bool(2),
    trip_update: message('TripUpdate', 3),
    vehicle: message('VehiclePosition', 4),
    alert: message('Alert', 5),
    shape: message('Shape', 6),
    stop: message('Stop', 7),
    trip_modifications: message('TripModifications', 8),
  },
  TripUpdate: {
    trip: required(message('TripDescriptor', 1)),
    stop_time_update: repeated(message('StopTimeUpdate', 2)),
    vehicle: message('VehicleDescriptor', 3),
    timestamp: time(4, 'uint64'),
    delay: duration(5),
    trip_properties: message('TripProperties', 6),
  },
  StopTimeUpdate: {
    stop_sequence: uint32(1),
    arrival: message('StopTimeEvent', 2),
    departure: message('StopTimeEvent', 3),
    stop_id: string(4),
    schedule_relationship: oneOf('StopTimeScheduleRelationship', 5),
    stop_time_properties: message('StopTimeProperties', 6),
    departure_occupancy_status: oneOf('OccupancyStatus', 7),
  },
  StopTimeEvent: {
    delay: duration(1),
    time: time(2, 'int64'),
    uncertainty: duration(3),
    scheduled_time: time(4, 'int64'),
  },
  StopTimeProperties: {
    assigned_stop_id: string(1),
    stop_headsign: string(2),
    pickup_type: oneOf('DropOffPickupType', 3),
    drop_off_type: oneOf('DropOffPickupType', 4),
  },
  TripProperties: {
    trip_id: string(1),
    start_date: string(2),
    start_time: string(3),
    shape_id: string(4),
    trip_headsign: string(5),
    trip_short_name: string(6),
  },
  VehiclePosition: {
    trip: message('TripDescriptor', 1),
    position: message('Position', 2),
    current_stop_sequence: uint32(3),
    current_status: oneOf('VehicleStopStatus', 4),
    timestamp: time(5, 'uint64'),
    congestion_level: oneOf('CongestionLevel', 6),
    stop_id: string(7),
    vehicle: message('VehicleDescriptor', 8),
    occupancy_status: oneOf('OccupancyStatus', 9),
    occupancy_percentage: uint32(10),
    multi_carriage_details: repeated(message('CarriageDetails', 11)),
  },
  CarriageDetails: {
    id: string(1),
    label: string(2),
    occupancy_status: oneOf('OccupancyStatus', 3),
    occupancy_percentage: int32(4),
    carriage_sequence: uint32(5),
  },
  Position: {
    latitude: required(float(1)),
    longitude: required(float(2)),
    bearing: float(3),
    odometer: double(4),
    speed: float(5),
  },
  TripDescriptor: {
    trip_id: string(1),
    start_time: string(2),
    start_date: string(3),
    schedule_relationship: oneOf('TripScheduleRelationship', 4),
    route_id: string(5),
    direction_id: uint32(6),
    modified_trip: message('ModifiedTripSelector', 7),
  },
  ModifiedTripSelector: {
    modifications_id: string(1),
    affected_trip_id: string(2),
    start_time: string(3),
    start_date: string(4),
  },
  VehicleDescriptor: {
    id: string(1),
    label: string(2),
    license_plate: string(3),
    wheelchair_accessible: oneOf('WheelchairAccessible', 4),
  },
  Alert: {
    active_period: repeated(message('TimeRange', 1)),
    communication_period: repeated(message('TimeRange', 2)),
    impact_period: repeated(message('TimeRange', 3)),
    informed_entity: repeated(message('EntitySelector', 5)),
    cause: oneOf('Cause', 6),
    effect: oneOf('Effect', 7),
    url: message('TranslatedString', 8),
    header_text: message('TranslatedString', 10),
    description_text: message('TranslatedString', 11),
    tts_header_text: message('TranslatedString', 12),
    tts_description_text: message('TranslatedString', 13),
    severity_level: oneOf('SeverityLevel', 14),
    image: message('TranslatedImage', 15),
    image_alternative_text: message('TranslatedString', 16),
    cause_detail: message('TranslatedString', 17),
    effect_detail: message('TranslatedString', 18),
  },
  TimeRange: { start: time(1, 'uint64'), end: time(2, 'uint64') },
  EntitySelector: {
    agency_id: string(1),
    route_id: string(2),
    route_type: int32(3),
    trip: message('TripDescriptor', 4),
    stop_id: string(5),
    direction_id: uint32(6),
  },
  TranslatedString: { translation: repeated(message('Translation', 1)) },
  Translation: { text: required(string(1)), language: string(2) },
  TranslatedImage: { localized_image: repeated(message('LocalizedImage', 1)) },
  LocalizedImage: { url: required(string(1)), media_type: required(string(2)), language: string(3) },
  Shape: { shape_id: string(1), encoded_polyline: string(2) },
  Stop: {
    stop_id: string(1),
    stop_code: message('TranslatedString', 2),
    stop_name: message('TranslatedString', 3),
    tts_stop_name: message('TranslatedString', 4),
    stop_desc: message('TranslatedString', 5),
    stop_lat: float(6),
    stop_lon: float(7),
    zone_id: string(8),
    stop_url: message('TranslatedString', 9),
    parent_station: string(11),
    stop_timezone: string(12),
    wheelchair_boarding: oneOf('WheelchairBoarding', 13),
    level_id: string(14),
    platform_code: message('TranslatedString', 15),
  },
  TripModifications: {
    selected_trips: repeated(message('SelectedTrips', 1)),
    start_times: repeated(string(2)),
    service_dates: repeated(string(3)),
    modifications: repeated(message('Modification', 4)),
  },
  SelectedTrips: { trip_ids: repeated(string(1)), shape_id: string(2) },
  Modification: {
    start_stop_selector: message('StopSelector', 1),
    end_stop_selector: message('StopSelector', 2),
    propagated_modification_delay: duration(3),
    replacement_stops: repeated(message('ReplacementStop', 4)),
    service_alert_id: string(5),
    last_modified_time: time(6, 'uint64'),
  },
  ReplacementStop: { travel_time_to_stop: duration(1), stop_id: string(2) },
  StopSelector: { stop_sequence: uint32(1), stop_id: string(2) },
} as const satisfies Messages;
