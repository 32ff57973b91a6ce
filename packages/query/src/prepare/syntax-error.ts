import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

/** An `ERR_QUERY_SYNTAX` that names the line and the column of a place in a query's text, both from 1. */
export function syntaxError(text: string, offset: number, problem: string, cause?: unknown): StreamError {
  const before = text.slice(0, offset).split('\n');
  const line = before.length;
  const column = (before.at(-1) ?? '').length + 1;
  return errors.ERR_QUERY_SYNTAX({ problem: `line ${line}, column ${column}: ${problem}`, line, column }, cause);
}
