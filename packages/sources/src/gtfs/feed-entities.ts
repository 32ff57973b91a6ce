import type { WireEnumValue } from './wire-enums.ts';
import type { WireMessage } from './wire-message.ts';

/** The progress of one trip: predicted times at its stops, or its cancellation. */
export interface TripUpdate extends WireMessage {
  readonly trip: TripDescriptor;
  readonly stop_time_update?: readonly StopTimeUpdate[];
  readonly vehicle?: VehicleDescriptor;
  /** POSIX seconds. */
  readonly timestamp?: number;
  /** Seconds, negative when early. */
  readonly delay?: number;
  readonly trip_properties?: TripProperties;
}

/** What a trip update says of one stop. */
export interface StopTimeUpdate extends WireMessage {
  readonly stop_sequence?: number;
  readonly arrival?: StopTimeEvent;
  readonly departure?: StopTimeEvent;
  readonly stop_id?: string;
  readonly schedule_relationship?: WireEnumValue<'StopTimeScheduleRelationship'>;
  readonly stop_time_properties?: StopTimeProperties;
  readonly departure_occupancy_status?: WireEnumValue<'OccupancyStatus'>;
}

/** A predicted arrival or departure. */
export interface StopTimeEvent extends WireMessage {
  /** Seconds, negative when early. */
  readonly delay?: number;
  /** POSIX seconds. */
  readonly time?: number;
  /** Seconds. */
  readonly uncertainty?: number;
  /** POSIX seconds. */
  readonly scheduled_time?: number;
}

/** What is other than scheduled at one stop. */
export interface StopTimeProperties extends WireMessage {
  readonly assigned_stop_id?: string;
  readonly stop_headsign?: string;
  readonly pickup_type?: WireEnumValue<'DropOffPickupType'>;
  readonly drop_off_type?: WireEnumValue<'DropOffPickupType'>;
}

/** What is other than scheduled on a trip; the identity of a duplicated one. */
export interface TripProperties extends WireMessage {
  readonly trip_id?: string;
  readonly start_date?: string;
  readonly start_time?: string;
  readonly shape_id?: string;
  readonly trip_headsign?: string;
  readonly trip_short_name?: string;
}

/** Where one vehicle is, and how full. */
export interface VehiclePosition extends WireMessage {
  readonly trip?: TripDescriptor;
  readonly position?: Position;
  readonly current_stop_sequence?: number;
  readonly current_status?: WireEnumValue<'VehicleStopStatus'>;
  /** POSIX seconds. */
  readonly timestamp?: number;
  readonly congestion_level?: WireEnumValue<'CongestionLevel'>;
  readonly stop_id?: string;
  readonly vehicle?: VehicleDescriptor;
  readonly occupancy_status?: WireEnumValue<'OccupancyStatus'>;
  readonly occupancy_percentage?: number;
  readonly multi_carriage_details?: readonly CarriageDetails[];
}

/** One carriage of a vehicle. */
export interface CarriageDetails extends WireMessage {
  readonly id?: string;
  readonly label?: string;
  readonly occupancy_status?: WireEnumValue<'OccupancyStatus'>;
  readonly occupancy_percentage?: number;
  readonly carriage_sequence?: number;
}

/** A place in WGS 84; all but `odometer` are 32-bit floats. */
export interface Position extends WireMessage {
  /** Degrees north. */
  readonly latitude: number;
  /** Degrees east. */
  readonly longitude: number;
  /** Degrees clockwise from true north. */
  readonly bearing?: number;
  /** Metres. */
  readonly odometer?: number;
  /** Metres per second. */
  readonly speed?: number;
}

/** Which trip is meant. */
export interface TripDescriptor extends WireMessage {
  readonly trip_id?: string;
  /** `HH:MM:SS`, beyond 24:00:00 for what runs after midnight. */
  readonly start_time?: string;
  /** `YYYYMMDD`, the service day. */
  readonly start_date?: string;
  readonly schedule_relationship?: WireEnumValue<'TripScheduleRelationship'>;
  readonly route_id?: string;
  readonly direction_id?: number;
  readonly modified_trip?: ModifiedTripSelector;
}

