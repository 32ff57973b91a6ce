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
import { formatCursor, type Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { type CommitSource, checkEvent, isQuad, isState, type SourceEvent } from '../source.ts';
import { memberTimeMs } from '../views/windows.ts';
import { dataAsOfMs, type SourceState, type WindowTime } from './timing.ts';
import { turn } from './waiting.ts';

/** What {@link SourceSet} takes. */
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
  readonly #readers: readonly SourceReader[];
  readonly #clock: () => number;

  constructor({ sources, ...rest }: SourceSetOptions) {
    this.#readers = sources.map((source) => new SourceReader({ source, ...rest }));
    this.#clock = rest.clock;
  }

  /** Asks each for what is next, unless it was asked. */
  ask(): void {
    for (const reader of this.#readers) reader.ask();
  }

  /**
   * Applies what each has brought, and asks those for the next.
   *
   * @throws what a source failed with, or applying
   */
  async takeIn(apply: (source: number, arrival: Arrival) => Promise<void>): Promise<void> {
    for (const [index, reader] of this.#readers.entries()) {
      const arrival = reader.take();
      if (!arrival) continue;
      await apply(index, arrival);
      reader.applied(arrival);
      reader.ask();
    }
  }

  /**
   * Finds out what the sources claim, while everything else has its turn. A source's claim is about what it has handed out,
   * which may be on its way here yet: the claim of one counts if nothing has come from it by the end of that turn.
   */
  async hearClaims(): Promise<void> {
    const waiting = this.#readers.filter(({ isWaiting }) => isWaiting);
    const claims = waiting.map((reader) => reader.claim());
    await turn();
    for (const [index, reader] of waiting.entries()) if (reader.isWaiting) reader.confirm(claims[index]);
    // One that has nothing more to bring stays as complete as it says.
    for (const reader of this.#readers) if (reader.isDone) reader.confirm(reader.claim());
  }

  /** Whether nothing will come any more, and all that came was applied. */
  get hasEnded(): boolean {
    return this.#readers.every(({ isDone }) => isDone);
  }

  /** Whether something has come that was not applied. */
  get hasArrivals(): boolean {
    return this.#readers.some(({ hasArrival }) => hasArrival);
  }

  /** Whether any goes on to claim completeness. */
  get isClaiming(): boolean {
    return this.#claiming.length > 0;
  }

  /** Up to when all that was published is applied, epoch milliseconds. */
  get dataAsOfMs(): number {
    return dataAsOfMs(this.states, this.#clock());
  }

  /** What the one that is furthest behind by its own claim claims, epoch milliseconds; `undefined` where none does. */
  get claimedToMs(): number | undefined {
    const claims = this.#claiming.map(({ claimedToMs, position }) => claimedToMs ?? position.publishedMs);
    return claims.length === 0 ? undefined : Math.min(...claims);
  }

  get cursors(): (string | undefined)[] {
    return this.#readers.map(({ position }) => position.cursor);
  }

  /** What decides when the query is asked, and which windows are complete. */
  get states(): SourceState[] {
    return this.#readers.map(({ state }) => state);
  }

  /** Lets all go; resolves when they have let go. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#readers.map((reader) => reader.close()));
  }

  get #claiming(): readonly SourceReader[] {
    return this.#readers.filter(({ isClaiming, hasEnded }) => isClaiming && !hasEnded);
  }
}

/** What a source brought, and when. */
export interface Arrival {
  readonly event: SourceEvent;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** How far the source was behind before it came, by its own claim, milliseconds. */
  readonly lagMs: number;
}

type ReaderOptions = Omit<SourceSetOptions, 'sources'> & { readonly source: CommitSource };

/** Reads one source. */
class SourceReader {
  /** Where it stands by what was taken from it. */
  position: Position = NOT_BEGUN;
  /** The last claim that is known to be about nothing but what was taken, epoch milliseconds: one that is not heard may claim less. */
  claimedToMs: number | undefined;
  hasEnded = false;
  readonly #options: ReaderOptions;
  #iterator: AsyncIterator<SourceEvent> | undefined;
  #arrival: Arrival | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isAsked = false;
  /** The furthest of such claims, epoch milliseconds. */
  #completeToMs: number | undefined;
  /** How far it is behind by the last, as of when it was asked, milliseconds. */
  #lagMs = 0;
  #firstAtMs: number | undefined;
  #readSinceMs = 0;
  #askedAtMs = 0;
  /** When a claim was asked for the last time, epoch milliseconds. */
  #confirmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Whether it claims completeness at all. */
  get isClaiming(): boolean {
    return this.#options.source.completeToMs !== undefined;
  }

  /** Whether the source owes an answer. */
  get isWaiting(): boolean {
    return this.#isAsked;
  }

  /** Whether it has something that was not taken. */
  get hasArrival(): boolean {
    return this.#arrival !== undefined || this.#failure !== undefined;
  }

  /** Whether it has ended, and all of it was taken. */
  get isDone(): boolean {
    return this.hasEnded && !this.hasArrival;
  }

  get state(): SourceState {
    const { publishedMs, newestMs } = this.position;
    return {
      readSinceMs: this.#readSinceMs,
      firstAtMs: this.#firstAtMs,
      hasEnded: this.isDone,
      lagMs: this.hasEnded ? 0 : this.#lagMs,
      isClaiming: this.isClaiming,
      completeToMs: this.#completeToMs,
      publishedMs,
      newestMs,
      idleSinceMs: this.#isAsked ? this.#askedAtMs : undefined,
    };
  }

  /** Asks for the next event, unless there is one, or it was asked for, or there is none. */
  ask(): void {
    if (this.#isAsked || this.hasArrival || this.hasEnded) return;
    const { source, clock } = this.#options;
    this.#askedAtMs = clock();
    if (!this.#iterator) {
      this.#iterator = source[Symbol.asyncIterator]();
      this.#readSinceMs = this.#askedAtMs;
    }
    // All that was handed out is taken now: what is claimed now is about just that.
    this.confirm(this.claim());
    this.#isAsked = true;
    this.#iterator.next().then(
      ({ done, value }) => this.#settle(() => (done ? this.#end() : this.#arrive(value))),
      (error: unknown) =>
        this.#settle(() => {
          this.#failure = { error };
        }),
    );
  }

  /**
   * Takes what it has brought.
   *
   * @throws what the source failed with
   * @throws {@link StreamError} `ERR_QUERY_SOURCE` - it brought what is no commit
   */
  take(): Arrival | undefined {
    if (this.#failure) throw this.#failure.error;
    const arrival = this.#arrival;
    this.#arrival = undefined;
    return arrival;
  }

  /** What was taken is applied. */
  applied({ event }: Arrival): void {
    this.position = positionAfter(this.position, event, this.#options.time);
  }

  /** Up to when the source says now that it is complete, epoch milliseconds; of what it has handed out, taken or not. */
  claim(): number | undefined {
    return this.#options.source.completeToMs?.();
  }

  /** A claim has shown itself to be about what was taken. */
  confirm(claim: number | undefined): void {
    const nowMs = this.#options.clock();
    // Nobody knows of what will be published.
    const claimedMs = claim === undefined ? undefined : Math.min(claim, nowMs);
    // What was claimed by a clock that was wrong is void; else what was complete once stays so.
    if (nowMs < this.#confirmedAtMs) this.#completeToMs = claimedMs;
    else if (claimedMs !== undefined) this.#completeToMs = Math.max(claimedMs, this.#completeToMs ?? claimedMs);
    this.#confirmedAtMs = nowMs;
    this.claimedToMs = claimedMs ?? this.#completeToMs;
    this.#lagMs = this.claimedToMs === undefined ? 0 : Math.max(0, nowMs - this.claimedToMs);
  }

  /** Lets the source go; resolves when it has let go. */
  async close(): Promise<void> {
    this.hasEnded = true;
    await this.#iterator?.return?.();
  }

  #settle(change: () => void): void {
    this.#isAsked = false;
    change();
    this.#options.onNews();
  }

  #arrive(event: SourceEvent): void {
    const { source, clock } = this.#options;
    try {
      checkEvent(event, source.url);
    } catch (error) {
      this.#failure = { error };
      return;
    }
    const atMs = clock();
    this.#firstAtMs ??= atMs;
    this.#arrival = { event, atMs, lagMs: this.#lagMs };
  }

  #end(): void {
    this.hasEnded = true;
    this.confirm(this.claim());
  }
}

/** Where a source stands by what it has brought. */
interface Position extends Pick<SourceState, 'publishedMs' | 'newestMs'> {
  /** As results name it. */
  readonly cursor: string | undefined;
}

/** Of a source that has brought nothing. */
export const NOT_BEGUN: Position = { cursor: undefined, publishedMs: -Infinity, newestMs: -Infinity };

/** Where a source stands after what it brought. A state begins anew, but what was told of windows stays told. */
export function positionAfter(before: Position, event: SourceEvent, time: WindowTime): Position {
  const newestMs = Math.max(before.newestMs, newest(event.members, time));
  if (!isState(event)) return { cursor: formatCursor(event.cursor), publishedMs: Date.parse(event.time), newestMs };
  return { cursor: event.cursor, publishedMs: newest(event.members, 'published'), newestMs };
}

function newest(members: readonly Member[], time: WindowTime): number {
  let newestMs = -Infinity;
  for (const member of members) {
    const ms = memberTimeMs(member, time);
    // What is no instant is in no window, and says nothing of the present.
    if (ms > newestMs) newestMs = ms;
  }
  return newestMs;
}

/** How many quads are loaded before everything else has its turn. */
const SLICE_QUADS = 2000;

/**
 * Loads quads that hold at all times, in slices, so that nothing else in this thread waits for all of them.
 *
 * @throws what the quads' iterable throws
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
      const expected = 'give an iterable of RDF/JS quads, such as a parser makes of a file';
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
