export type { DocumentLimits } from './documents/document.ts';
export { createGbfsSource, GBFS_FEEDS, type GbfsFeedName, type GbfsSourceOptions } from './documents/gbfs.ts';
export type {
  DocumentSourceOptions,
  HttpSourceLimits,
  HttpSourceLookup,
  HttpSourceOptions,
  HttpSourcePages,
} from './documents/http-source.ts';
export { createHttpSource, createSensorThingsSource } from './documents/http-source.ts';
export { readDocument } from './documents/read-document.ts';
export type { MappingMistake, MappingPath, MappingRecordProblem } from './errors.ts';
export type { DecodeLimits } from './gtfs/decode-limits.ts';
export { createRtReader, type RtReaderOptions } from './gtfs/feed.ts';
export type {
  Alert,
  CarriageDetails,
  EntitySelector,
  FeedEntity,
  FeedHeader,
  FeedMessage,
  LocalizedImage,
  Modification,
  ModifiedTripSelector,
  Position,
  ReplacementStop,
  SelectedTrips,
  Shape,
  Stop,
  StopSelector,
  StopTimeEvent,
  StopTimeProperties,
  StopTimeUpdate,
  TimeRange,
  TranslatedImage,
  TranslatedString,
  Translation,
  TripDescriptor,
  TripModifications,
  TripProperties,
  TripUpdate,
  VehicleDescriptor,
  VehiclePosition,
} from './gtfs/generated/gtfs-realtime.ts';
export type { IriTemplates, KeyFields } from './gtfs/keys.ts';
export { UNKNOWN_FIELDS, type UnknownField, type WireMessage } from './gtfs/messages.ts';
export { createGtfsRtSource, type GtfsRtLimits, type GtfsRtSourceOptions } from './gtfs/realtime-source.ts';
export type { TimetableLimits } from './gtfs/timetable.ts';
export { TIMETABLE_PARTS, type TimetablePart } from './gtfs/timetable-fields.ts';
export {
  createTimetableSource,
  DEFAULT_TIMETABLE_PARTS,
  type TimetableSourceLimits,
  type TimetableSourceOptions,
  timetableIris,
} from './gtfs/timetable-source.ts';
export { type ContextEntry, type RtShape, rtContext, rtShape, rtVocabulary } from './gtfs/vocabulary.ts';
export { type DecodedFeed, decodeFeed, encodeFeed, type SkippedEntity } from './gtfs/wire.ts';
export { type CompiledMapping, type CompileOptions, compileMapping, parseMapping } from './mapping/compile.ts';
export { mappingPrefixes, prefixesAt } from './mapping/iris.ts';
export type { MappedDocument, MappingInput } from './mapping/map-document.ts';
export type { MappingShape } from './mapping/properties.ts';
export type {
  ContextMapping,
  Conversion,
  DocumentFormat,
  DocumentReading,
  LineOf,
  MappedNode,
  MappedProperty,
  MappedValue,
  Mapping,
  MappingLookup,
} from './mapping/schema.ts';
export { mappingJsonSchema } from './mapping/schema.ts';
export type { MqttAddress, MqttEnvironment, MqttTls, OpenSocket } from './mqtt/connection.ts';
export {
  createMqttSource,
  type MqttLimits,
  type MqttReconnect,
  type MqttSourceOptions,
  type MqttTopic,
} from './mqtt/source.ts';
export type { FetchLimits } from './polling/fetch.ts';
export { loadPreset, type Preset, presetNames } from './presets.ts';
export type {
  Candidate,
  PollAccepted,
  PollFailed,
  PollRejected,
  PollUnchanged,
  Sleep,
  Snapshot,
  Source,
  SourceEnvironment,
  SourceEvent,
} from './source.ts';
