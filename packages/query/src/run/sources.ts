/*
 * The sources of a live query, each read one event at a time: what it has brought waits here until it is applied, and only
 * then is it asked for the next.
 *
 *   ask -> source.next() -> arrival { event, atMs, lagMs } -> onNews -> takeIn(apply) -> position after it -> ask
 *   position: { cursor: 'e5-41', publishedMs: 1772366400100, newestMs: 1772366400000 }
 *
 * Each source may claim how complete it is. A claim is about what the source has handed out, so it counts only once that was
 * taken.
 */
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { type CommitSource, checkEvent, cursorOf, isQuad, isState, type SourceEvent } from '../source.ts';
import { newestTimeMs, type WindowTime } from '../views/windows.ts';
import { dataAsOfMs, type SourceState } from './timing.ts';
import { turn } from './waiting.ts';

interface SourceSetOptions {
  readonly sources: readonly CommitSource[];
  readonly time: WindowTime;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Called when a source has brought something, has ended or has failed. */
  readonly onNews: () => void;
}

/** The sources of a live query, read together. Nothing is asked of them before {@link ask}. */
export class SourceSet {
  readonly states: readonly SourceReader[];
  readonly #clock: () => number;

  constructor({ sources, ...rest }: SourceSetOptions) {
    this.states = sources.map((source) => new SourceReader({ source, ...rest }));
    this.#clock = rest.clock;
  }

  ask(): void {
    for (const reader of this.states) reader.ask();
  }

  /**
   * Applies what each has brought, and asks those for the next.
   *
   * @throws what a source failed with, or applying
   * @throws {@link StreamError} `ERR_QUERY_SOURCE` - one brought what is no commit
   */
  async takeIn(apply: (source: number, arrival: Arrival) => Promise<void>): Promise<void> {
    for (const [index, reader] of this.states.entries()) {
      const arrival = reader.take();
      if (!arrival) continue;
      await apply(index, arrival);
      reader.applied(arrival.event);
      reader.ask();
    }
  }

  /**
   * Asks what the sources claim, while everything else has its turn. What a source has handed out may still be on its way here:
   * its claim counts if nothing has come by the end of that turn.
   */
  async hearClaims(): Promise<void> {
    const asked = this.states.filter(({ phase }) => phase.is === 'asked');
    const claims = asked.map((reader) => reader.claim());
    await turn();
    for (const [index, reader] of asked.entries()) if (reader.phase.is === 'asked') reader.confirm(claims[index]);
    // One that has nothing more to bring stays as complete as it says.
    for (const reader of this.states) if (reader.hasEnded) reader.confirm(reader.claim());
  }

  get hasEnded(): boolean {
    return this.states.every((state) => state.hasEnded);
  }

  /** Whether something has come that was not applied. */
  get hasArrivals(): boolean {
    return this.states.some(({ phase }) => phase.is === 'brought' || phase.is === 'failed');
  }

  get isClaiming(): boolean {
    return this.states.some((state) => state.isClaiming);
  }

  /** Up to when all that was published is applied. */
  get dataAsOf(): Date {
    return new Date(dataAsOfMs(this.states, this.#clock()));
  }

  /** What the one that is furthest behind by its own claim claims, epoch milliseconds; `undefined` where none does. */
  get claimedToMs(): number | undefined {
    const claiming = this.states.filter(({ isClaiming }) => isClaiming);
    const claims = claiming.map(({ claimedToMs, publishedMs }) => claimedToMs ?? publishedMs);
    return claims.length === 0 ? undefined : Math.min(...claims);
  }

  get cursors(): (string | undefined)[] {
    return this.states.map(({ cursor }) => cursor);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.states.map((reader) => reader.close()));
  }
}

export interface Arrival {
  readonly event: SourceEvent;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** How far the source was behind before it came, by its own claim, milliseconds. */
  readonly lagMs: number;
}

type ReaderOptions = Omit<SourceSetOptions, 'sources'> & { readonly source: CommitSource };

/** How far the reading of a source has come: what it brought is applied before it is asked for the next. */
type Phase =
  | { readonly is: 'idle' | 'ended' }
  | { readonly is: 'asked' /** Epoch milliseconds. */; readonly sinceMs: number }
  | { readonly is: 'brought'; readonly arrival: Arrival }
  | { readonly is: 'failed'; readonly error: unknown };

/** Reads one source. Its position follows from what was taken from it and applied. */
class SourceReader implements SourceState {
  phase: Phase = { is: 'idle' };
  cursor: string | undefined;
  publishedMs = -Infinity;
  newestMs = -Infinity;
  readSinceMs = 0;
  firstAtMs: number | undefined;
  /** The last claim that is known to be about nothing but what was taken, epoch milliseconds. */
  claimedToMs: number | undefined;
  /** The furthest of such claims. */
  completeToMs: number | undefined;
  lagMs = 0;
  readonly #options: ReaderOptions;
  #iterator: AsyncIterator<SourceEvent> | undefined;
  #confirmedAtMs = -Infinity;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get hasEnded(): boolean {
    return this.phase.is === 'ended';
  }

