import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { errors } from '../errors.ts';
import { EMPTY_RESULT, withResult } from '../ingest/append.ts';
import { askForBody, drainRequest, isBodyAwaited, onBreakOff } from '../ingest/body.ts';

/** What {@link PostPasser} needs. */
export interface PostPasserParts {
  /** Where the process that has the logs listens, without a path. */
  readonly ownerUrl: string;
  /** Connections to it at a time: posts above that wait for one. */
  readonly limitConnections: number;
  /** For how long one is kept for the next post, milliseconds. */
  readonly keepAliveMs: number;
  /** Resolves after so many milliseconds, or rejects once the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>;
}

/** What the owner answered. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** Whether nothing more can come on the connection of who posts. */
  readonly isLast: boolean;
}

/**
 * Passes posts on to the process that has the logs, so that it learns of each what it would learn if it was
 * sent there: that it waits to be asked for its content, and that it broke off. What the owner says before the content has ended
 * is the answer.
 *
 * @see specs/ingest.md ING-52
 */
export class PostPasser {
  readonly #parts: PostPasserParts;
  readonly #agent: Agent;

  constructor(parts: PostPasserParts) {
    this.#parts = parts;
    this.#agent = new Agent({ keepAlive: true, maxSockets: parts.limitConnections, timeout: parts.keepAliveMs });
  }

  /**
   * Passes one on.
   *
   * @param path - with the query
   * @param headers - as the owner is to get them
   * @param isEndless - whether the answer may have no end: then it takes no connection that others wait for
   * @throws {@link StreamError} `ERR_POST_BROKEN_OFF` - it broke off before there was a connection to the owner
   * @throws what went wrong where the owner does not answer
   */
  pass(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    headers: IncomingHttpHeaders,
    isEndless = false,
  ): Promise<PassedAnswer> {
    const isAwaited = isBodyAwaited(request);
    const { hostname, port } = new URL(this.#parts.ownerUrl);
    const fields = isAwaited ? { ...headers, expect: '100-continue' } : headers;
    // The path as it was written, dots and all.
    const passed = httpRequest({
      hostname,
      port,
      path,
      method: 'POST',
      headers: fields,
      agent: !isEndless && this.#agent,
    });
    passed.flushHeaders();
    const send = () => {
      askForBody(request, response);
      request.pipe(passed);
    };
    if (isAwaited) passed.once('continue', send);
    else send();
    let isBroken = false;
    const endTelling = onBreakOff(request.socket, () => {
      isBroken = true;
      request.unpipe(passed);
      // An end within the content is passed on as one: the owner can answer it as long as the connection is not cut.
      if (passed.socket) passed.socket.end();
      else passed.destroy(withResult(errors.ERR_POST_BROKEN_OFF({ bytes: 0 }), EMPTY_RESULT));
    });
    request.once('error', () => passed.destroy());
    response.once('close', () => {
      if (!request.complete) passed.destroy();
    });
    return new Promise<PassedAnswer>((resolve, reject) => {
      passed.on('error', reject);
      passed.once('response', (body) => {
        const { statusCode: status = 502, headers: told } = body;
        // The rest of the content is not sent: the connection is of no more use.
        body.once('end', () => {
          if (!passed.writableFinished) passed.destroy();
        });
        resolve({ status, headers: told, body, isLast: isBroken || isBodyAwaited(request) });
      });
    }).finally(() => {
      endTelling();
      request.unpipe(passed);
      if (!isBroken && !isBodyAwaited(request)) drainRequest(request, response, this.#parts.sleep);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
