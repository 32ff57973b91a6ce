export { type FollowCommitsOptions, followCommits } from './client/follow-commits.ts';
export type {
  FollowedChange,
  FollowedRequest,
  FollowedStatus,
  FollowedStream,
  FollowingClient,
} from './client/followed-stream.ts';
export { type ClientQueryOptions, type QueryingClient, withQueries } from './client/with-queries.ts';
export type { CommitSource, SourceEvent, StateEvent } from './commit-source.ts';
export { comunica } from './engines/comunica.ts';
export type { EngineQuery, EngineStore, EvaluationLimits, QueryEngine } from './engines/engine.ts';
export { oxigraph } from './engines/oxigraph.ts';
export type { Explanation } from './evaluator.ts';
export { jsonBinding, writeQuad } from './http/formats.ts';
export { type LiveQuery, liveQuery } from './live-query.ts';
export type { EvaluatorFactory, LiveQueryOptions } from './live-query-options.ts';
export type { LiveQueryStatus, SourceStatus } from './live-query-status.ts';
export type { BindingsResult, BooleanResult, LiveResult, QuadsResult, Row } from './live-result.ts';
export type { QueryLimits } from './query-limits.ts';
export type { ResultOperator, TimeWindowOptions, ViewOptions } from './view-options.ts';
