import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { EngineQuery } from '../query-engine.ts';
import { serviceOf } from './service-of.ts';

const PROBLEM_CHARS = 300;

/** What an engine threw, as an error of ours; errors of ours stay as they are. */
export function queryFailed(engine: string, thrown: unknown): StreamError {
  if (isStreamError(thrown)) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const problem = (text.split('\n', 1)[0] as string).trim().replace(/\.$/, '');
  return errors.ERR_QUERY_FAILED({ engine, problem: problem.slice(0, PROBLEM_CHARS) || 'it does not say why' }, thrown);
}

/**
 * Refuses a query that asks another endpoint: engines answer from their store alone.
 *
 * @throws {@link StreamError} `ERR_SERVICE_REFUSED`
 */
export function refuseService({ text }: EngineQuery): void {
  const service = serviceOf(text);
  if (service !== undefined) throw errors.ERR_SERVICE_REFUSED({ service });
}
