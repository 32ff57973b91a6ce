import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { isAnswerable } from '../http/problem.ts';

/** How soon a body may be sent again that the store did not take, seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * What an error of rdf-stream or of the log is to who posts. What has no answer of its own is a fault of the server.
 *
 * @param path - of the post
 * @see specs/ingest.md ING-26
 */
export function postError(error: unknown, path: string): StreamError {
  if (!isStreamError(error)) return errors.ERR_INTERNAL({ path }, error);
  const { details, message } = error;
  switch (error.code) {
    case 'ERR_RDF_MALFORMED':
      return errors.ERR_POST_MALFORMED(details as Parameters<typeof errors.ERR_POST_MALFORMED>[0], error);
    case 'ERR_TERM_UNSUPPORTED':
      return termError(details.term as string, error);
    case 'ERR_STORE_WRITE':
    case 'ERR_LOG_BUSY':
      return errors.ERR_POST_NOT_STORED({ reason: message, retryAfterSeconds: RETRY_AFTER_SECONDS }, error);
    default:
      return isAnswerable(error) ? error : errors.ERR_INTERNAL({ path }, error);
  }
}

function termError(term: string, cause: StreamError): StreamError {
  const [, pointed, quoted] = /^(?:<(.*)>|"(.*)")$/s.exec(term) ?? [];
  const iri = pointed ?? quoted;
  const isRelative = iri !== undefined && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(iri);
  return isRelative ? errors.ERR_POST_RELATIVE_IRI({ iri: `<${iri}>` }, cause) : errors.ERR_POST_TERM({ term }, cause);
}
