export type { Change, GapChange, MemberChange } from './change.ts';
export { type ClientLimits, DEFAULT_LIMITS } from './client-limits.ts';
export { createLiveClient, type LiveClient, type LiveClientOptions } from './create-live-client.ts';
export type { FollowStateName } from './follow-state.ts';
export type { Follower, FollowerState, FollowRequest } from './follower.ts';
export type { LiveStatus } from './live-status.ts';
export type { Sleep } from './within.ts';
