import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { askForBody, isBodyAwaited } from '../http/awaited-bodies.ts';
import { CORS_HEADERS, EXPOSED_OF_POSTS, NO_STORE } from '../http/caching.ts';
import { drainRequest } from '../http/drain-request.ts';
import { toAnswerable, writeProblem } from '../http/problem.ts';
import { ACCEPTED_ENCODINGS } from '../ingest/body-text.ts';
import type { PostEndpoint } from '../ingest/post-endpoint.ts';
import { ACCEPT_POST } from '../ingest/posted-format.ts';

/**
 * Answers a post.
 *
 * @param sleep - resolves after so many milliseconds, or rejects once the signal is aborted
 * @returns the error that was answered, if it was one
 * @see specs/ingest.md
 */
export async function answerPost(
  post: PostEndpoint,
  realm: string,
  sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
  extraFields: OutgoingHttpHeaders = {},
): Promise<StreamError | undefined> {
  const exposed = { 'access-control-expose-headers': EXPOSED_OF_POSTS };
  try {
    const { status, headers, body } = await post.take(request, () => askForBody(request, response));
    const bytes = Buffer.from(JSON.stringify(body));
    const fields = {
      ...{ 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length },
      ...{ 'cache-control': NO_STORE, ...headers, ...CORS_HEADERS, ...exposed, ...extraFields },
    };
    response.writeHead(status, fields).end(bytes);
    return undefined;
  } catch (thrown) {
    const error = toAnswerable(thrown, request.url ?? '');
    const fields: OutgoingHttpHeaders = { ...exposed, ...extraFields };
    const challenge = challengeOf(error.code, realm);
    if (challenge) fields['www-authenticate'] = challenge;
    if (error.code === 'ERR_POST_TYPE') fields['accept-post'] = ACCEPT_POST;
    if (error.code === 'ERR_POST_ENCODING') fields['accept-encoding'] = ACCEPTED_ENCODINGS;
    // After either nothing more is read from the connection.
    const isLast = isStreamError(error, 'ERR_POST_BROKEN_OFF') || isBodyAwaited(request);
    if (isLast) fields.connection = 'close';
    // Who still sends gets the answer first: many look for it only then.
    else drainRequest(request, response, sleep);
    writeProblem(response, error, fields);
    return error;
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
function challengeOf(code: string, realm: string): string | undefined {
  switch (code) {
    case 'ERR_TOKEN_MISSING':
      return `Bearer realm="${realm}"`;
    case 'ERR_TOKEN_UNKNOWN':
      return `Bearer realm="${realm}", error="invalid_token"`;
    case 'ERR_TOKEN_STREAM':
      return `Bearer realm="${realm}", error="insufficient_scope"`;
    default:
      return undefined;
  }
}
