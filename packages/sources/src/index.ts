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
export type { HttpGetLimits } from './http-get.ts';
export type { Source } from './source.ts';
export type { Sleep, SourceEdge } from './source-edge.ts';
export type { PollFailed, PollHeldBack, PollTaken, PollUnchanged, SourceEvent } from './source-event.ts';
