export type { Thread } from './answers/state-thread.ts';
export type { QueriedStream } from './queried-stream.ts';
export type { SparqlLimits } from './sparql-limits.ts';
export { type SparqlRoutesOptions, sparqlRoutes } from './sparql-routes.ts';
