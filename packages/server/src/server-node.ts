/*
 * This server as one of several nodes over the same logs: what it may do by its role, and what the writer says of itself.
 *
 *   cluster.role  writer     sources, retention and posts run here
 *                 follower   they rest; posts go to the writer, and what that tells of a stream counts
 *                 cut-off    the same without a writer: what is served may lack commits, and says so
 *   cluster.told  { "streams": { "vehicles": { "schedule": { "kind": "interval", ... }, "sources": [{ "origin": ... }] } } }
 *                 -> told('vehicles'); another release may have sent anything, so what is not understood is ignored
 *   cluster.owner a worker of that process: what it does not answer itself goes there
 *   each change   -> logged, then heard by whoever listens
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Schedule } from '@ldes-live/latency';
import type { Cluster, ClusterRole, ReadableLog } from '@ldes-live/log';
import type { SourceHealth, StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { type Logger, RepeatedLines } from './logging.ts';
import { checkedHealth, checkedSchedule } from './published-source.ts';
import { CATCH_UP_MS } from './push/endpoint.ts';
import { RequestProxy } from './request-proxy.ts';

/** What the writer says of a stream. */
export interface ReportedStream {
  /** Absent where it follows from the log, or from the configuration. */
  readonly schedule?: Schedule | undefined;
  readonly sources: readonly SourceHealth[];
  /** Of the owner of a worker: from when on commits may be missing, epoch milliseconds. */
  readonly completeToMs?: number;
}

/** What a node needs of the world around it. */
interface NodeEnvironment {
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Waits so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>;
}

/** Says on a request that a node has passed it on: the name of that node. */
const FORWARDED = 'ldes-forwarded';

/** How long a node that is not the writer any more may take to answer a post, milliseconds. */
const LAST_ANSWER_MS = 5000;

/** How soon a cluster has a writer again, seconds. */
const RETRY_SECONDS = 5;

/** How soon a node has what it lacks, seconds. */
const RETRY_BEHIND_SECONDS = 1;

const NOTHING_TOLD: ReadonlyMap<string, ReportedStream> = new Map();

/** One node. */
export class ServerNode {
  readonly cluster: Cluster;
  readonly #environment: NodeEnvironment;
  readonly #proxy: RequestProxy;
  readonly #lines: RepeatedLines;
  readonly #listeners = new Set<() => void>();
  readonly #unwatch: () => void;
  #role: ClusterRole | undefined;
  /** Ends what waits for the writer of that role. */
  #passing = new AbortController();
  readonly #closing = new AbortController();
  #problems: readonly string[] = [];
  #told: unknown;
  #toldStreams = NOTHING_TOLD;

