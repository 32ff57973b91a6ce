/** Who may read a private stream: what each of its requests is judged by. */
import type { IncomingHttpHeaders } from 'node:http';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { judgeToken, readTokenHashes } from './ingest/admission.ts';
import type { Readers } from './options.ts';

type Refused = StreamError | undefined;

/** Why a request with these fields may not read a stream: at once where tokens are compared; `undefined` where it may. */
export type Refusal = (headers: IncomingHttpHeaders) => Refused | Promise<Refused>;

/**
 * @param stream - its name
 * @throws {@link StreamError} `ERR_TOKEN_HASH`
 * @see specs/documents.md DOC-90
 */
export function refusalOf(stream: string, readers: Readers): Refusal {
  const told = (isAdmitted: boolean, { authorization }: IncomingHttpHeaders) =>
    isAdmitted ? undefined : errors.ERR_READ_REFUSED({ stream, isTokenSent: authorization !== undefined });
  if ('authorize' in readers) {
    return (headers) => {
      const admitted = readers.authorize({ stream, headers });
      // Plain JavaScript gives what it likes: only `true` admits.
      if (admitted instanceof Promise) return admitted.then((isAdmitted) => told(isAdmitted === true, headers));
      return told(admitted === true, headers);
    };
  }
  const tokens = new Map([[stream, readTokenHashes(stream, readers)]]);
  return (headers) => told(holdsToken(headers.authorization), headers);

  function holdsToken(authorization: string | undefined): boolean {
    try {
      judgeToken(authorization, stream, tokens);
      return true;
    } catch (error) {
      if (isStreamError(error)) return false;
      throw error;
    }
  }
}
