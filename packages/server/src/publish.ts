/*
 * A stream that is published from its sources: they run, retention runs, and whether the sources work is known.
 *
 *   stream.sources         -> a PublishedSource each: its drafts go to the log, whatever becomes of it
 *   health of each         -> state of the stream, looked at once a second: { kind: 'failing', sinceMs: 1795600800000 }
 *   description.retention  -> startRetention: what the policy does not keep leaves the log
 *
 * Nothing begins before start(). stop() ends sources and retention, and waits at most so long for a source that does not listen.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Schedule } from '@ldes-live/latency';
import { startRetention } from '@ldes-live/log';
import { isStreamError, type SourceHealth, type SourceState, sourceStateOf } from '@ldes-live/rdf-stream';
import { RepeatedLines } from './logging.ts';
import type { LiveStream, ScheduledStream, WatchedSources } from './options.ts';
import { PublishedSource, type SourceEnvironment } from './published-source.ts';
import { type StreamSchedule, scheduleOf } from './schedule.ts';

/** What {@link publishStream} needs. */
export interface PublishEnvironment extends SourceEnvironment {
  /** How posts to the stream fare, where it takes them: they count as one more source. */
  readonly posts?: () => SourceHealth | undefined;
}

/** A stream that is published from its sources. */
export interface Publication extends WatchedSources, Pick<ScheduledStream, 'schedule'> {
  /** Begins; resolves once each source has been polled, well or not, or at once where the log has members. */
  start(): Promise<void>;
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
  /** What runs besides the sources, once it is started. */
  #running: Promise<unknown> | undefined;

  constructor(stream: LiveStream, environment: PublishEnvironment) {
    this.#environment = environment;
    this.#lines = new RepeatedLines(environment.logger, environment.clock);
    this.#stream = stream;
  }

  readonly schedule = (): Schedule => this.#schedule?.schedule() ?? { kind: 'unknown' };

  readonly health = (): readonly SourceHealth[] => {
    const own = this.#sources.map((source) => source.health());
    const posts = this.#environment.posts?.();
    return posts ? [...own, posts] : own;
  };

  readonly sourceState = (): SourceState | undefined => this.#state;

  readonly onSourceState = (listener: (state: SourceState | undefined) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async start(): Promise<void> {
    if (this.#running || this.#ending.signal.aborted) return;
    const isEmpty = this.#stream.log.head.cursor.sequence === 0;
    this.#startSources();
    this.#running = Promise.all([this.#watch(), this.#retain()]);
    if (isEmpty) await Promise.all(this.#sources.map(({ polled }) => polled));
  }

  /** Does what can fail of taking a form of the stream; the function that it gives does the rest. */
  async prepare(stream: LiveStream): Promise<() => void> {
    const { description, log } = stream;
    const place = { stream: description.name, log, lines: this.#lines, onChange: () => this.#look() };
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
    await this.#stopSources();
    take();
    if (this.#running) this.#startSources();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#schedule?.close();
    await Promise.all([
      this.#stopSources(),
      atMost(STOP_MS, this.#running ?? Promise.resolve(), this.#environment.sleep),
    ]);
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
      for (const source of this.#sources) source.look();
      this.#look();
    }
  }

  #look(): void {
    const health = this.health();
    const state = health.length > 0 ? sourceStateOf(health) : undefined;
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

  async #retain(): Promise<void> {
    const { description, log } = this.#stream;
    const { retention: policy, name: stream } = description;
    if (!policy) return;
    const { clock, sleep } = this.#environment;
    const onError = (error: unknown) =>
      this.#lines.warn({ stream, ...(isStreamError(error) && { code: error.code }), err: error }, 'retention failed');
    await startRetention({ log, policy, clock, sleep, signal: this.#ending.signal, onError });
  }
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
