export { isStreamError, type Member, type StreamError } from '@ldes-live/rdf-stream';
export type { Change, GapChange, MemberChange } from './change.ts';
export { createLiveClient, type LiveClient } from './client.ts';
export { type ClientEnvironment, type HostEnvironmentOptions, hostEnvironment } from './environment.ts';
export type { FollowStateName } from './follow/state.ts';
export type { Follower } from './follower.ts';
export { type Hosts, isPublicAddress } from './http/hosts.ts';
export type { LatestEntities } from './latest.ts';
export {
  type BoundingBox,
  type ClientLimits,
  DEFAULT_LIMITS,
  type FollowerState,
  type FollowOptions,
  type LiveClientOptions,
} from './options.ts';
export type { LiveStatus, SourceStatus } from './status.ts';
export type { TreeState } from './tree/saved-state.ts';
export type { Sleep } from './waiting.ts';
