import type { AddressInfo } from 'node:net';
import { readEvents as readPushed } from '@ldes-live/test-support/events';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import Fastify, { type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { startStateThread } from '../../src/http/answers.ts';
import type { QueriedStream, SparqlRoutesOptions } from '../../src/http/limits.ts';
import { sparqlRoutes } from '../../src/http/routes.ts';
import type { Thread } from '../../src/thread/link.ts';
import { evaluateInWorker } from '../../src/thread/thread-evaluator.ts';
import { TestStream } from './test-stream.ts';

/** A server of queries over a stream that the test moves. */
export interface QueryServer {
  readonly stream: TestStream;
  readonly app: FastifyInstance;
  /** Where queries go. */
  readonly url: string;
  ask(sparql: string, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Where queries go, as others see it. */
export const ENDPOINT = 'https://live.example.org/vehicles/sparql';

/** Serves queries until the test is over. */
export async function queryServer(options: Parameters<typeof openQueryServer>[0] = {}): Promise<QueryServer> {
  const server = await openQueryServer(options);
  onTestFinished(server.close);
  return server;
}

/** Serves queries until it is closed: threads that are there already answer a whole file of tests. */
export async function openQueryServer(
  options: Partial<SparqlRoutesOptions & QueriedStream> = {},
): Promise<QueryServer> {
  const { limits = {}, engine, commits, cursor, ...others } = options;
  const stream = new TestStream();
  const app = Fastify({ forceCloseConnections: true });
  const queried = {
    name: stream.name,
    endpoint: ENDPOINT,
    limits,
    ...(engine && { engine }),
    commits: commits ?? ((signal: AbortSignal) => stream.commits(signal)),
    cursor: cursor ?? (() => stream.cursor()),
    fields: (cursor: string) => ({ 'cache-control': 'public, max-age=7', 'ldes-cursor': cursor }),
  };
  await app.register(sparqlRoutes, {
    evaluators: ({ limitMemoryMib }) => evaluateInWorker({ limitMemoryMib, execArgv: FROM_SOURCES }),
    startThread: (given, engine) => startStateThread(given, engine, FROM_SOURCES),
    streams: () => [queried],
    ...others,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/${stream.name}/sparql`;
  const ask = (sparql: string, headers: Record<string, string> = {}) =>
    fetch(`${url}?query=${encodeURIComponent(sparql)}`, { headers });
  return { stream, app, url, ask, close: async () => app.close() };
}

/** What an answer says. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into what they expect.
export async function jsonOf(response: Response): Promise<any> {
  return response.json();
}

/** A thread that has every state at once, and answers all queries with nothing. */
export function answeringThread(isVolatile: boolean, onQuery: () => unknown, onEnd?: () => void): Thread {
  return {
    ended: new AbortController().signal,
    ask: async (...[name]) => {
      if (name !== 'write') return undefined as never;
      await onQuery();
      return { cursor: 'a-1', mediaType: 'text/csv', content: new Uint8Array(), isVolatile } as never;
    },
    end: async () => onEnd?.(),
  };
}

/** Opens a live query as a reader does, and reads what comes, from the time on when it may. */
export async function readEvents(
  url: string,
  sparql: string,
  options: { readonly headers?: Record<string, string>; readonly mal?: number; readonly mayRead?: Promise<void> } = {},
) {
  const query = new URLSearchParams({ query: sparql, ...(options.mal !== undefined && { mal: String(options.mal) }) });
  const headers = { accept: 'text/event-stream', ...options.headers };
  const { response, events, state, ended, count, close } = await readPushed(
    `${url}?${query}`,
    headers,
    options.mayRead,
  );
  onTestFinished(close);
  const read = () =>
    // biome-ignore lint/suspicious/noExplicitAny: what it says is what tests look into.
    events.map(({ event, id, data }) => ({ type: event, id, text: data, data: JSON.parse(data) as any }));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    get events() {
      return read();
    },
    /** Everything that came. */
    text: () => state.text,
    ended,
    /** Waits for so many events. */
    until: async (least: number) => {
      await count(least);
      return read();
    },
    close,
  };
}
