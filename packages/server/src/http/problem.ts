import { type ErrorCode, isStreamError, type StreamError } from '@ldes-live/rdf-stream';

/** An error answer: status and problem document. @see https://www.rfc-editor.org/rfc/rfc9457 */
export interface Problem {
  readonly status: number;
  readonly body: {
    readonly type: string;
    readonly title: string;
    readonly status: number;
    readonly detail: string;
    readonly code: ErrorCode;
    readonly [value: string]: unknown;
  };
}

const INTERNAL = { status: 500, title: 'Internal error' };

const STATUS: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> = {
  ERR_CURSOR_MALFORMED: { status: 400, title: 'Malformed cursor' },
  ERR_CURSOR_MISSING: { status: 400, title: 'Missing cursor' },
  ERR_NARROWING_LIMIT: { status: 400, title: 'Too many values to narrow by' },
  ERR_NARROWING_MALFORMED: { status: 400, title: 'Malformed value to narrow by' },
  ERR_QUERY_UNKNOWN: { status: 400, title: 'Unknown query parameter' },
  ERR_REQUEST: { status: 400, title: 'Malformed request' },
  ERR_STREAM_UNKNOWN: { status: 404, title: 'Unknown stream' },
  ERR_DOCUMENT_UNKNOWN: { status: 404, title: 'Unknown document' },
  ERR_METHOD: { status: 405, title: 'Method not allowed' },
  ERR_FORMAT_UNACCEPTABLE: { status: 406, title: 'No acceptable format' },
  ERR_ENCODING_UNACCEPTABLE: { status: 406, title: 'No acceptable encoding' },
  ERR_PAGE_GONE: { status: 410, title: 'Page removed' },
  ERR_CURSOR_GONE: { status: 410, title: 'Cursor no longer held' },
  ERR_URL_TOO_LONG: { status: 414, title: 'URL too long' },
  ERR_POST_KEY: { status: 400, title: 'Malformed idempotency key' },
  ERR_POST_TOO_DEEP: { status: 400, title: 'Nested too deep' },
  ERR_POST_CHARSET: { status: 400, title: 'Not UTF-8' },
  ERR_POST_MALFORMED: { status: 400, title: 'Malformed body' },
  ERR_POST_RELATIVE_IRI: { status: 400, title: 'Relative IRI' },
  ERR_POST_TERM: { status: 400, title: 'Unsupported term' },
  ERR_POST_CONTEXT: { status: 400, title: 'Unknown context' },
  ERR_POST_EMPTY: { status: 400, title: 'No members' },
  ERR_POST_BROKEN_OFF: { status: 400, title: 'Body broken off' },
  ERR_TOKEN_MISSING: { status: 401, title: 'Token missing' },
  ERR_TOKEN_UNKNOWN: { status: 401, title: 'Unknown token' },
  ERR_TOKEN_STREAM: { status: 403, title: 'Token of another stream' },
  ERR_POST_LATE: { status: 408, title: 'Body too late' },
  ERR_POST_KEY_BUSY: { status: 409, title: 'Idempotency key in use' },
  ERR_POST_TOO_LARGE: { status: 413, title: 'Body too large' },
  ERR_POST_MEMBER_TOO_LARGE: { status: 413, title: 'Member too large' },
  ERR_POST_CONTEXT_TOO_LARGE: { status: 413, title: 'Context too large' },
  ERR_POST_TYPE: { status: 415, title: 'Unsupported media type' },
  ERR_POST_ENCODING: { status: 415, title: 'Unsupported encoding' },
  ERR_POST_KEY_REUSED: { status: 422, title: 'Idempotency key reused' },
  ERR_POST_BLANK_NODE: { status: 422, title: 'Blank node of no member' },
  ERR_POST_SPLIT: { status: 422, title: 'Member in several places' },
  ERR_POST_SUBJECT: { status: 422, title: 'Statement of another subject' },
  ERR_POST_NO_IRI: { status: 422, title: 'Member without IRI' },
  ERR_POST_VERSION: { status: 422, title: 'Malformed version' },
  ERR_POST_OWN_IRI: { status: 422, title: 'IRI of the server' },
  ERR_POST_TIME: { status: 422, title: 'Malformed time' },
  ERR_POST_NOTHING_SAID: { status: 422, title: 'Nothing said' },
  ERR_POST_UNCHECKABLE: { status: 422, title: 'Member that cannot be validated' },
  ERR_POST_INVALID: { status: 422, title: 'Invalid member' },
  ERR_POSTS_WAITING: { status: 429, title: 'Too many posts' },
  ERR_INTERNAL: INTERNAL,
  ERR_POST_NOT_STORED: { status: 503, title: 'Not stored' },
  ERR_OVERLOADED: { status: 429, title: 'Overloaded' },
  ERR_HEADER_TOO_LARGE: { status: 431, title: 'Header too large' },
  ERR_ACCEPTS_WAITING: { status: 503, title: 'Too many waiting' },
  ERR_CONNECTIONS_ADDRESS: { status: 503, title: 'Too many connections of one address' },
  ERR_CONNECTIONS_FULL: { status: 503, title: 'Too many connections' },
  ERR_OWNER_LOST: { status: 503, title: 'Documents unavailable' },
  ERR_LOG_CLOSED: { status: 503, title: 'Shutting down' },
  ERR_POST_STOPPING: { status: 503, title: 'Stopping' },
  ERR_STOPPING: { status: 503, title: 'Stopping' },
};

/** Where `specs/errors.md` is published; each code is an anchor in it. */
const ERRORS_DOCUMENT = 'https://github.com/ldes-live/ldes-live/blob/main/specs/errors.md';

/**
 * The problem document for an error. An error without a status of its own is a fault of the server.
 *
 * @see specs/errors.md ERR-2
 */
export function problemOf(error: StreamError): Problem {
  const { status, title } = STATUS[error.code] ?? INTERNAL;
  return {
    status,
    body: {
      // First, so that no value can take the place of what the standard names.
      ...error.details,
      type: `${ERRORS_DOCUMENT}#${error.code.toLowerCase()}`,
      title,
      status,
      detail: error.message,
      code: error.code,
    },
  };
}

/** Whether an error has an answer of its own, other than that the server failed. */
export function isAnswerable(error: unknown): error is StreamError {
  return isStreamError(error) && error.code in STATUS;
}

/** Media type of a problem document. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
