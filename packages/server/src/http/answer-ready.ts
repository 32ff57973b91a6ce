import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublishedStream } from '../published-stream.ts';
import { type DocumentContext, readyAnswer } from './send-document.ts';
import { writeAnswer } from './write-reply.ts';

/** Answers a request, or tells that it does not. */
export type ReadyAnswerer = (request: IncomingMessage, response: ServerResponse) => boolean;

const NO_QUERY = new URLSearchParams();

/**
 * Makes the short way for a server of its own: documents whose bytes are ready are answered before there is a
 * Fastify request, as nearly all requests are that a poller makes. Everything else goes the whole way, and gets the same
 * answer as it would here.
 */
export function answerReady(
  streams: readonly PublishedStream[],
  context: DocumentContext,
  limitUrlBytes: number,
): ReadyAnswerer {
  const published = new Map(
    streams.map((stream) => [
      stream.description.name,
      { stream, views: new Map(stream.views.map((view) => [view.path, view])) },
    ]),
  );
  return (request, response) => {
    const { url = '', method } = request;
    if ((method !== 'GET' && method !== 'HEAD') || url.length > limitUrlBytes || url.includes('?')) return false;
    const [, name = '', path = '', below] = PATH.exec(url) ?? [];
    const found = published.get(name);
    if (!found) return false;
    const named = path === '' ? undefined : found.views.get(path);
    const view = named ?? found.views.get('');
    const rest = named ? (below ?? '') : below === undefined ? path : `${path}/${below}`;
    try {
      const there = view?.find(rest, NO_QUERY);
      if (there instanceof Promise) {
        // The whole way asks again, and it is that one which answers for a failure.
        there.catch(() => undefined);
        return false;
      }
      if (there?.kind !== 'document') return false;
      const answer = readyAnswer(request, found.stream, there.document, context);
      if (!answer) return false;
      writeAnswer(response, answer);
      found.stream.requests.add(there.counted, answer.status);
      return true;
    } catch {
      // Whatever is wrong with it, the whole way says so.
      return false;
    }
  };
}

// A name, a segment and the rest. A slash at the end makes another URL, which is not one of these.
const PATH = /^\/([^/]+)(?:\/([^/]+)(?:\/(.*[^/]))?)?$/;
