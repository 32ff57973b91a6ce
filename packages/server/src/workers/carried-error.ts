import { isStreamError, StreamError } from '@ldes-live/rdf-stream';
import type { CarriedError } from './worker-messages.ts';

/** An error in a form that another process can be told. */
export function carriedError(error: unknown): CarriedError {
  if (isStreamError(error)) return { code: error.code, message: error.message, details: error.details };
  return { message: String(error), details: {} };
}

/** The error that another process has told of. */
export function toldError({ code, message, details }: CarriedError): StreamError {
  return new StreamError(code ?? 'ERR_OWNER_FAILED', message, details);
}
