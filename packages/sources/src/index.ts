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
export type { HttpGetLimits } from './http-get.ts';
export { compileMapping } from './mapping/compile-mapping.ts';
export type { CompileOptions } from './mapping/compile-options.ts';
export type { CompiledMapping, MappedDocument, MappingInput, MappingShape } from './mapping/compiled-mapping.ts';
export type {
  ContextMapping,
  Conversion,
  DocumentFormat,
  DocumentReading,
  MappedNode,
  MappedProperty,
  MappedValue,
  Mapping,
  MappingLookup,
} from './mapping/mapping.ts';
export type { MappingMistake, MappingPath } from './mapping/mapping-mistake.ts';
export { mappingPrefixes, prefixesAt } from './mapping/mapping-prefixes.ts';
export type { MappingRecordProblem } from './mapping/mapping-record-problem.ts';
export type { LineOf } from './mapping/mistake-list.ts';
export { parseMapping } from './mapping/parse-mapping.ts';
export type { MqttAddress } from './mqtt/mqtt-address.ts';
export type { MqttEdge } from './mqtt/mqtt-edge.ts';
export { createMqttSource } from './mqtt/mqtt-source.ts';
export type { MqttLimits, MqttReconnect, MqttSourceOptions, MqttTls, MqttTopic } from './mqtt/mqtt-source-options.ts';
export type { OpenSocket } from './mqtt/open-socket.ts';
export { nearestKey } from './nearest-key.ts';
export type { Preset } from './presets/preset.ts';
export { presets } from './presets/presets.ts';
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
