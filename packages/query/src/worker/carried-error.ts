import type { ErrorCode, ErrorDetails } from '@ldes-live/rdf-stream';
import { isStreamError, StreamError } from '@ldes-live/rdf-stream';

/** An error on its way from another thread. */
export type CarriedError =
  | { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
  | { readonly name: string; readonly message: string };

/** Makes an error ready for the way; what caused it stays. */
export function carryError(error: unknown): CarriedError {
  if (isStreamError(error)) {
    const { code, message, details } = error;
    // Details are values of messages; whatever else is among them must not keep the error from being told.
    return { code, message, details: JSON.parse(JSON.stringify(details)) as ErrorDetails };
  }
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

/** The error as it was thrown there. */
export function carriedError(carried: CarriedError): Error {
  if ('code' in carried) return new StreamError(carried.code, carried.message, carried.details);
  return Object.assign(new Error(carried.message), { name: carried.name });
}