/** Which trip is meant, when trip modifications made it. */
export interface ModifiedTripSelector extends WireMessage {
  readonly modifications_id?: string;
  readonly affected_trip_id?: string;
  readonly start_time?: string;
  readonly start_date?: string;
}

/** Which vehicle is meant. */
export interface VehicleDescriptor extends WireMessage {
  readonly id?: string;
  readonly label?: string;
  readonly license_plate?: string;
  readonly wheelchair_accessible?: WireEnumValue<'WheelchairAccessible'>;
}

/** A notice to passengers. */
export interface Alert extends WireMessage {
  readonly active_period?: readonly TimeRange[];
  /** When to show the alert. */
  readonly communication_period?: readonly TimeRange[];
  /** When the services are affected. */
  readonly impact_period?: readonly TimeRange[];
  readonly informed_entity?: readonly EntitySelector[];
  readonly cause?: WireEnumValue<'Cause'>;
  readonly effect?: WireEnumValue<'Effect'>;
  readonly url?: TranslatedString;
  readonly header_text?: TranslatedString;
  readonly description_text?: TranslatedString;
  readonly tts_header_text?: TranslatedString;
  readonly tts_description_text?: TranslatedString;
  readonly severity_level?: WireEnumValue<'SeverityLevel'>;
  readonly image?: TranslatedImage;
  readonly image_alternative_text?: TranslatedString;
  readonly cause_detail?: TranslatedString;
  readonly effect_detail?: TranslatedString;
}

/** A period; open where an end is not set. */
export interface TimeRange extends WireMessage {
  /** POSIX seconds. */
  readonly start?: number;
  /** POSIX seconds. */
  readonly end?: number;
}

/** What an alert is about; its fields hold together (AND). */
export interface EntitySelector extends WireMessage {
  readonly agency_id?: string;
  readonly route_id?: string;
  readonly route_type?: number;
  readonly trip?: TripDescriptor;
  readonly stop_id?: string;
  readonly direction_id?: number;
}

/** A text in one or more languages. */
export interface TranslatedString extends WireMessage {
  readonly translation?: readonly Translation[];
}

/** A text in one language. */
export interface Translation extends WireMessage {
  readonly text: string;
  /** BCP 47 tag. */
  readonly language?: string;
}

/** An image in one or more languages. */
export interface TranslatedImage extends WireMessage {
  readonly localized_image?: readonly LocalizedImage[];
}

/** An image in one language. */
export interface LocalizedImage extends WireMessage {
  readonly url: string;
  readonly media_type: string;
  /** BCP 47 tag. */
  readonly language?: string;
}

/** A path that the timetable does not have (experimental). */
export interface Shape extends WireMessage {
  readonly shape_id?: string;
  readonly encoded_polyline?: string;
}

/** A stop that the timetable does not have (experimental). */
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
  readonly wheelchair_boarding?: WireEnumValue<'WheelchairBoarding'>;
  readonly level_id?: string;
  readonly platform_code?: TranslatedString;
}

/** One set of changes to a group of trips, such as a detour (experimental). */
export interface TripModifications extends WireMessage {
  readonly selected_trips?: readonly SelectedTrips[];
  readonly start_times?: readonly string[];
  readonly service_dates?: readonly string[];
  readonly modifications?: readonly Modification[];
}

/** Trips that get one new shape. */
export interface SelectedTrips extends WireMessage {
  readonly trip_ids?: readonly string[];
  readonly shape_id?: string;
}

/** The change of one stretch of a trip. */
export interface Modification extends WireMessage {
  readonly start_stop_selector?: StopSelector;
  readonly end_stop_selector?: StopSelector;
  /** Seconds. */
  readonly propagated_modification_delay?: number;
  readonly replacement_stops?: readonly ReplacementStop[];
  readonly service_alert_id?: string;
  /** POSIX seconds. */
  readonly last_modified_time?: number;
}

/** A stop that the changed trip visits instead. */
export interface ReplacementStop extends WireMessage {
  /** Seconds after the reference stop. */
  readonly travel_time_to_stop?: number;
  readonly stop_id?: string;
}

/** Which stop of a trip is meant. */
export interface StopSelector extends WireMessage {
  readonly stop_sequence?: number;
  readonly stop_id?: string;
}
