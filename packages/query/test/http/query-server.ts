import type { AddressInfo } from 'node:net';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import Fastify, { type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { startStateThread } from '../../src/http/answers.ts';
import type { SparqlLimits } from '../../src/http/limits.ts';
import { type SparqlRoutesOptions, sparqlRoutes } from '../../src/http/routes.ts';
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
  options: Partial<SparqlRoutesOptions> & { readonly limits?: Partial<SparqlLimits> } = {},
): Promise<QueryServer> {
  const { limits = {}, ...others } = options;
  const stream = new TestStream();
  const app = Fastify({ forceCloseConnections: true });
  const queried = {
    name: stream.name,
    endpoint: ENDPOINT,
    limits,
    commits: (signal: AbortSignal) => stream.commits(signal),
    cursor: () => stream.cursor(),
    fields: (cursor: string) => ({ 'cache-control': 'public, max-age=7', 'ldes-cursor': cursor }),
  };
  await app.register(sparqlRoutes, {
    evaluators: ({ limitMemoryMib }) => evaluateInWorker({ limitMemoryMib, execArgv: FROM_SOURCES }),
    startThread: (given) => startStateThread(given, { execArgv: FROM_SOURCES }),
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
