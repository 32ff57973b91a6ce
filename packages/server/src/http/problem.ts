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
  ERR_OVERLOADED: { status: 429, title: 'Overloaded' },
  ERR_HEADER_TOO_LARGE: { status: 431, title: 'Header too large' },
  ERR_ACCEPTS_WAITING: { status: 503, title: 'Too many waiting' },
  ERR_CONNECTIONS_ADDRESS: { status: 503, title: 'Too many connections of one address' },
  ERR_CONNECTIONS_FULL: { status: 503, title: 'Too many connections' },
  ERR_OWNER_LOST: { status: 503, title: 'Documents unavailable' },
  ERR_LOG_CLOSED: { status: 503, title: 'Shutting down' },
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
  const { status, title } = STATUS[error.code] ?? { status: 500, title: 'Internal error' };
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
