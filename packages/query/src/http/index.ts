export type { EngineName, Thread } from '../thread/link.ts';
export type { QueriedStream, SparqlLimits } from './limits.ts';
export { type CommitLog, logCommits } from './log-commits.ts';
export { type SparqlRoutesOptions, sparqlRoutes } from './routes.ts';
