import type { StreamError } from '@ldes-live/rdf-stream';
import { CORS_HEADERS } from './cors.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';
import { NO_STORE, VARY } from './response-headers.ts';

/** An error answer as it goes out. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * The answer for an error.
 *
 * @param statusOverride - instead of that of the error's code
 * @see specs/errors.md ERR-1
 */
export function problemAnswer(error: StreamError, statusOverride?: number): ProblemAnswer {
  const problem = problemOf(error);
  const status = statusOverride ?? problem.status;
  const { retryAfterSeconds } = error.details;
  return {
    status,
    headers: {
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      'cache-control': NO_STORE,
      vary: VARY,
      ...CORS_HEADERS,
      'content-type': PROBLEM_MEDIA_TYPE,
    },
    // Bytes, since Fastify gives a text a charset, which this media type does not have.
    body: Buffer.from(JSON.stringify({ ...problem.body, status })),
  };
}
