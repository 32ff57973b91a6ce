/*
 * A stream that is published from its sources: they run, retention runs, and whether the sources work is known.
 *
 *   stream.sources         -> a PublishedSource each: its drafts go to the log, whatever becomes of it
 *   health of each         -> state of the stream, looked at once a second: { kind: 'failing', sinceMs: 1795600800000 }
 *   description.retention  -> startRetention: what the policy does not keep leaves the log
 *
 * Nothing begins before start(). stop() ends sources and retention, and waits at most so long for a source that does not listen.
 * On one of several nodes they run while it is the writer; on the others what the writer says of them counts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Schedule } from '@ldes-live/latency';
import { startRetention } from '@ldes-live/log';
import { isStreamError, type SourceHealth, type SourceState, sourceStateOf } from '@ldes-live/rdf-stream';
import { RepeatedLines } from './logging.ts';
import type { LiveStream, ScheduledStream, WatchedSources } from './options.ts';
import { PublishedSource, type SourceEnvironment } from './published-source.ts';
import { type StreamSchedule, scheduleOf, UNKNOWN } from './schedule.ts';
import type { ReportedStream, ServerNode } from './server-node.ts';

/** What {@link publishStream} needs. */
export interface PublishEnvironment extends SourceEnvironment {
  /** How posts to the stream fare, where it takes them: they count as one more source. */
  readonly posts?: () => SourceHealth | undefined;
  /** Absent where this is no node of several. */
  readonly node?: ServerNode | undefined;
  /** Called when a source was polled: what is expected next may be something else. */
  readonly onPolled?: () => void;
}

/** A stream that is published from its sources. */
export interface Publication extends WatchedSources, Pick<ScheduledStream, 'schedule'> {
  /**
   * Begins; resolves once each source has been polled, well or not, or at once where the log has members. On a node that is
   * not the writer it resolves once the log has what the writer has.
   */
  start(): Promise<void>;
  /** What a node tells the others of it. */
  tell(): ReportedStream;
  /**
   * Exchanges the sources, and what is stated of updates, for those of another form of the stream; retention goes on.
   *
   * @param stream - with the same description and log
   * @throws {@link StreamError} those of {@link publishStream}: then nothing has changed
   */
  exchange(stream: LiveStream): Promise<void>;
  /** Ends sources and retention; resolves once nothing more is appended, and after {@link STOP_MS} at the latest. */
  stop(): Promise<void>;
}

/** How often the health of sources is looked at, milliseconds. */
const LOOK_MS = 1000;

/** How long a source may take to end once it is told to, milliseconds. */
export const STOP_MS = 1000;

/** How long a server puts off listening at most until the sources of empty logs have been polled, milliseconds. */
const FIRST_POLLS_MS = 3000;

/**
 * Prepares a stream to be published from its sources.
 *
 * @throws {@link StreamError} those of `ReadableLog.read` and `ReadableLog.subscribe`, where its schedule is learned
 */
export async function publishStream(stream: LiveStream, environment: PublishEnvironment): Promise<Publication> {
  const publication = new StreamPublication(stream, environment);
  (await publication.prepare(stream))();
  return publication;
}

/**
 * Starts publications; resolves once those over empty logs have been polled, or after 3 s. A reader who comes before would
 * take an empty stream for the state of things.
 */
export async function startPublications(
  publications: Iterable<Publication>,
  { sleep }: Pick<PublishEnvironment, 'sleep'>,
): Promise<void> {
  const polled = Promise.all([...publications].map((publication) => publication.start()));
  await atMost(FIRST_POLLS_MS, polled, sleep);
}

