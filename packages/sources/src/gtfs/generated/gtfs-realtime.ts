/* Written by scripts/generate-gtfs-rt.mjs from the official descriptor of GTFS-Realtime, not by hand: the messages as types,
 * the enumerations, and what is on the wire. 64-bit integers are POSIX times in seconds.
 * https://gtfs.org/documentation/realtime/reference/ says what each field means. */
import type { WireMessage } from '../messages.ts';

export interface FeedMessage extends WireMessage {
  readonly header: FeedHeader;
  readonly entity?: readonly FeedEntity[];
}

export interface FeedHeader extends WireMessage {
  readonly gtfs_realtime_version: string;
  readonly incrementality?: Incrementality;
  readonly timestamp?: number;
  readonly feed_version?: string;
}

export interface FeedEntity extends WireMessage {
  readonly id: string;
  readonly is_deleted?: boolean;
  readonly trip_update?: TripUpdate;
  readonly vehicle?: VehiclePosition;
  readonly alert?: Alert;
  readonly shape?: Shape;
  readonly stop?: Stop;
  readonly trip_modifications?: TripModifications;
}

export interface TripUpdate extends WireMessage {
  readonly trip: TripDescriptor;
  readonly stop_time_update?: readonly StopTimeUpdate[];
  readonly vehicle?: VehicleDescriptor;
  readonly timestamp?: number;
  readonly delay?: number;
  readonly trip_properties?: TripProperties;
}

export interface StopTimeEvent extends WireMessage {
  readonly delay?: number;
  readonly time?: number;
  readonly uncertainty?: number;
  readonly scheduled_time?: number;
}

export interface StopTimeUpdate extends WireMessage {
  readonly stop_sequence?: number;
  readonly arrival?: StopTimeEvent;
  readonly departure?: StopTimeEvent;
  readonly stop_id?: string;
  readonly schedule_relationship?: StopTimeScheduleRelationship;
  readonly stop_time_properties?: StopTimeProperties;
  readonly departure_occupancy_status?: OccupancyStatus;
}

export interface StopTimeProperties extends WireMessage {
  readonly assigned_stop_id?: string;
  readonly stop_headsign?: string;
  readonly pickup_type?: DropOffPickupType;
  readonly drop_off_type?: DropOffPickupType;
}

export interface TripProperties extends WireMessage {
  readonly trip_id?: string;
  readonly start_date?: string;
  readonly start_time?: string;
  readonly shape_id?: string;
  readonly trip_headsign?: string;
  readonly trip_short_name?: string;
}

export interface VehiclePosition extends WireMessage {
  readonly trip?: TripDescriptor;
  readonly position?: Position;
  readonly current_stop_sequence?: number;
  readonly current_status?: VehicleStopStatus;
  readonly timestamp?: number;
  readonly congestion_level?: CongestionLevel;
  readonly stop_id?: string;
  readonly vehicle?: VehicleDescriptor;
  readonly occupancy_status?: OccupancyStatus;
  readonly occupancy_percentage?: number;
  readonly multi_carriage_details?: readonly CarriageDetails[];
}

export interface CarriageDetails extends WireMessage {
  readonly id?: string;
  readonly label?: string;
  readonly occupancy_status?: OccupancyStatus;
  readonly occupancy_percentage?: number;
  readonly carriage_sequence?: number;
}

export interface Alert extends WireMessage {
  readonly active_period?: readonly TimeRange[];
  readonly communication_period?: readonly TimeRange[];
  readonly impact_period?: readonly TimeRange[];
  readonly informed_entity?: readonly EntitySelector[];
  readonly cause?: Cause;
  readonly effect?: Effect;
  readonly url?: TranslatedString;
  readonly header_text?: TranslatedString;
  readonly description_text?: TranslatedString;
  readonly tts_header_text?: TranslatedString;
  readonly tts_description_text?: TranslatedString;
  readonly severity_level?: SeverityLevel;
  readonly image?: TranslatedImage;
  readonly image_alternative_text?: TranslatedString;
  readonly cause_detail?: TranslatedString;
  readonly effect_detail?: TranslatedString;
}

export interface TimeRange extends WireMessage {
  readonly start?: number;
  readonly end?: number;
}

export interface Position extends WireMessage {
  readonly latitude: number;
  readonly longitude: number;
  readonly bearing?: number;
  readonly odometer?: number;
  readonly speed?: number;
}

export interface TripDescriptor extends WireMessage {
  readonly trip_id?: string;
  readonly start_time?: string;
  readonly start_date?: string;
  readonly schedule_relationship?: TripScheduleRelationship;
  readonly route_id?: string;
  readonly direction_id?: number;
  readonly modified_trip?: ModifiedTripSelector;
}

