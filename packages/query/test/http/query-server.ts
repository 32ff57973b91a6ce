import { type Commit, literal, type Member, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { readEvents as readPushed } from '@ldes-live/test-support/events';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import Fastify from 'fastify';
import { onTestFinished } from 'vitest';
import { startStateThread } from '../../src/http/answers.ts';
import type { QueriedStream, SparqlRoutesOptions } from '../../src/http/limits.ts';
import { type CommitLog, logCommits } from '../../src/http/log-commits.ts';
import { sparqlRoutes } from '../../src/http/routes.ts';
import type { CommitSource } from '../../src/source.ts';
import type { Thread } from '../../src/thread/link.ts';
import { evaluateInWorker } from '../../src/thread/thread-evaluator.ts';

const EPOCH = 'a';
const EX = 'http://example.org/';

/** A stream of vehicles that a test moves, as the log that it would be in. */
export class TestStream implements CommitLog {
  readonly name: string;
  readonly #living = new Map<string, Member>();
  readonly #readers = new Set<(commit: Commit) => void>();
  #sequence = 0;
  /** How often it was read from the beginning. */
  readings = 0;

  constructor(name = 'vehicles') {
    this.name = name;
  }

  /** How many read it now. */
  get readers(): number {
    return this.#readers.size;
  }

  get head() {
    return { cursor: { epoch: EPOCH, sequence: this.#sequence } };
  }

  cursor(): string {
    return `${EPOCH}-${this.#sequence}`;
  }

  completeToMs(): number {
    return Date.now();
  }

  async readLatest(): Promise<readonly Member[]> {
    return [...this.#living.values()];
  }

  subscribe(listener: (commit: Commit) => void): () => void {
    this.#readers.add(listener);
    return () => this.#readers.delete(listener);
  }

  commits(signal: AbortSignal): CommitSource {
    this.readings += 1;
    return logCommits(this, `http://localhost/${this.name}`, signal);
  }

  /** Moves vehicles, in one commit. */
  move(...vehicles: readonly (readonly [id: number | string, line: string, delay: number])[]): void {
    const time = new Date().toISOString();
    const members = vehicles.map(([id, line, delay]): Member => {
      this.#sequence += 1;
      const entity = `${EX}vehicles/${id}`;
      const version = namedNode(`${entity}#${this.#sequence}`);
      const add = (predicate: string, object: Parameters<typeof quad>[2]) =>
        quad(version, namedNode(predicate), object);
      const quads = [
        add(rdf.type, namedNode(`${EX}Vehicle`)),
        add(`${EX}of`, namedNode(entity)),
        add(`${EX}line`, literal(line)),
        add(`${EX}delay`, literal(String(delay), xsd.integer)),
      ];
      return { id: version.value, entity, kind: 'upsert', sequence: this.#sequence, time, quads };
    });
    for (const member of members) this.#living.set(member.entity, member);
    const commit = { cursor: this.head.cursor, time, members };
    for (const reader of this.#readers) reader(commit);
  }
}

export type QueryServer = Awaited<ReturnType<typeof openQueryServer>>;

/** Where each vehicle is late, and by how much. */
export const LATE = '{ ?v <http://example.org/of> ?of ; <http://example.org/delay> ?delay }';
export const DELAYS = `SELECT ?of ?delay ${LATE}`;

/** Where queries go, as others see it. */
export const ENDPOINT = 'https://live.example.org/vehicles/sparql';

/** Serves queries until the test is over. */
export async function queryServer(options: Parameters<typeof openQueryServer>[0] = {}): Promise<QueryServer> {
  const server = await openQueryServer(options);
  onTestFinished(server.close);
  return server;
}

/** Serves queries until it is closed: threads that are there already answer a whole file of tests. */
export async function openQueryServer(options: Partial<SparqlRoutesOptions & QueriedStream> = {}) {
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
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/${stream.name}/sparql`;
  const ask = (sparql: string, headers: Record<string, string> = {}) =>
    fetch(`${url}?query=${encodeURIComponent(sparql)}`, { headers });
  return { stream, app, url, ask, close: async () => app.close() };
}

/** What an answer says. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into what they expect.
export async function jsonOf(response: Response): Promise<any> {
  return response.json();
}

/** The delays of solutions, in their order. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into what they expect.
export const delaysOf = ({ results }: any): string[] =>
  results.bindings.map(({ delay }: { delay: { value: string } }) => delay.value);

/** A thread that has every state at once, and answers all queries with nothing. */
export function answeringThread(isVolatile: boolean, onQuery: () => unknown, onEnd?: () => void): Thread {
  const ending = new AbortController();
  return {
    ended: ending.signal,
    ask: async (...[name]) => {
      if (name !== 'write') return undefined as never;
      await onQuery();
      return { cursor: 'a-1', mediaType: 'text/csv', content: new Uint8Array(), isVolatile } as never;
    },
    end: async (reason) => {
      if (!ending.signal.aborted) onEnd?.();
      ending.abort(reason);
    },
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
  const reader = await readPushed(`${url}?${query}`, headers, options.mayRead);
  const { response, state, ended, close } = reader;
  onTestFinished(close);
  const events = () =>
    // biome-ignore lint/suspicious/noExplicitAny: what it says is what tests look into.
    reader.events.map(({ event, id, data }) => ({ type: event, id, text: data, data: JSON.parse(data) as any }));
  /** Waits for so many events. */
  const until = async (least: number) => {
    await reader.count(least);
    return events();
  };
  const { status, headers: answered } = response;
  return { status, headers: Object.fromEntries(answered), events, text: () => state.text, until, ended, close };
}
