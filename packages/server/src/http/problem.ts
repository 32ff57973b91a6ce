/*
 * Answers to errors: RFC 9457 problem documents, never cached, readable by scripts of every origin.
 *
 *   errors.ERR_STREAM_UNKNOWN({ path: '/trams', known: [...] }) ->
 *   404, application/problem+json
 *   { "path": "/trams", "known": [...], "type": "https://.../errors.md#err_stream_unknown", "title": "Unknown stream",
 *     "status": 404, "detail": "Nothing is published at /trams. ...", "code": "ERR_STREAM_UNKNOWN" }
 */
import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { isStreamError, PROBLEM_MEDIA_TYPE, problemDocument, type StreamError } from '@ldes-live/rdf-stream';
import { answers, errors } from '../errors.ts';
import type { RepeatedLines } from '../logging.ts';
import { CORS_HEADERS, EXPOSED_OF_POSTS, mergedFields, NO_STORE, VARY, VARY_PRIVATE } from './caching.ts';

/** Whatever an app around says of its answers. */
const NOT_KEPT = { 'cache-control': NO_STORE };

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
 * Anything thrown at a request as the error that answers it: a refusal of Fastify's is a request that could not be
 * understood, and anything else a fault of the server, with what was thrown as its cause, which is logged.
 */
export function answerableError(
  thrown: unknown,
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  lines: Pick<RepeatedLines, 'error'>,
): StreamError {
  if (refusedStatus(thrown) !== undefined) return errors.ERR_REQUEST({ reason: (thrown as Error).message }, thrown);
  const path = pathOf(url);
  const error = isAnswerable(thrown) ? thrown : errors.ERR_INTERNAL({ path }, thrown);
  const { code, cause = error } = error;
  if (code === 'ERR_INTERNAL') lines.error({ code, method, path, err: cause }, 'request failed');
  return error;
}

/** The status of a refusal of Fastify's own. */
export function refusedStatus(thrown: unknown): number | undefined {
  if (isAnswerable(thrown) || !(thrown instanceof Error)) return undefined;
  const { statusCode = 500 } = thrown as { readonly statusCode?: number };
  return statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
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
  return {
    status,
    headers: {
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      ...NOT_KEPT,
      vary: VARY,
      ...CORS_HEADERS,
      'content-type': PROBLEM_MEDIA_TYPE,
      ...(error.code === 'ERR_READ_REFUSED' && challengeFields(error)),
    },
    // Bytes, since Fastify gives a text a charset, which this media type does not have.
    body: Buffer.from(problemDocument(error, status, title)),
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
function challengeFields({ details: { stream, isTokenSent } }: StreamError) {
  const problem = isTokenSent ? ', error="invalid_token"' : '';
  return {
    'www-authenticate': `Bearer realm="${stream}"${problem}`,
    'access-control-expose-headers': EXPOSED_OF_POSTS,
    vary: VARY_PRIVATE,
  };
}

/**
 * Answers an error; a response that has begun cannot become another answer, and is cut. It throws nothing.
 *
 * @param extraFields - further header fields, which count before those of the answer
 * @see specs/errors.md ERR-1
 */
export function writeProblem(
  response: ServerResponse | Http2ServerResponse,
  error: StreamError,
  extraFields: OutgoingHttpHeaders = {},
  statusOverride?: number,
): void {
  // One of two kinds, which take the same.
  const either = response as ServerResponse;
  if (either.headersSent) return void either.destroy();
  const { status, headers, body } = problemAnswer(error, statusOverride);
  const own = { ...headers, 'content-length': body.length };
  try {
    either.writeHead(status, { ...mergedFields(own, extraFields), ...NOT_KEPT });
  } catch {
    // Of fields of an app around that cannot be sent, as with characters beyond Latin-1: perhaps what this is about.
    for (const name of either.getHeaderNames()) either.removeHeader(name);
    either.writeHead(status, own);
  }
  either.end(body);
}

/** What answering broken requests takes. */
export interface ClientErrorOptions {
  /** As the server has it, for the message. */
  readonly limitHeaderBytes: number;
  /** Ends the post that is being read on a connection, whose answer says how much of it is stored; else `false`. */
  readonly breakOffPost: (socket: Socket) => boolean;
  /** Whether a push stream has the connection. */
  readonly isTaken: (socket: Socket) => boolean;
}

/**
 * Makes a handler for the `clientError` event of an HTTP server: what is not a request, or too much of one, gets a
 * problem too, and the connection ends.
 *
 * @see specs/documents.md DOC-45
 */
export function answerClientErrors(options: ClientErrorOptions): (error: Error, socket: Socket) => void {
  const { limitHeaderBytes, breakOffPost, isTaken } = options;
  return (error, socket) => {
    const { code } = error as NodeJS.ErrnoException;
    // Its answer says how much of it is stored.
    if (code !== 'ECONNRESET' && socket.writable && breakOffPost(socket)) return;
    // A client that has gone, or is in the middle of another answer, cannot be answered.
    if (code === 'ECONNRESET' || !socket.writable || hasBegun(socket) || isTaken(socket)) socket.destroy();
    else if (code === 'HPE_HEADER_OVERFLOW') socket.end(textOf(errors.ERR_HEADER_TOO_LARGE({ limitHeaderBytes })));
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end(textOf(errors.ERR_REQUEST({ reason: 'it did not arrive in time' }), 408));
    } else socket.end(textOf(errors.ERR_REQUEST({ reason: 'it is not of HTTP/1.1' })));
  };
}

/** Whether a response has begun on a connection, which Node keeps there under this name. */
function hasBegun(socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

function textOf(error: StreamError, statusOverride?: number): string {
  const { status, headers, body } = problemAnswer(error, statusOverride);
  const fields = { ...headers, 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