class StreamPublication implements Publication {
  readonly #environment: PublishEnvironment;
  readonly #lines: RepeatedLines;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<(state: SourceState | undefined) => void>();
  #stream: LiveStream;
  #schedule: StreamSchedule | undefined;
  #sources: PublishedSource[] = [];
  #sourcesEnding = new AbortController();
  #state: SourceState | undefined;
  /** When it was noticed that the node that writes does not have the stream, epoch milliseconds. */
  #unpublishedSinceMs: number | undefined;
  /** What looks at the sources, once it is started. */
  #watching: Promise<void> | undefined;
  #retaining: Promise<void> = Promise.resolve();
  #retainingEnding = new AbortController();
  /** Whether sources and retention run: of several nodes on the writer only. */
  #isPublishing = false;
  #turning: Promise<void> = Promise.resolve();
  readonly #unwatch: (() => void) | undefined;

  constructor(stream: LiveStream, environment: PublishEnvironment) {
    this.#environment = environment;
    this.#lines = new RepeatedLines(environment.logger, environment.clock);
    this.#stream = stream;
    this.#unwatch = environment.node?.onChange(() => {
      void this.#turn();
      this.#look();
    });
  }

  readonly schedule = (): Schedule => {
    const { node } = this.#environment;
    if (!node || node.isWriter) return this.#ownSchedule();
    const { name } = this.#stream.description;
    if (node.isUnpublished(name)) return UNKNOWN;
    const by = this.#schedule?.by;
    const told = by === 'publisher' ? undefined : node.told(name)?.schedule;
    // Its own sources rest, and know nothing.
    return node.stated(name, told ?? (by === 'sources' ? UNKNOWN : this.#ownSchedule()));
  };

  readonly health = (): readonly SourceHealth[] => {
    const { node } = this.#environment;
    if (node && !node.isWriter) return node.told(this.#stream.description.name)?.sources ?? [];
    return this.#ownHealth();
  };

  tell(): ReportedStream {
    const isStated = this.#schedule?.by === 'sources';
    return { ...(isStated && { schedule: this.#ownSchedule() }), sources: this.#ownHealth() };
  }

  #ownSchedule(): Schedule {
    return this.#schedule?.schedule() ?? UNKNOWN;
  }

  #ownHealth(): readonly SourceHealth[] {
    const own = this.#sources.map((source) => source.health());
    const posts = this.#environment.posts?.();
    return posts ? [...own, posts] : own;
  }

  readonly sourceState = (): SourceState | undefined => this.#state;

  readonly onSourceState = (listener: (state: SourceState | undefined) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async start(): Promise<void> {
    if (this.#watching || this.#ending.signal.aborted) return;
    const { log } = this.#stream;
    const isEmpty = log.head.cursor.sequence === 0;
    this.#watching = this.#watch();
    await this.#turn();
    if (!this.#isPublishing) await log.caughtUp().catch(() => undefined);
    else if (isEmpty) await Promise.all(this.#sources.map(({ polled }) => polled));
  }

  /** Begins what runs on the writer only, or ends it. */
  #turn(): Promise<void> {
    return this.#inTurn(async () => {
      const { node } = this.#environment;
      const isToPublish = Boolean(this.#watching) && !this.#ending.signal.aborted && (!node || node.isWriter);
      if (isToPublish === this.#isPublishing) return;
      this.#isPublishing = isToPublish;
      if (!isToPublish) return await this.#endPublishing();
      this.#startSources();
      this.#retainingEnding = new AbortController();
      this.#retaining = this.#retain(this.#retainingEnding.signal);
    });
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#turning.then(run);
    this.#turning = turn.catch(() => undefined);
    return turn;
  }

  async #endPublishing(): Promise<void> {
    this.#retainingEnding.abort();
    await Promise.all([this.#stopSources(), atMost(STOP_MS, this.#retaining, this.#environment.sleep)]);
  }

  /** Does what can fail of taking a form of the stream; the function that it gives does the rest. */
  async prepare(stream: LiveStream): Promise<() => void> {
    const { description, log } = stream;
    const place = { stream: description.name, log, lines: this.#lines, onChange: () => this.#polled() };
    const sources = (stream.sources ?? []).map((source) => new PublishedSource(source, place, this.#environment));
    const schedule = await scheduleOf({ ...stream, sources }, this.#environment.clock);
    return () => {
      this.#schedule?.close();
      this.#stream = stream;
      this.#schedule = schedule;
      this.#sources = sources;
      this.#look();
    };
  }

  async exchange(stream: LiveStream): Promise<void> {
    const take = await this.prepare(stream);
    await this.#inTurn(async () => {
      await this.#stopSources();
      take();
      if (this.#isPublishing) this.#startSources();
    });
  }

  async stop(): Promise<void> {
    this.#unwatch?.();
    this.#ending.abort();
    this.#schedule?.close();
    await Promise.all([this.#turn(), atMost(STOP_MS, this.#watching ?? Promise.resolve(), this.#environment.sleep)]);
    this.#lines.flush();
  }

  #startSources(): void {
    this.#sourcesEnding = new AbortController();
    for (const source of this.#sources) source.start(this.#sourcesEnding.signal);
  }

  async #stopSources(): Promise<void> {
    this.#sourcesEnding.abort();
    const ended = Promise.all(this.#sources.map((source) => source.ended));
    await atMost(STOP_MS, ended, this.#environment.sleep);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#environment.sleep(LOOK_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#isPublishing) for (const source of this.#sources) source.look();
      this.#look();
    }
  }

  #polled(): void {
    this.#look();
    this.#environment.onPolled?.();
  }

  #look(): void {
    const state = this.#stateNow();
    if (isDeepStrictEqual(state, this.#state)) return;
    this.#state = state;
    for (const listener of this.#listeners) {
      try {
        listener(state);
      } catch (error) {
        // Whoever listens must not stop what is published; reported as an uncaught exception.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #stateNow(): SourceState | undefined {
    const health = this.health();
    const state = health.length > 0 ? sourceStateOf(health) : undefined;
    const { node } = this.#environment;
    if (!node) return state;
    const { name } = this.#stream.description;
    this.#unpublishedSinceMs = node.isUnpublished(name)
      ? (this.#unpublishedSinceMs ?? this.#environment.clock())
      : undefined;
    const never = Number.POSITIVE_INFINITY;
    const told = node.told(name);
    const ends = [node.cutOffSinceMs, this.#unpublishedSinceMs, told?.completeToMs];
    const completeToMs = Math.min(...ends.map((end) => end ?? never));
    if (completeToMs < never) {
      const sinceMs = Math.min(completeToMs, state?.kind === 'failing' ? state.sinceMs : never);
      return { kind: 'failing', sinceMs: wholeSeconds(sinceMs), completeToMs: wholeSeconds(completeToMs) };
    }
    // Without sources too: readers who were told that the node is cut off are to be told that it is no more.
    const isKnown = node.isWriter || told !== undefined;
    return state ?? (isKnown ? { kind: 'ok' } : undefined);
  }

  async #retain(signal: AbortSignal): Promise<void> {
    const { description, log } = this.#stream;
    const { retention: policy, name: stream } = description;
    if (!policy) return;
    const { clock, sleep } = this.#environment;
    const onError = (error: unknown) => {
      // Another node writes, and this one is about to be told so.
      if (isStreamError(error, 'ERR_LOG_FENCED')) return;
      this.#lines.warn({ stream, ...(isStreamError(error) && { code: error.code }), err: error }, 'retention failed');
    };
    await startRetention({ log, policy, clock, sleep, signal, onError });
  }
}

/** A time as a header field can say it. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Waits for something, but no longer than so long; leaves no timer behind. */
async function atMost(limitMs: number, awaited: Promise<unknown>, sleep: PublishEnvironment['sleep']): Promise<void> {
  const done = new AbortController();
  const slept = sleep(limitMs, done.signal).catch(() => undefined);
  try {
    await Promise.race([awaited, slept]);
  } finally {
    done.abort();
  }
}