  get isClaiming(): boolean {
    return this.#options.source.completeToMs !== undefined && !this.hasEnded;
  }

  get idleSinceMs(): number | undefined {
    return this.phase.is === 'asked' ? this.phase.sinceMs : undefined;
  }

  /** Asks for the next event, unless there is one, or it was asked for, or there is none. */
  ask(): void {
    if (this.phase.is !== 'idle') return;
    const { source, clock } = this.#options;
    const sinceMs = clock();
    if (!this.#iterator) {
      this.#iterator = source[Symbol.asyncIterator]();
      this.readSinceMs = sinceMs;
    }
    // All that was handed out is taken now: what is claimed now is about just that.
    this.confirm(this.claim());
    this.phase = { is: 'asked', sinceMs };
    this.#iterator.next().then(
      ({ done, value }) => this.#settle(() => (done ? { is: 'ended' } : this.#brought(value))),
      (error: unknown) => this.#settle(() => ({ is: 'failed', error })),
    );
  }

  /** Takes what it has brought. @throws what it failed with */
  take(): Arrival | undefined {
    const { phase } = this;
    if (phase.is === 'failed') throw phase.error;
    if (phase.is !== 'brought') return undefined;
    this.phase = { is: 'idle' };
    return phase.arrival;
  }

  /** Notes that what was taken is applied. A state begins anew, but what was reported of windows stays reported. */
  applied(event: SourceEvent): void {
    const { time } = this.#options;
    this.newestMs = Math.max(this.newestMs, newestTimeMs(event.members, time));
    this.cursor = cursorOf(event);
    this.publishedMs = isState(event) ? newestTimeMs(event.members, 'published') : Date.parse(event.time);
  }

  /** Up to when the source says that what it has handed out is complete, whether taken or not; epoch milliseconds. */
  claim(): number | undefined {
    return this.#options.source.completeToMs?.();
  }

  /** Notes a claim that is about what was taken. */
  confirm(claim: number | undefined): void {
    const nowMs = this.#options.clock();
    // Nobody knows what will be published.
    const claimedMs = claim === undefined ? undefined : Math.min(claim, nowMs);
    // What was claimed by a wrong clock is void; else what was complete once stays so.
    if (nowMs < this.#confirmedAtMs) this.completeToMs = claimedMs;
    else if (claimedMs !== undefined) this.completeToMs = Math.max(claimedMs, this.completeToMs ?? claimedMs);
    this.#confirmedAtMs = nowMs;
    this.claimedToMs = claimedMs ?? this.completeToMs;
    // What has ended is behind nothing.
    this.lagMs = this.hasEnded ? 0 : Math.max(0, nowMs - (this.claimedToMs ?? nowMs));
  }

  async close(): Promise<void> {
    this.phase = { is: 'ended' };
    await this.#iterator?.return?.();
  }

  #settle(phaseAfter: () => Phase): void {
    if (this.phase.is !== 'asked') return;
    this.phase = phaseAfter();
    if (this.hasEnded) this.confirm(this.claim());
    this.#options.onNews();
  }

  #brought(event: SourceEvent): Phase {
    const { source, clock } = this.#options;
    try {
      checkEvent(event, source.url);
    } catch (error) {
      return { is: 'failed', error };
    }
    const atMs = clock();
    this.firstAtMs ??= atMs;
    return { is: 'brought', arrival: { event, atMs, lagMs: this.lagMs } };
  }
}

/** How many quads are loaded before everything else has its turn: about 10 ms in a thread. */
const SLICE_QUADS = 2000;

/**
 * Loads quads that hold at all times, in slices, so that nothing else waits for all of them on either side of a thread.
 *
 * @throws what the iterable throws
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one is no quad
 * @throws {@link StreamError} `ERR_VIEW_TOO_LARGE` - as {@link Evaluator.load}
 */
export async function loadData(
  evaluator: Pick<Evaluator, 'load'>,
  data: Iterable<Quad> | AsyncIterable<Quad>,
  signal: AbortSignal,
): Promise<void> {
  let slice: Quad[] = [];
  for await (const quad of data) {
    if (!isQuad(quad)) {
      const expected = 'give an iterable of RDF/JS quads, such as the result of a parser';
      throw errors.ERR_QUERY_OPTION({ name: 'data', value: quad, expected });
    }
    slice.push(quad);
    if (slice.length < SLICE_QUADS) continue;
    await evaluator.load(slice);
    slice = [];
    await turn();
    signal.throwIfAborted();
  }
  if (slice.length > 0) await evaluator.load(slice);
}