export interface ModifiedTripSelector extends WireMessage {
  readonly modifications_id?: string;
  readonly affected_trip_id?: string;
  readonly start_time?: string;
  readonly start_date?: string;
}

export interface VehicleDescriptor extends WireMessage {
  readonly id?: string;
  readonly label?: string;
  readonly license_plate?: string;
  readonly wheelchair_accessible?: WheelchairAccessible;
}

export interface EntitySelector extends WireMessage {
  readonly agency_id?: string;
  readonly route_id?: string;
  readonly route_type?: number;
  readonly trip?: TripDescriptor;
  readonly stop_id?: string;
  readonly direction_id?: number;
}

export interface TranslatedString extends WireMessage {
  readonly translation?: readonly Translation[];
}

export interface Translation extends WireMessage {
  readonly text: string;
  readonly language?: string;
}

export interface TranslatedImage extends WireMessage {
  readonly localized_image?: readonly LocalizedImage[];
}

export interface LocalizedImage extends WireMessage {
  readonly url: string;
  readonly media_type: string;
  readonly language?: string;
}

export interface Shape extends WireMessage {
  readonly shape_id?: string;
  readonly encoded_polyline?: string;
}

export interface Stop extends WireMessage {
  readonly stop_id?: string;
  readonly stop_code?: TranslatedString;
  readonly stop_name?: TranslatedString;
  readonly tts_stop_name?: TranslatedString;
  readonly stop_desc?: TranslatedString;
  readonly stop_lat?: number;
  readonly stop_lon?: number;
  readonly zone_id?: string;
  readonly stop_url?: TranslatedString;
  readonly parent_station?: string;
  readonly stop_timezone?: string;
  readonly wheelchair_boarding?: WheelchairBoarding;
  readonly level_id?: string;
  readonly platform_code?: TranslatedString;
}

export interface TripModifications extends WireMessage {
  readonly selected_trips?: readonly SelectedTrips[];
  readonly start_times?: readonly string[];
  readonly service_dates?: readonly string[];
  readonly modifications?: readonly Modification[];
}

export interface Modification extends WireMessage {
  readonly start_stop_selector?: StopSelector;
  readonly end_stop_selector?: StopSelector;
  readonly propagated_modification_delay?: number;
  readonly replacement_stops?: readonly ReplacementStop[];
  readonly service_alert_id?: string;
  readonly last_modified_time?: number;
}

export interface SelectedTrips extends WireMessage {
  readonly trip_ids?: readonly string[];
  readonly shape_id?: string;
}

export interface StopSelector extends WireMessage {
  readonly stop_sequence?: number;
  readonly stop_id?: string;
}

export interface ReplacementStop extends WireMessage {
  readonly travel_time_to_stop?: number;
  readonly stop_id?: string;
}

export interface MessageTypes {
  FeedMessage: FeedMessage;
  FeedHeader: FeedHeader;
  FeedEntity: FeedEntity;
  TripUpdate: TripUpdate;
  StopTimeEvent: StopTimeEvent;
  StopTimeUpdate: StopTimeUpdate;
  StopTimeProperties: StopTimeProperties;
  TripProperties: TripProperties;
  VehiclePosition: VehiclePosition;
  CarriageDetails: CarriageDetails;
  Alert: Alert;
  TimeRange: TimeRange;
  Position: Position;
  TripDescriptor: TripDescriptor;
  ModifiedTripSelector: ModifiedTripSelector;
  VehicleDescriptor: VehicleDescriptor;
  EntitySelector: EntitySelector;
  TranslatedString: TranslatedString;
  Translation: Translation;
  TranslatedImage: TranslatedImage;
  LocalizedImage: LocalizedImage;
  Shape: Shape;
  Stop: Stop;
  TripModifications: TripModifications;
  Modification: Modification;
  SelectedTrips: SelectedTrips;
  StopSelector: StopSelector;
  ReplacementStop: ReplacementStop;
}

