// What scripts/compile-comunica.mjs exports.
import type { Runner } from '@comunica/runner';

export { QueryEngineBase } from '@comunica/actor-init-query';
export { ActorQueryOperationPathNps } from '@comunica/actor-query-operation-path-nps';
export { KeysQuerySourceIdentify } from '@comunica/context-entries';
export { ActionContextKey, Actor } from '@comunica/core';
export { bool } from '@comunica/utils-expression-evaluator';
export { toAlgebra12Builder } from '@traqula/algebra-sparql-1-2';
export {
  ArrayIterator,
  AsyncIterator,
  getTaskScheduler,
  setTaskScheduler,
  TransformIterator,
  UnionIterator,
} from 'asynciterator';
export { RdfStore, RdfStoreIndexNestedMap } from 'rdf-stores';
/** Makes all actors of the configuration, on buses of their own. */
export function createRunner(): Runner;
/** How Comunica reads flags and patterns of regular expressions. */
export const TermFunctionRegex: Readonly<Record<'cleanFlags' | 'flagX' | 'flagQ', (text: string) => string>>;
