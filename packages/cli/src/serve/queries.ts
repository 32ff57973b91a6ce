/*
 * The queries that streams take: routes for the server to mount, and the commits that they read from the logs.
 *
 *   GET /vehicles/sparql -> sparqlRoutes -> logCommits(log): { kind: 'state', cursor, members }, then each commit
 *   a stream without queries -> 404 ERR_QUERIES_OFF
 */
import type { ReadableLog } from '@ldes-live/log';
import type { CommitSource, SourceEvent } from '@ldes-live/query';
import type { QueriedStream, SparqlRoutesOptions } from '@ldes-live/query/http';
import { type Commit, formatCursor } from '@ldes-live/rdf-stream';
import type { LiveStreamsOptions } from '@ldes-live/server';
import type { FastifyReply } from 'fastify';
import { errors } from '../errors.ts';
import type { OpenStream, StreamQueries } from './streams.ts';

/**
 * The routes of the queries that streams take, for the server to mount beside theirs, and for those that take none the answer
 * how they would. They are answered by the process that has the logs.
 *
 * @param streams - those that are open now
 * @param clock - epoch milliseconds
 * @param others - how queries are answered, where it is not as they are by default
 * @see specs/query.md QUERY-70
 */
export function queryRoutes(
  streams: () => readonly QueriableStream[],
  clock: () => number,
  others: Omit<SparqlRoutesOptions, 'streams' | 'clock'> = {},
): NonNullable<LiveStreamsOptions['extend']> {
  return async (fastify, latestFields) => {
    const { sparqlRoutes } = await import('@ldes-live/query/http');
    const known = new WeakMap<StreamQueries, QueriedStream>();
    const queried = ({ live, queries }: QueriableStream): readonly QueriedStream[] => {
      if (!queries) return [];
      const { log } = live;
      const { name, url } = live.description;
      const stream = known.get(queries) ?? {
        name,
        endpoint: `${url}/sparql`,
        limits: queries.limits,
        ended: queries.ending.signal,
        commits: (signal: AbortSignal) => logCommits(log, url, signal),
        cursor: () => formatCursor(log.head.cursor),
        fields: (cursor: string) => latestFields(name, cursor),
      };
      known.set(queries, stream);
      return [stream];
    };
    fastify.addHook('onRequest', async (request, reply) => {
      const name = /^[^?]*\/([^/?]*)\/sparql(?:\?|$)/.exec(request.url)?.[1];
      const stream = streams().find(({ live }) => live.description.name === name);
      return stream && !stream.queries ? refuseQueries(reply, stream.live.description.name) : undefined;
    });
    await fastify.register(sparqlRoutes, { streams: () => streams().flatMap(queried), clock, ...others });
  };
}

type QueriableStream = Pick<OpenStream, 'live' | 'queries'>;

/** Where `specs/errors.md` is published; each code is an anchor in it. */
const ERRORS_DOCUMENT = 'https://github.com/ldes-live/ldes-live/blob/main/specs/errors.md';

/** Answers queries to a stream that takes none by 404, and says how it would take some. */
function refuseQueries(reply: FastifyReply, name: string): FastifyReply {
  const { code, details, message } = errors.ERR_QUERIES_OFF({ stream: name });
  const type = `${ERRORS_DOCUMENT}#${code.toLowerCase()}`;
  const problem = { ...details, type, title: 'Queries are off', status: 404, detail: message, code };
  return (
    reply
      .code(404)
      .headers({
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
        'content-type': 'application/problem+json',
      })
      // Bytes, since Fastify gives a text a charset, which this media type does not have.
      .send(Buffer.from(JSON.stringify(problem)))
  );
}

/** What a log is read by here. */
export type ReadLog = Pick<ReadableLog, 'head' | 'readLatest' | 'subscribe' | 'completeToMs'>;

/** Members of commits that may wait for a reader. */
const LIMIT_MEMBERS = 20_000;

/**
 * The latest state of a log, and every commit from then on. To a reader for whom more waits than there is room for the
 * state is given anew.
 *
 * @param url - IRI of the stream, by which queries mean it
 * @param signal - ends the reading
 * @param limitMembers - members of commits that may wait for the reader
 */
export function logCommits(log: ReadLog, url: string, signal: AbortSignal, limitMembers = LIMIT_MEMBERS): CommitSource {
  const reader = new LogReader(log, limitMembers);
  return {
    url,
    completeToMs: () => reader.completeToMs(),
    [Symbol.asyncIterator]: () => reader.events(signal),
  };
}

class LogReader {
  readonly #log: ReadLog;
  readonly #limitMembers: number;
  #waiting: Commit[] = [];
  #waitingMembers = 0;
  /** Whether the next to be handed out is the state. */
  #isStateDue = true;
  #wake: () => void = () => undefined;

  constructor(log: ReadLog, limitMembers: number) {
    this.#log = log;
    this.#limitMembers = limitMembers;
  }

  /** What waits was published; nothing is known of it where the state is still to be read. */
  completeToMs(): number | undefined {
    if (this.#isStateDue) return undefined;
    const [next] = this.#waiting;
    const toldMs = this.#log.completeToMs();
    return next ? Math.min(toldMs, Date.parse(next.time) - 1) : toldMs;
  }

  async *events(signal: AbortSignal): AsyncGenerator<SourceEvent, void, undefined> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    const unsubscribe = this.#log.subscribe((commit) => this.#add(commit));
    try {
      while (!signal.aborted) {
        if (this.#isStateDue) yield await this.#state();
        const next = this.#waiting.shift();
        if (next) {
          this.#waitingMembers -= next.members.length;
          yield next;
        } else if (!this.#isStateDue && !signal.aborted) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', wake);
    }
  }

  async #state(): Promise<SourceEvent> {
    this.#drop();
    // In one tick: what is committed while the members are read waits behind them.
    const { cursor } = this.#log.head;
    const reading = this.#log.readLatest();
    this.#isStateDue = false;
    return { kind: 'state', cursor: formatCursor(cursor), members: await reading };
  }

  #add(commit: Commit): void {
    if (this.#isStateDue) return;
    this.#waiting.push(commit);
    this.#waitingMembers += commit.members.length;
    // One alone is no reason to read everything again.
    if (this.#waitingMembers > this.#limitMembers && this.#waiting.length > 1) {
      this.#isStateDue = true;
      this.#drop();
    }
    this.#wake();
  }

  #drop(): void {
    this.#waiting = [];
    this.#waitingMembers = 0;
  }
}