  constructor(cluster: Cluster, environment: NodeEnvironment) {
    this.cluster = cluster;
    this.#environment = environment;
    this.#proxy = new RequestProxy({
      sleep: environment.sleep as (durationMs: number, signal: AbortSignal) => Promise<undefined>,
      ...(!cluster.owner && { fields: { [FORWARDED]: cluster.node } }),
      lost: (cause) => errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }, cause),
    });
    this.#lines = new RepeatedLines(environment.logger, environment.clock);
    this.#unwatch = cluster.onChange(() => this.#change());
    this.#change();
  }

  get isWriter(): boolean {
    return this.cluster.role.role === 'writer';
  }

  /** Since when commits may be missing here, epoch milliseconds; `undefined` where that is not so. */
  get cutOffSinceMs(): number | undefined {
    const { role } = this.cluster;
    return role.role === 'cut-off' ? role.sinceMs : undefined;
  }

  /** What the writer says of a stream; `undefined` where it said nothing of it, or this is the writer. */
  told(stream: string): ReportedStream | undefined {
    const { told } = this.cluster;
    if (told !== this.#told) {
      this.#told = told;
      this.#toldStreams = readTold(told);
    }
    return this.isWriter ? undefined : this.#toldStreams.get(stream);
  }

  /** Whether the writer tells of its streams, and this is none of them: nothing of it comes any more. */
  isUnpublished(stream: string): boolean {
    const isTold = this.told(stream) !== undefined || this.#toldStreams.size === 0;
    return !this.isWriter && !this.cluster.owner && !isTold;
  }

  /** The schedule of a stream as this node may state it: none that it could not keep. */
  stated(stream: string, schedule: Schedule): Schedule {
    if (this.isWriter || schedule.kind === 'unknown') return schedule;
    if (this.cutOffSinceMs !== undefined) return { kind: 'unknown' };
    // What the owner of a worker told it stated itself, by the same clock.
    if (this.cluster.owner) return schedule;
    const nowMs = this.#environment.clock();
    const { intervalMs, nextMs } = schedule;
    // By a clock that is behind that of the writer the next update would come late; what is lacking has come already.
    const isLate = nextMs > nowMs + intervalMs || this.cluster.lag(stream) > 0;
    return isLate ? { ...schedule, nextMs: Math.min(nextMs, nowMs) } : schedule;
  }

  /** Has a listener called when the role, what was told, or a problem changes, until the function that it returns is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Why a post cannot be taken here, nor passed on; `undefined` where it can. */
  refusal({ headers }: IncomingMessage): StreamError | undefined {
    const { role } = this.cluster;
    if (role.role === 'writer') return undefined;
    if (role.role === 'cut-off') return writerUnknown('this node is cut off from the others');
    // Two nodes may take each other for the writer for a moment.
    return headers[FORWARDED] === undefined ? undefined : writerUnknown('another node took this one for the writer');
  }

  /**
   * Has the writer answer a post; `false` where that is to be answered here.
   *
   * @param onAnswered - called once it is answered, or the answer has broken off
   */
  passOn(request: IncomingMessage, response: ServerResponse, onAnswered: () => void): boolean {
    const { role } = this.cluster;
    if (role.role !== 'follower' || this.refusal(request)) return false;
    response.once('close', () => response.headersSent && onAnswered());
    const { node, url } = role.writer;
    const lost = (cause: unknown) => this.#unanswered({ node, url }, cause);
    this.#proxy.answer(request, response, url, { signal: this.#passing.signal, lost });
    return true;
  }

  /** Has the owner of this worker answer a request; `false` where this is none. */
  passToOwner(request: IncomingMessage, response: ServerResponse): boolean {
    const { owner } = this.cluster;
    if (owner) this.#proxy.answer(request, response, owner.url);
    return owner !== undefined;
  }

  /**
   * Waits for what others published before the call, for {@link CATCH_UP_MS} at most.
   *
   * @returns whether all of that is known here now: what is not here then is nowhere
   */
  async caughtUp(log: Pick<ReadableLog, 'caughtUp'>): Promise<boolean> {
    const waiting = new AbortController();
    const late = this.#environment.sleep(CATCH_UP_MS, waiting.signal).then(
      () => false,
      () => false,
    );
    const known = log.caughtUp().then(
      () => this.cutOffSinceMs === undefined,
      // It may come to be known yet.
      () => late,
    );
    try {
      return await Promise.race([known, late]);
    } finally {
      waiting.abort();
    }
  }

  /** Says that what is asked for may be elsewhere. */
  behind(cursor: string, head: string): StreamError {
    return errors.ERR_NODE_BEHIND({ cursor, head, retryAfterSeconds: RETRY_BEHIND_SECONDS });
  }

  close(): void {
    this.#unwatch();
    this.#lines.flush();
    this.#closing.abort();
    this.#proxy.close();
  }

  #change(): void {
    const { logger } = this.#environment;
    const { node, role, problems } = this.cluster;
    if (role !== this.#role) {
      this.#role = role;
      this.#endPassing();
      const { writer } = { writer: undefined, ...role };
      const fields = { node, role: role.role, ...(writer && { writer: writer.node }) };
      if (role.role === 'cut-off') logger.warn(fields, 'role changed');
      else logger.info(fields, 'role changed');
    }
    const known = this.#problems;
    this.#problems = problems.map(({ code }) => code);
    for (const { code, message } of problems) {
      if (!known.includes(code)) logger.warn({ node, code, message }, 'cluster problem');
    }
    for (const listener of [...this.#listeners]) listener();
  }

  /** What a post is told that was passed on and not answered; whoever runs this node reads it too. */
  #unanswered({ node, url }: { readonly node: string; readonly url: string }, cause: unknown): StreamError {
    const { code: reason = 'no answer' } = cause as { readonly code?: string };
    const problem = `node "${node}" writes, but does not answer at ${url} (${reason})`;
    const error = writerUnknown(problem, cause, { node, url, reason });
    const { code, message } = error;
    this.#lines.warn({ node: this.cluster.node, code, message }, 'cluster problem');
    return error;
  }

  /** Who was the writer may still say what it has stored, and does not keep anybody waiting for ever. */
  #endPassing(): void {
    const passing = this.#passing;
    this.#passing = new AbortController();
    const late = this.#environment.sleep(LAST_ANSWER_MS, this.#closing.signal).catch(() => undefined);
    void late.then(() => passing.abort());
  }
}

/** What a post is told where no node takes it. */
function writerUnknown(problem: string, cause?: unknown, writer = {}): StreamError {
  return errors.ERR_WRITER_UNKNOWN({ problem, ...writer, retryAfterSeconds: RETRY_SECONDS }, cause);
}

function readTold(told: unknown): ReadonlyMap<string, ReportedStream> {
  const streams = understood(() => Object.entries((told as { readonly streams: object }).streams)) ?? [];
  return new Map(
    streams.map(([name, stream]) => [
      name,
      {
        schedule: understood(() => stream.schedule && checkedSchedule(stream.schedule)),
        ...(typeof stream?.completeToMs === 'number' && { completeToMs: stream.completeToMs }),
        sources: (Array.isArray(stream?.sources) ? stream.sources : []).flatMap(
          (source: SourceHealth) => understood(() => checkedHealth(source)) ?? [],
        ),
      },
    ]),
  );
}

/** What is read of something that may be anything; nothing where it is not of that form. */
function understood<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
