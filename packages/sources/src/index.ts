export { createGbfsSource, GBFS_FEEDS, type GbfsFeedName, type GbfsSourceOptions } from './documents/gbfs.ts';
export type {
  DocumentSourceOptions,
  HttpSourceLimits,
  HttpSourceLookup,
  HttpSourceOptions,
  HttpSourcePages,
} from './documents/http-source.ts';
export { createHttpSource, createSensorThingsSource } from './documents/http-source.ts';
export type { DocumentLimits } from './documents/read-document.ts';
export { readDocument } from './documents/read-document.ts';
export type { MappingMistake, MappingPath, MappingRecordProblem } from './errors.ts';
export { type DecodedFeed, type DecodeLimits, decodeFeed, type SkippedEntity } from './gtfs/decode-feed.ts';
export { encodeFeed } from './gtfs/encode-feed.ts';
export { type EntityDrafts, type EntityDraftsOptions, entityDrafts } from './gtfs/entity-drafts.ts';
export type { EntityIris, IriTemplates, ReferenceKind } from './gtfs/entity-iris.ts';
export type {
  Alert,
  CarriageDetails,
  EntitySelector,
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
} from './gtfs/feed-entities.ts';
export type { FeedEntity, FeedHeader, FeedMessage } from './gtfs/feed-message.ts';
export { createGtfsRtSource, type GtfsRtLimits, type GtfsRtSourceOptions } from './gtfs/gtfs-rt-source.ts';
export type { EntityKind, KeyFields, NaturalKey, ReadKey } from './gtfs/natural-key.ts';
export { type ContextEntry, rtContext } from './gtfs/rt-context.ts';
export { createRtMapping, type RtMapping, type RtMappingOptions } from './gtfs/rt-mapping.ts';
export { type RtShape, rtShape } from './gtfs/rt-shape.ts';
export { rtVocabulary } from './gtfs/rt-vocabulary.ts';
export { UNKNOWN_FIELDS, type UnknownField, type WireMessage } from './gtfs/wire-message.ts';
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
export type { MqttAddress } from './mqtt/mqtt-address.ts';
export type { MqttEdge } from './mqtt/mqtt-edge.ts';
export { createMqttSource } from './mqtt/mqtt-source.ts';
export type { MqttLimits, MqttReconnect, MqttSourceOptions, MqttTls, MqttTopic } from './mqtt/mqtt-source-options.ts';
export type { OpenSocket } from './mqtt/open-socket.ts';
export { nearestKey } from './options.ts';
export type { HttpGetLimits } from './polling/fetch.ts';
export { loadPreset, type Preset, presetNames } from './presets.ts';
export type {
  PollAccepted,
  PollFailed,
  PollRejected,
  PollUnchanged,
  Sleep,
  Source,
  SourceEnvironment,
  SourceEvent,
} from './source.ts';
