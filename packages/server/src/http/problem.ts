/*
 * Answers to errors: RFC 9457 problem documents, never cached, readable by scripts of every origin.
 *
 *   errors.ERR_STREAM_UNKNOWN({ path: '/trams', known: [...] }) ->
 *   404, application/problem+json
 *   { "path": "/trams", "known": [...], "type": "https://.../errors.md#err_stream_unknown", "title": "Unknown stream",
 *     "status": 404, "detail": "Nothing is published at /trams. ...", "code": "ERR_STREAM_UNKNOWN" }
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { answers, errors } from '../errors.ts';
import { CORS_HEADERS } from './cors.ts';
import { NO_STORE, VARY } from './response-headers.ts';

/** Media type of a problem document. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Where `specs/errors.md` is published; each code is an anchor in it. */
const ERRORS_DOCUMENT = 'https://github.com/ldes-live/ldes-live/blob/main/specs/errors.md';

const INTERNAL = { status: 500, title: 'Internal error' };

/** An error answer as it goes out. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Whether an error has an answer of its own, other than that the server failed. */
export function isAnswerable(error: unknown): error is StreamError {
  return isStreamError(error) && answers.has(error.code);
}

/** The status that answers an error. */
export function statusOf(error: StreamError): number {
  return (answers.get(error.code) ?? INTERNAL).status;
}

/**
 * Anything thrown as an error that has an answer: a fault of the server where it is not one, with what was thrown as its
 * cause.
 */
export function toAnswerable(error: unknown, url: string): StreamError {
  return isAnswerable(error) ? error : errors.ERR_INTERNAL({ path: pathOf(url) }, error);
}

/** A request target without its query, which may hold what is not for logs and messages. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] as string;
}

/**
 * The answer to an error.
 *
 * @param statusOverride - instead of that of the error's code
 * @see specs/errors.md ERR-1, ERR-2
 */
export function problemAnswer(error: StreamError, statusOverride?: number): ProblemAnswer {
  const { status: ownStatus, title } = answers.get(error.code) ?? INTERNAL;
  const status = statusOverride ?? ownStatus;
  const { retryAfterSeconds } = error.details;
  const body = {
    // First, so that no value can take the place of what the standard names.
    ...error.details,
    type: `${ERRORS_DOCUMENT}#${error.code.toLowerCase()}`,
    title,
    status,
    detail: error.message,
    code: error.code,
  };
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
    body: Buffer.from(JSON.stringify(body)),
  };
}

/**
 * Answers an error on a response of which nothing has been written.
 *
 * @param extraFields - further header fields, which count before those of the answer
 * @see specs/errors.md ERR-1
 */
export function writeProblem(
  response: ServerResponse | Http2ServerResponse,
  error: StreamError,
  extraFields: OutgoingHttpHeaders = {},
): void {
  const { status, headers, body } = problemAnswer(error);
  const fields = { ...headers, 'content-length': body.length, ...extraFields };
  // One of two kinds, which take the same.
  (response as ServerResponse).writeHead(status, fields).end(body);
}
