import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from '../errors.ts';
import { isAnswerable, writeProblem } from '../http/problem.ts';
import type { Logger } from '../logging.ts';
import type { RequestCounts } from '../metrics.ts';
import type { PushEndpoint } from '../push/endpoint.ts';

/** Answers a request, or says by `false` that it does not. */
export type ReadyAnswerer = (request: IncomingMessage, response: ServerResponse) => boolean;

const EVENTS = /^\/([^/?]+)\/events(?:\?|$)/;

/**
 * Makes the short way to push streams for a server of its own: they are answered before there is a Fastify request, whose
 * objects would live as long as the stream. The whole way gives the same answers.
 *
 * @param requests - where answers are counted, by the names of the streams
 */
export function answerPush(
  push: PushEndpoint,
  requests: ReadonlyMap<string, RequestCounts>,
  limitUrlBytes: number,
  logger: Pick<Logger, 'error'>,
): ReadyAnswerer {
  return (request, response) => {
    const { url = '', method } = request;
    if ((method !== 'GET' && method !== 'HEAD') || url.length > limitUrlBytes) return false;
    const name = EVENTS.exec(url)?.[1] ?? '';
    const counts = requests.get(name);
    if (!counts) return false;
    const count = () => {
      // Who has gone while waiting was not answered. The header of a stream goes past the response, which does not know.
      const isAnswered = response.writableEnded || (response.socket !== null && !response.destroyed);
      if (isAnswered) counts.add('events', response.statusCode);
    };
    const refuse = (error: unknown) => {
      if (isAnswerable(error)) return writeProblem(response, error);
      const path = url.split('?', 1)[0] as string;
      logger.error({ method, path, err: error }, 'request failed');
      writeProblem(response, errors.ERR_INTERNAL({ path }));
    };
    try {
      const opening = push.serve(name, { request, response });
      if (opening) void opening.catch(refuse).finally(count);
      else count();
    } catch (error) {
      refuse(error);
      count();
    }
    return true;
  };
}
