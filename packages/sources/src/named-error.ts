import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';

/** An error as it is, or, where it has no code, as the cause of one that has. */
export function named(thrown: unknown): StreamError {
  if (isStreamError(thrown)) return thrown;
  const reason = thrown instanceof Error ? thrown.name : typeof thrown;
  return errors.ERR_FEED_UNEXPECTED({ reason }, thrown);
}

/** How long the server asked to wait when it refused a request, milliseconds; `undefined` when it did not. */
export function requestedWaitMs({ details: { retryAfterMs } }: StreamError): number | undefined {
  return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
}
