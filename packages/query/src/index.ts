export { comunica } from './engines/comunica.ts';
export type { EngineQuery, EngineStore, EvaluationLimits, QueryEngine } from './engines/engine.ts';
export { oxigraph } from './engines/oxigraph.ts';
export type { Explanation } from './evaluate/evaluator.ts';
export type {
  FollowedChange,
  FollowedRequest,
  FollowedStatus,
  FollowedStream,
  FollowingClient,
} from './follow-commits.ts';
export {
  type ClientQueryOptions,
  type FollowCommitsOptions,
  followCommits,
  type QueryingClient,
  withQueries,
} from './follow-commits.ts';
export { jsonBinding, writeQuad } from './http/formats.ts';
export type { LiveQueryStatus, SourceStatus } from './live-query.ts';
export { type LiveQuery, liveQuery } from './live-query.ts';
export type {
  EvaluatorFactory,
  LiveQueryOptions,
  QueryLimits,
  ResultOperator,
  TimeWindowOptions,
  ViewOptions,
} from './options.ts';
export type { BindingsResult, BooleanResult, LiveResult, QuadsResult, Row } from './result.ts';
export type { CommitSource, SourceEvent, StateEvent } from './source.ts';
