/*
 * From one source to the log, for as long as the stream is published, and how the source fares.
 *
 *   source.drafts(log.latest, signal) -> batch -> log.append(batch) -> the next batch is asked for
 *     the log fails      warn 'append failed'     the source is asked anew after 1 to 60 s, and judges by the log what it lacks
 *     the source fails   warn 'source failing'    it is asked anew likewise
 *     all is rejected    warn 'source failing'    it goes on
 *     the log is closed  error 'publishing ended'
 *     another node writes    nothing is said: this one is about to be told to end
 *   { origin: 'garages', state: 'failing', failingSince: '2026-11-23T10:00:00.000Z', lastError: { code, message, at }, ... }
 */
import { backoffMs, type Schedule } from '@ldes-live/latency';
import type { Log } from '@ldes-live/log';
import {
  checkQuads,
  type Draft,
  isStreamError,
  type SourceHealth,
  type SourceProblem,
  type StreamError,
  type UpsertDraft,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from './errors.ts';
import type { Logger, RepeatedLines } from './logging.ts';
import type { SourcePoll, StreamSource } from './options.ts';

/** What publishing needs of the world around it. */
export interface SourceEnvironment {
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Waits so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>;
}

/** How long what failed is waited for before it is tried again: at first and at last, milliseconds. */
const RETRY_MS = { first: 2000, max: 60_000 } as const;

/** Codes of drafts that the log can never take, however often they are appended. */
const REJECTED: ReadonlySet<string> = new Set([
  'ERR_DRAFT',
  'ERR_DRAFT_REPEATED',
  'ERR_ENTITY_UNKNOWN',
  'ERR_GRAPH_UNSUPPORTED',
  'ERR_TERM_UNSUPPORTED',
  'ERR_VERSION_HELD',
  'ERR_VERSION_REPEATED',
]);

/** Where what a source brings goes. */
interface SourcePlace {
  readonly stream: string;
  readonly log: Log;
  readonly lines: RepeatedLines;
  /** Called when it may fare otherwise than before. */
  readonly onChange: () => void;
}

/** What kept a source from being published on: its own end, or the log. */
interface Failure {
  readonly by: 'source' | 'log';
  readonly error: unknown;
}

/** One source, asked again whatever becomes of it. */
export class PublishedSource {
  readonly #source: StreamSource;
  readonly #place: SourcePlace;
  readonly #environment: SourceEnvironment;
  /** What each line of it has. */
  readonly #names: { readonly stream: string; readonly origin: string };
  /** Resolves once it has been polled, well or not, or has ended. */
  readonly polled: Promise<void>;
  #setPolled: () => void = () => undefined;
  /** When its next update comes, where it states any; nothing where it cannot say. */
  readonly schedule?: () => Schedule | undefined;
  /** Resolves once nothing more is appended. */
  ended: Promise<void> = Promise.resolve();

  /**
   * What this loop sees of it, whatever it says of itself. Once it fails it does so until a batch comes, or until it
   * counts more good polls of its own than it did then.
   */
  #own: SourceHealth;
  #goodBefore = 0;
  /** As it was last looked at. */
  #seen: SourceHealth;

  constructor(source: StreamSource, place: SourcePlace, environment: SourceEnvironment) {
    this.#source = source;
    this.#place = place;
    this.#environment = environment;
    const { origin, schedule } = source;
    if (schedule) this.schedule = () => this.#said(() => checkedSchedule(schedule.call(source)));
    this.#names = { stream: place.stream, origin };
    this.#own = { origin, state: 'starting', polls: { good: 0, bad: 0 }, errors: {}, findings: {} };
    this.#seen = this.#own;
    this.polled = new Promise((resolve) => {
      this.#setPolled = resolve;
    });
  }

  start(signal: AbortSignal): void {
    // That it failed before it was ended says nothing of now.
    this.#become({ failingSince: undefined });
    this.#seen = this.#own;
    this.ended = this.#run(signal).finally(this.#setPolled);
  }

  health(): SourceHealth {
    const given = this.#given();
    if (!given) return this.#own;
    const { state, failingSince, lastError, errors } = this.#own;
    const health = { ...given, errors: { ...given.errors, ...errors } };
    if (failingSince === undefined) return health;
    return {
      ...health,
      state: given.state === 'starting' ? state : 'failing',
      failingSince: [given.failingSince, failingSince].flatMap((time) => time ?? []).sort()[0],
      lastError,
    };
  }

  /** Looks how it fares, logs what has become of it, and says so. */
  look(): void {
    if ((this.#given()?.polls.good ?? 0) > this.#goodBefore) this.#become({ failingSince: undefined });
    const before = this.#seen;
    this.#seen = this.health();
    const { failingSince, lastError, polls } = this.#seen;
    if (before.failingSince !== undefined && failingSince === undefined) {
      const failedMs = Math.max(0, this.#environment.clock() - Date.parse(before.failingSince));
      for (const event of ['source failing', 'append failed']) this.#place.lines.drop(this.#names, event);
      this.#place.lines.info({ ...this.#names, failedMs }, 'source recovered');
    }
    this.#place.onChange();
    if (!this.#source.health || this.#source.onPoll) return;
    // It counts its polls, and says no more of them.
    if (polls.good + polls.bad > 0) this.#setPolled();
    if (lastError && failingSince !== undefined && polls.bad > before.polls.bad) this.#warn(lastError);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const attempts = { source: 0, log: 0 };
    while (!signal.aborted) {
      const askedAtMs = this.#environment.clock();
      const failure = await this.#publish(signal, () => {
        attempts.log = 0;
      });
      if (!failure || signal.aborted) return;
      const { by, error } = failure;
      if (isStreamError(error, 'ERR_LOG_CLOSED')) {
        this.#environment.logger.error({ ...this.#names, err: error }, 'publishing ended');
        this.#count(error.code);
        return this.#fail(this.#problemOf(error));
      }
      if (isStreamError(error, 'ERR_LOG_FENCED')) {
        await this.#environment.sleep(RETRY_MS.first, signal).catch(() => undefined);
        continue;
      }
      // One that fails soon again is not asked in a hurry, whatever it brought before.
      const isLongAgo = this.#environment.clock() - askedAtMs >= RETRY_MS.max;
      attempts[by] = by === 'source' && isLongAgo ? 1 : attempts[by] + 1;
      await this.#wait(failure, attempts[by], signal);
    }
  }

  /** Publishes what one iteration brings, until that fails, ends or is ended by the signal, which is no failure. */
  async #publish(signal: AbortSignal, onAppended: () => void): Promise<Failure | undefined> {
    let by: Failure['by'] = 'source';
    try {
      const endPolls = this.#source.onPoll?.((poll) => this.#note(poll));
      try {
        for await (const batch of this.#source.drafts(this.#place.log.latest, signal)) {
          // It was told to end, and the source that takes its place judges by the log.
          if (signal.aborted) return undefined;
          by = 'log';
          if (batch.length === 0) this.#setPolled();
          const rejected = batch.length === 0 ? undefined : await this.#append(batch);
          if (batch.length > 0) onAppended();
          if (rejected) {
            this.#warn(rejected);
            // However well it is read, what it brings is not published.
            this.#fail(this.#problemOf(rejected), Number.POSITIVE_INFINITY);
          } else this.#succeed();
          by = 'source';
        }
        return { by, error: errors.ERR_SOURCE_ENDED({ origin: this.#source.origin }) };
      } finally {
        endPolls?.();
      }
    } catch (error) {
      return { by, error };
    }
  }

  /**
   * Appends a batch in one commit; in several, where it has drafts that the log can never take, so that the others go on.
   *
   * @returns what is wrong with the last of them, where none was taken
   */
  async #append(batch: readonly Draft[]): Promise<StreamError | undefined> {
    try {
      assertNoGraphs(batch);
      await this.#place.log.append(batch);
      return undefined;
    } catch (error) {
      if (!isStreamError(error) || !REJECTED.has(error.code)) throw error;
      if (batch.length === 1) {
        const { code, message } = error;
        this.#count(code);
        this.#place.lines.warn({ ...this.#names, code, message }, 'draft rejected');
        return error;
      }
      const middle = batch.length >> 1;
      const first = await this.#append(batch.slice(0, middle));
      const second = await this.#append(batch.slice(middle));
      return first && second;
    }
  }

  async #wait({ by, error }: Failure, attempt: number, signal: AbortSignal): Promise<void> {
    const { random, sleep } = this.#environment;
    const { first: baseMs, max: maxMs } = RETRY_MS;
    const waitMs = Math.round(backoffMs({ attempt, random: random(), baseMs, maxMs }));
    const problem = this.#problemOf(error);
    const { code, message } = problem;
    this.#place.lines.drop(this.#names, 'source recovered');
    if (by === 'source') this.#warn(problem, error);
    else this.#place.lines.warn({ ...this.#names, code, message, attempt, waitMs, err: error }, 'append failed');
    this.#count(code);
    this.#fail(problem);
    await sleep(waitMs, signal).catch(() => undefined);
  }

  #warn({ code, message }: Pick<SourceProblem, 'code' | 'message'>, error?: unknown): void {
    // Of an error that has a code, the message says it all.
    const defect = error === undefined || isStreamError(error) ? {} : { reason: nameOf(error), err: error };
    this.#place.lines.drop(this.#names, 'source recovered');
    this.#place.lines.warn({ ...this.#names, code, message, ...defect }, 'source failing');
  }

  #note({ kind, durationMs, error, problems = [] }: SourcePoll): void {
    this.#environment.logger.debug({ ...this.#names, result: kind, ms: durationMs }, 'poll');
    if (error) this.#warn(error);
    for (const { code, message } of problems) {
      this.#place.lines.warn({ ...this.#names, code, message }, 'source problem');
    }
    this.#setPolled();
    this.look();
  }

  #succeed(): void {
    const { good, bad } = this.#own.polls;
    this.#become({ polls: { good: good + 1, bad }, lastGoodAt: this.#now(), failingSince: undefined });
    if (!this.#source.health && !this.#source.onPoll) this.#setPolled();
    this.look();
  }

  #fail(problem: SourceProblem, goodBefore = this.#given()?.polls.good ?? 0): void {
    const { polls, failingSince = problem.at } = this.#own;
    this.#become({ polls: { ...polls, bad: polls.bad + 1 }, failingSince, lastError: problem });
    this.#goodBefore = goodBefore;
    this.#setPolled();
    this.look();
  }

  #count(code: string): void {
    const { errors } = this.#own;
    this.#become({ errors: { ...errors, [code]: (errors[code] ?? 0) + 1 } });
  }

  #become(change: Partial<SourceHealth>): void {
    const own = { ...this.#own, ...change };
    const known = own.failingSince === undefined ? 'ok' : 'failing';
    this.#own = { ...own, state: own.polls.good === 0 ? 'starting' : known };
  }

  /** What it says of itself; nothing where it cannot, or says what is no health. */
  #given(): SourceHealth | undefined {
    const { health } = this.#source;
    return health && this.#said(() => checkedHealth(health.call(this.#source)));
  }

  /** What the source says when it is asked; nothing where that throws, which is logged. */
  #said<Said>(ask: () => Said): Said | undefined {
    try {
      return ask();
    } catch (error) {
      this.#warn(this.#problemOf(error), error);
      return undefined;
    }
  }

  /** The message of a foreign error may hold secrets, and health is public. */
  #problemOf(error: unknown): SourceProblem {
    const { origin } = this.#source;
    const { code, message } = isStreamError(error)
      ? error
      : errors.ERR_SOURCE_FAILED({ origin, reason: nameOf(error) }, error);
    return { code, message, at: this.#now() };
  }

  #now(): string {
    return new Date(this.#environment.clock()).toISOString();
  }
}

