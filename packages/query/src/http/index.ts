export type { EngineName, Thread } from '../thread/link.ts';
export type { QueriedStream, SparqlLimits, SparqlRoutesOptions } from './limits.ts';
export { type CommitLog, logCommits } from './log-commits.ts';
export { sparqlRoutes } from './routes.ts';
