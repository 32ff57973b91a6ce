export { comunica } from './engines/comunica.ts';
export type { EngineQuery, EngineStore, EvaluationLimits, QueryEngine } from './engines/engine.ts';
export { oxigraph } from './engines/oxigraph.ts';
export type { Explanation } from './evaluate/evaluator.ts';
export {
  type ClientQueryOptions,
  type FollowCommitsOptions,
  type FollowedChange,
  type FollowedStream,
  type FollowingClient,
  followCommits,
  type QueryingClient,
  withQueries,
} from './follow-commits.ts';
export { jsonBinding, writeQuad } from './http/formats.ts';
export { type LiveQuery, type LiveQueryStatus, liveQuery, type SourceStatus } from './live-query.ts';
export type {
  EvaluatorFactory,
  LiveQueryOptions,
  QueryLimits,
  ResultOperator,
  TimeWindowOptions,
  ViewOptions,
} from './options.ts';
export type { BindingsResult, BooleanResult, LiveResult, QuadsResult, Row } from './result.ts';
export type { CommitSource, DataStatus, SourceEvent, StateEvent } from './source.ts';