/** In Turtle and N-Triples no document could hold a member with one. Plain JavaScript may give anything. */
function assertNoGraphs(batch: readonly Draft[]): void {
  for (const draft of batch as readonly (Partial<UpsertDraft> | null)[]) {
    const quads = Array.isArray(draft?.quads) ? (draft.quads as readonly (Quad | null)[]) : [];
    const named = quads.find((quad) => (quad?.graph?.termType ?? 'DefaultGraph') !== 'DefaultGraph');
    if (named) checkQuads([named], 'turtle');
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? String(error.name) : typeof error;
}

const STATES: readonly unknown[] = ['starting', 'ok', 'failing'] satisfies SourceHealth['state'][];

/** Plain JavaScript may give anything: throws a `TypeError` unless each field that is read here, or in metrics, is in order. */
export function checkedHealth(given: SourceHealth): SourceHealth {
  const { origin, state, polls, errors, findings, lastError } = given;
  const texts = [origin, ...(lastError ? [lastError.code, lastError.message] : [])];
  const counts = [polls.good, polls.bad, ...Object.values(errors), ...Object.values(findings)];
  const times = [given.failingSince, given.lastGoodAt, given.dataAt, given.nextUpdateAt].filter(
    (time) => time !== undefined,
  );
  const isHealth =
    STATES.includes(state) &&
    counts.every(Number.isFinite) &&
    [...texts, ...times].every((text) => typeof text === 'string') &&
    times.every((time) => Number.isFinite(Date.parse(time)));
  if (!isHealth) throw new TypeError('health() did not return a SourceHealth.');
  return given;
}

/** The last time that a date can have. */
const LAST_TIME_MS = 8.64e15;

/** Likewise of a schedule. */
export function checkedSchedule(given: Schedule): Schedule {
  const isSchedule =
    given.kind === 'unknown' ||
    (given.kind === 'interval' && given.intervalMs >= 0 && Math.abs(given.nextMs) <= LAST_TIME_MS);
  if (!isSchedule) throw new TypeError('schedule() did not return a Schedule.');
  return given;
}