export const enums = {
  Incrementality: {
    FULL_DATASET: 0,
    DIFFERENTIAL: 1,
  },
  StopTimeScheduleRelationship: {
    SCHEDULED: 0,
    SKIPPED: 1,
    NO_DATA: 2,
    UNSCHEDULED: 3,
  },
  DropOffPickupType: {
    REGULAR: 0,
    NONE: 1,
    PHONE_AGENCY: 2,
    COORDINATE_WITH_DRIVER: 3,
  },
  VehicleStopStatus: {
    INCOMING_AT: 0,
    STOPPED_AT: 1,
    IN_TRANSIT_TO: 2,
  },
  CongestionLevel: {
    UNKNOWN_CONGESTION_LEVEL: 0,
    RUNNING_SMOOTHLY: 1,
    STOP_AND_GO: 2,
    CONGESTION: 3,
    SEVERE_CONGESTION: 4,
  },
  OccupancyStatus: {
    EMPTY: 0,
    MANY_SEATS_AVAILABLE: 1,
    FEW_SEATS_AVAILABLE: 2,
    STANDING_ROOM_ONLY: 3,
    CRUSHED_STANDING_ROOM_ONLY: 4,
    FULL: 5,
    NOT_ACCEPTING_PASSENGERS: 6,
    NO_DATA_AVAILABLE: 7,
    NOT_BOARDABLE: 8,
  },
  Cause: {
    UNKNOWN_CAUSE: 1,
    OTHER_CAUSE: 2,
    TECHNICAL_PROBLEM: 3,
    STRIKE: 4,
    DEMONSTRATION: 5,
    ACCIDENT: 6,
    HOLIDAY: 7,
    WEATHER: 8,
    MAINTENANCE: 9,
    CONSTRUCTION: 10,
    POLICE_ACTIVITY: 11,
    MEDICAL_EMERGENCY: 12,
    SPECIAL_EVENT: 13,
  },
  Effect: {
    NO_SERVICE: 1,
    REDUCED_SERVICE: 2,
    SIGNIFICANT_DELAYS: 3,
    DETOUR: 4,
    ADDITIONAL_SERVICE: 5,
    MODIFIED_SERVICE: 6,
    OTHER_EFFECT: 7,
    UNKNOWN_EFFECT: 8,
    STOP_MOVED: 9,
    NO_EFFECT: 10,
    ACCESSIBILITY_ISSUE: 11,
  },
  SeverityLevel: {
    UNKNOWN_SEVERITY: 1,
    INFO: 2,
    WARNING: 3,
    SEVERE: 4,
  },
  TripScheduleRelationship: {
    SCHEDULED: 0,
    ADDED: 1,
    UNSCHEDULED: 2,
    CANCELED: 3,
    REPLACEMENT: 5,
    DUPLICATED: 6,
    DELETED: 7,
    NEW: 8,
  },
  WheelchairAccessible: {
    NO_VALUE: 0,
    UNKNOWN: 1,
    WHEELCHAIR_ACCESSIBLE: 2,
    WHEELCHAIR_INACCESSIBLE: 3,
  },
  WheelchairBoarding: {
    UNKNOWN: 0,
    AVAILABLE: 1,
    NOT_AVAILABLE: 2,
  },
} as const;

export type Incrementality = keyof typeof enums.Incrementality;
export type StopTimeScheduleRelationship = keyof typeof enums.StopTimeScheduleRelationship;
export type DropOffPickupType = keyof typeof enums.DropOffPickupType;
export type VehicleStopStatus = keyof typeof enums.VehicleStopStatus;
export type CongestionLevel = keyof typeof enums.CongestionLevel;
export type OccupancyStatus = keyof typeof enums.OccupancyStatus;
export type Cause = keyof typeof enums.Cause;
export type Effect = keyof typeof enums.Effect;
export type SeverityLevel = keyof typeof enums.SeverityLevel;
export type TripScheduleRelationship = keyof typeof enums.TripScheduleRelationship;
export type WheelchairAccessible = keyof typeof enums.WheelchairAccessible;
export type WheelchairBoarding = keyof typeof enums.WheelchairBoarding;

