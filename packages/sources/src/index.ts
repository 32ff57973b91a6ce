export type { DocumentLimits } from './formats/document-limits.ts';
export { readDocument } from './formats/read-document.ts';
export { createGbfsSource } from './gbfs/gbfs-source.ts';
export { GBFS_FEEDS, type GbfsFeedName, type GbfsSourceOptions } from './gbfs/gbfs-source-options.ts';
export { type DecodedFeed, type DecodeLimits, decodeFeed, type SkippedEntity } from './gtfs-rt/decode-feed.ts';
export { encodeFeed } from './gtfs-rt/encode-feed.ts';
export { type EntityDrafts, type EntityDraftsOptions, entityDrafts } from './gtfs-rt/entity-drafts.ts';
export type { EntityIris, IriTemplates, ReferenceKind } from './gtfs-rt/entity-iris.ts';
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
} from './gtfs-rt/feed-entities.ts';
export type { FeedEntity, FeedHeader, FeedMessage } from './gtfs-rt/feed-message.ts';
export { createGtfsRtSource, type GtfsRtLimits, type GtfsRtSourceOptions } from './gtfs-rt/gtfs-rt-source.ts';
export type { EntityKind, KeyFields, NaturalKey, ReadKey } from './gtfs-rt/natural-key.ts';
export { type ContextEntry, rtContext } from './gtfs-rt/rt-context.ts';
export { createRtMapping, type RtMapping, type RtMappingOptions } from './gtfs-rt/rt-mapping.ts';
export { type RtShape, rtShape } from './gtfs-rt/rt-shape.ts';
export { rtVocabulary } from './gtfs-rt/rt-vocabulary.ts';
export { UNKNOWN_FIELDS, type UnknownField, type WireMessage } from './gtfs-rt/wire-message.ts';
export { createHttpSource } from './http/http-source.ts';
export type {
  DocumentSourceOptions,
  HttpSourceLimits,
  HttpSourceLookup,
  HttpSourceOptions,
  HttpSourcePages,
} from './http/http-source-options.ts';
export type { HttpGetLimits } from './http-get.ts';
export { compileMapping } from './mapping/compile-mapping.ts';
export type { CompileOptions } from './mapping/compile-options.ts';
export type { CompiledMapping, MappedDocument, MappingInput, MappingShape } from './mapping/compiled-mapping.ts';
export { mappingPrefixes, prefixesAt } from './mapping/iris.ts';
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
export type { Source } from './source.ts';
export type { Sleep, SourceEdge } from './source-edge.ts';
export type { PollFailed, PollHeldBack, PollTaken, PollUnchanged, SourceEvent } from './source-event.ts';
