import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { breakOffPost } from '../ingest/body.ts';
import { isTaken } from '../push/subscriber.ts';
import { problemAnswer } from './problem.ts';

/**
 * Makes a handler for the `clientError` event of an HTTP server: what is no request, or too much of one, gets a
 * problem too, and the connection ends.
 *
 * @param limitHeaderBytes - as the server has it, for the message
 * @see specs/documents.md DOC-46
 */
export function answerClientErrors(limitHeaderBytes: number): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const { code } = error as NodeJS.ErrnoException;
    // Its answer says how much of it is stored.
    if (code !== 'ECONNRESET' && socket.writable && breakOffPost(socket)) return;
    // Who has gone, or is in the middle of another answer, cannot be told.
    if (code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    if (code === 'HPE_HEADER_OVERFLOW') socket.end(answerOf(errors.ERR_HEADER_TOO_LARGE({ limitHeaderBytes })));
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end(answerOf(errors.ERR_REQUEST({ reason: 'it did not arrive in time' }), 408));
    } else socket.end(answerOf(errors.ERR_REQUEST({ reason: 'it is not of HTTP/1.1' })));
  };
}

/** Whether a response has begun on a connection, which Node keeps there under this name. */
function isAnswering(socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true || isTaken(socket);
}

function answerOf(error: StreamError, statusOverride?: number): string {
  const { status, headers, body } = problemAnswer(error, statusOverride);
  const fields = { ...headers, 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
