import { type ErrorCode, isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

/** An error answer. @see https://www.rfc-editor.org/rfc/rfc9457 */
export interface Problem {
  readonly status: number;
  /** The problem document. */
  readonly text: string;
  /** When to ask again; absent where that would not help. */
  readonly retryAfterSeconds?: number;
}

/** Media type of a problem document. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

const STATUS: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> = {
  ERR_SPARQL_REQUEST: { status: 400, title: 'Malformed SPARQL request' },
  ERR_QUERY_SYNTAX: { status: 400, title: 'Malformed query' },
  ERR_QUERY_UPDATE: { status: 400, title: 'Update instead of a query' },
  ERR_QUERY_OPTION: { status: 400, title: 'Malformed option' },
  ERR_SERVICE_REFUSED: { status: 403, title: 'Federation refused' },
  ERR_SPARQL_METHOD: { status: 405, title: 'Method not allowed' },
  ERR_SPARQL_FORMAT: { status: 406, title: 'No acceptable format' },
  ERR_QUERY_TOO_LONG: { status: 413, title: 'Query too long' },
  ERR_SPARQL_CONTENT: { status: 413, title: 'Content too large' },
  ERR_SPARQL_TYPE: { status: 415, title: 'Unsupported media type' },
  ERR_QUERY_UNSUPPORTED: { status: 422, title: 'Unsupported query' },
  ERR_ANSWER_TOO_LARGE: { status: 422, title: 'Answer too large' },
  ERR_VIEW_TOO_LARGE: { status: 422, title: 'View too large' },
  ERR_QUERY_MEMORY: { status: 422, title: 'Out of memory' },
  ERR_QUERY_FAILED: { status: 500, title: 'Query failed' },
  ERR_QUERY_FAULT: { status: 500, title: 'Internal error' },
  ERR_LIVE_QUERIES_FULL: { status: 503, title: 'Too many live queries' },
  ERR_SUBSCRIBERS_FULL: { status: 503, title: 'Too many readers' },
  ERR_QUERIES_WAITING: { status: 503, title: 'Too many queries' },
  ERR_SUBSCRIBER_SLOW: { status: 503, title: 'Fallen behind' },
  ERR_QUERY_STOPPING: { status: 503, title: 'Stopping' },
  ERR_EVALUATION_TIMEOUT: { status: 504, title: 'Query took too long' },
  ERR_STATE_LATE: { status: 504, title: 'State not ready' },
};

/** Where `specs/errors.md` is published; each code is an anchor in it. */
const ERRORS_DOCUMENT = 'https://github.com/ldes-live/ldes-live/blob/main/specs/errors.md';

/** Whether an error is one that a query, or too many of them, can have; others are for whoever is around. */
export function isQueryError(error: unknown): error is StreamError {
  return isStreamError(error) && error.code in STATUS;
}

/**
 * The problem document for an error. One that is no matter of queries is a fault of the server, which shows nothing of its
 * inside.
 *
 * @see specs/errors.md ERR-2
 */
export function problemOf(thrown: unknown): Problem {
  const error = isQueryError(thrown) ? thrown : errors.ERR_QUERY_FAULT(undefined, thrown);
  const { status, title } = STATUS[error.code] as (typeof STATUS)[ErrorCode];
  const { retryAfterSeconds } = error.details;
  const body = {
    ...error.details,
    type: `${ERRORS_DOCUMENT}#${error.code.toLowerCase()}`,
    title,
    status,
    detail: error.message,
    code: error.code,
  };
  return {
    status,
    text: JSON.stringify(body),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  };
}