export const messages = {
  FeedMessage: {
    header: { number: 1, type: 'message', of: 'FeedHeader', required: true },
    entity: { number: 2, type: 'message', of: 'FeedEntity', repeated: true },
  },
  FeedHeader: {
    gtfs_realtime_version: { number: 1, type: 'string', required: true },
    incrementality: { number: 2, type: 'enum', of: 'Incrementality' },
    timestamp: { number: 3, type: 'uint64' },
    feed_version: { number: 4, type: 'string' },
  },
  FeedEntity: {
    id: { number: 1, type: 'string', required: true },
    is_deleted: { number: 2, type: 'bool' },
    trip_update: { number: 3, type: 'message', of: 'TripUpdate' },
    vehicle: { number: 4, type: 'message', of: 'VehiclePosition' },
    alert: { number: 5, type: 'message', of: 'Alert' },
    shape: { number: 6, type: 'message', of: 'Shape' },
    stop: { number: 7, type: 'message', of: 'Stop' },
    trip_modifications: { number: 8, type: 'message', of: 'TripModifications' },
  },
  TripUpdate: {
    trip: { number: 1, type: 'message', of: 'TripDescriptor', required: true },
    stop_time_update: { number: 2, type: 'message', of: 'StopTimeUpdate', repeated: true },
    vehicle: { number: 3, type: 'message', of: 'VehicleDescriptor' },
    timestamp: { number: 4, type: 'uint64' },
    delay: { number: 5, type: 'int32' },
    trip_properties: { number: 6, type: 'message', of: 'TripProperties' },
  },
  StopTimeEvent: {
    delay: { number: 1, type: 'int32' },
    time: { number: 2, type: 'int64' },
    uncertainty: { number: 3, type: 'int32' },
    scheduled_time: { number: 4, type: 'int64' },
  },
  StopTimeUpdate: {
    stop_sequence: { number: 1, type: 'uint32' },
    arrival: { number: 2, type: 'message', of: 'StopTimeEvent' },
    departure: { number: 3, type: 'message', of: 'StopTimeEvent' },
    stop_id: { number: 4, type: 'string' },
    schedule_relationship: { number: 5, type: 'enum', of: 'StopTimeScheduleRelationship' },
    stop_time_properties: { number: 6, type: 'message', of: 'StopTimeProperties' },
    departure_occupancy_status: { number: 7, type: 'enum', of: 'OccupancyStatus' },
  },
  StopTimeProperties: {
    assigned_stop_id: { number: 1, type: 'string' },
    stop_headsign: { number: 2, type: 'string' },
    pickup_type: { number: 3, type: 'enum', of: 'DropOffPickupType' },
    drop_off_type: { number: 4, type: 'enum', of: 'DropOffPickupType' },
  },
  TripProperties: {
    trip_id: { number: 1, type: 'string' },
    start_date: { number: 2, type: 'string' },
    start_time: { number: 3, type: 'string' },
    shape_id: { number: 4, type: 'string' },
    trip_headsign: { number: 5, type: 'string' },
    trip_short_name: { number: 6, type: 'string' },
  },
  VehiclePosition: {
    trip: { number: 1, type: 'message', of: 'TripDescriptor' },
    position: { number: 2, type: 'message', of: 'Position' },
    current_stop_sequence: { number: 3, type: 'uint32' },
    current_status: { number: 4, type: 'enum', of: 'VehicleStopStatus' },
    timestamp: { number: 5, type: 'uint64' },
    congestion_level: { number: 6, type: 'enum', of: 'CongestionLevel' },
    stop_id: { number: 7, type: 'string' },
    vehicle: { number: 8, type: 'message', of: 'VehicleDescriptor' },
    occupancy_status: { number: 9, type: 'enum', of: 'OccupancyStatus' },
    occupancy_percentage: { number: 10, type: 'uint32' },
    multi_carriage_details: { number: 11, type: 'message', of: 'CarriageDetails', repeated: true },
  },
  CarriageDetails: {
    id: { number: 1, type: 'string' },
    label: { number: 2, type: 'string' },
    occupancy_status: { number: 3, type: 'enum', of: 'OccupancyStatus' },
    occupancy_percentage: { number: 4, type: 'int32' },
    carriage_sequence: { number: 5, type: 'uint32' },
  },
  Alert: {
    active_period: { number: 1, type: 'message', of: 'TimeRange', repeated: true },
    communication_period: { number: 2, type: 'message', of: 'TimeRange', repeated: true },
    impact_period: { number: 3, type: 'message', of: 'TimeRange', repeated: true },
    informed_entity: { number: 5, type: 'message', of: 'EntitySelector', repeated: true },
    cause: { number: 6, type: 'enum', of: 'Cause' },
    effect: { number: 7, type: 'enum', of: 'Effect' },
    url: { number: 8, type: 'message', of: 'TranslatedString' },
    header_text: { number: 10, type: 'message', of: 'TranslatedString' },
    description_text: { number: 11, type: 'message', of: 'TranslatedString' },
    tts_header_text: { number: 12, type: 'message', of: 'TranslatedString' },
    tts_description_text: { number: 13, type: 'message', of: 'TranslatedString' },
    severity_level: { number: 14, type: 'enum', of: 'SeverityLevel' },
    image: { number: 15, type: 'message', of: 'TranslatedImage' },
    image_alternative_text: { number: 16, type: 'message', of: 'TranslatedString' },
    cause_detail: { number: 17, type: 'message', of: 'TranslatedString' },
    effect_detail: { number: 18, type: 'message', of: 'TranslatedString' },
  },
  TimeRange: {
    start: { number: 1, type: 'uint64' },
    end: { number: 2, type: 'uint64' },
  },
  Position: {
    latitude: { number: 1, type: 'float', required: true },
    longitude: { number: 2, type: 'float', required: true },
    bearing: { number: 3, type: 'float' },
    odometer: { number: 4, type: 'double' },
    speed: { number: 5, type: 'float' },
  },
  TripDescriptor: {
    trip_id: { number: 1, type: 'string' },
    start_time: { number: 2, type: 'string' },
    start_date: { number: 3, type: 'string' },
    schedule_relationship: { number: 4, type: 'enum', of: 'TripScheduleRelationship' },
    route_id: { number: 5, type: 'string' },
    direction_id: { number: 6, type: 'uint32' },
    modified_trip: { number: 7, type: 'message', of: 'ModifiedTripSelector' },
  },
  ModifiedTripSelector: {
    modifications_id: { number: 1, type: 'string' },
    affected_trip_id: { number: 2, type: 'string' },
    start_time: { number: 3, type: 'string' },
    start_date: { number: 4, type: 'string' },
  },
  VehicleDescriptor: {
    id: { number: 1, type: 'string' },
    label: { number: 2, type: 'string' },
    license_plate: { number: 3, type: 'string' },
    wheelchair_accessible: { number: 4, type: 'enum', of: 'WheelchairAccessible' },
  },
  EntitySelector: {
    agency_id: { number: 1, type: 'string' },
    route_id: { number: 2, type: 'string' },
    route_type: { number: 3, type: 'int32' },
    trip: { number: 4, type: 'message', of: 'TripDescriptor' },
    stop_id: { number: 5, type: 'string' },
    direction_id: { number: 6, type: 'uint32' },
  },
  TranslatedString: {
    translation: { number: 1, type: 'message', of: 'Translation', repeated: true },
  },
  Translation: {
    text: { number: 1, type: 'string', required: true },
    language: { number: 2, type: 'string' },
  },
  TranslatedImage: {
    localized_image: { number: 1, type: 'message', of: 'LocalizedImage', repeated: true },
  },
  LocalizedImage: {
    url: { number: 1, type: 'string', required: true },
    media_type: { number: 2, type: 'string', required: true },
    language: { number: 3, type: 'string' },
  },
  Shape: {
    shape_id: { number: 1, type: 'string' },
    encoded_polyline: { number: 2, type: 'string' },
  },
  Stop: {
    stop_id: { number: 1, type: 'string' },
    stop_code: { number: 2, type: 'message', of: 'TranslatedString' },
    stop_name: { number: 3, type: 'message', of: 'TranslatedString' },
    tts_stop_name: { number: 4, type: 'message', of: 'TranslatedString' },
    stop_desc: { number: 5, type: 'message', of: 'TranslatedString' },
    stop_lat: { number: 6, type: 'float' },
    stop_lon: { number: 7, type: 'float' },
    zone_id: { number: 8, type: 'string' },
    stop_url: { number: 9, type: 'message', of: 'TranslatedString' },
    parent_station: { number: 11, type: 'string' },
    stop_timezone: { number: 12, type: 'string' },
    wheelchair_boarding: { number: 13, type: 'enum', of: 'WheelchairBoarding' },
    level_id: { number: 14, type: 'string' },
    platform_code: { number: 15, type: 'message', of: 'TranslatedString' },
  },
  TripModifications: {
    selected_trips: { number: 1, type: 'message', of: 'SelectedTrips', repeated: true },
    start_times: { number: 2, type: 'string', repeated: true },
    service_dates: { number: 3, type: 'string', repeated: true },
    modifications: { number: 4, type: 'message', of: 'Modification', repeated: true },
  },
  Modification: {
    start_stop_selector: { number: 1, type: 'message', of: 'StopSelector' },
    end_stop_selector: { number: 2, type: 'message', of: 'StopSelector' },
    propagated_modification_delay: { number: 3, type: 'int32' },
    replacement_stops: { number: 4, type: 'message', of: 'ReplacementStop', repeated: true },
    service_alert_id: { number: 5, type: 'string' },
    last_modified_time: { number: 6, type: 'uint64' },
  },
  SelectedTrips: {
    trip_ids: { number: 1, type: 'string', repeated: true },
    shape_id: { number: 2, type: 'string' },
  },
  StopSelector: {
    stop_sequence: { number: 1, type: 'uint32' },
    stop_id: { number: 2, type: 'string' },
  },
  ReplacementStop: {
    travel_time_to_stop: { number: 1, type: 'int32' },
    stop_id: { number: 2, type: 'string' },
  },
} as const;
