/**
 * The enumerations of GTFS-Realtime, by name: each value's name and number.
 *
 * The protocol has two enumerations of the name `ScheduleRelationship`; here they are told apart.
 *
 * @see specs/gtfs-realtime.md GTFS-5
 * @see https://gtfs.org/documentation/realtime/reference/
 */
export const wireEnums = {
  Incrementality: { FULL_DATASET: 0, DIFFERENTIAL: 1 },
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
  StopTimeScheduleRelationship: { SCHEDULED: 0, SKIPPED: 1, NO_DATA: 2, UNSCHEDULED: 3 },
  VehicleStopStatus: { INCOMING_AT: 0, STOPPED_AT: 1, IN_TRANSIT_TO: 2 },
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
  SeverityLevel: { UNKNOWN_SEVERITY: 1, INFO: 2, WARNING: 3, SEVERE: 4 },
  WheelchairAccessible: { NO_VALUE: 0, UNKNOWN: 1, WHEELCHAIR_ACCESSIBLE: 2, WHEELCHAIR_INACCESSIBLE: 3 },
  WheelchairBoarding: { UNKNOWN: 0, AVAILABLE: 1, NOT_AVAILABLE: 2 },
  DropOffPickupType: { REGULAR: 0, NONE: 1, PHONE_AGENCY: 2, COORDINATE_WITH_DRIVER: 3 },
} as const;

/** The name of an enumeration. */
export type WireEnumName = keyof typeof wireEnums;

/** The names of the values of an enumeration. */
export type WireEnumValue<Name extends WireEnumName> = keyof (typeof wireEnums)[Name] & string;
