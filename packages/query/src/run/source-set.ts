import type { CommitSource } from '../commit-source.ts';
import type { WindowSource } from './closed-to.ts';
import { dataAsOfMs } from './data-as-of.ts';
import type { WindowTime } from './event-standing.ts';
import type { SourceCircumstances } from './next-evaluation.ts';
import { type Arrival, SourceReader } from './source-reader.ts';
import { turn } from './turn.ts';

/** What {@link SourceSet} takes. */
export interface SourceSetParts {
  readonly sources: readonly CommitSource[];
  readonly time: WindowTime;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Called when a source has brought something, has ended or has failed. */
  readonly onNews: () => void;
}

/** The sources of a live query, read together. */
export class SourceSet {
  readonly #readers: readonly SourceReader[];
  readonly #clock: () => number;

  constructor({ sources, ...rest }: SourceSetParts) {
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
    const claims = this.#readers.map((reader) =>
      reader.isWaiting ? { reader, claimedMs: reader.claim() } : undefined,
    );
    await turn();
    for (const claim of claims) if (claim?.reader.isWaiting) claim.reader.confirm(claim.claimedMs);
    // One that has nothing more to bring stays as complete as it says.
    for (const reader of this.#readers) if (reader.hasEnded && !reader.hasArrival) reader.confirm(reader.claim());
  }

  /** Whether nothing will come any more, and all that came was applied. */
  get hasEnded(): boolean {
    return this.#readers.every((reader) => reader.hasEnded && !reader.hasArrival);
  }

  /** Whether something has come that was not applied. */
  get hasArrivals(): boolean {
    return this.#readers.some((reader) => reader.hasArrival);
  }

  /** Whether any goes on to claim completeness. */
  get isClaiming(): boolean {
    return this.#readers.some((reader) => reader.isClaiming && !reader.hasEnded);
  }

  /** Up to when all that was published is applied, epoch milliseconds. */
  get dataAsOfMs(): number {
    const claims = this.#readers.map(({ completeToMs, standing }) => ({ ...standing, completeToMs }));
    return dataAsOfMs(claims, this.#clock());
  }

  /** What the one that is furthest behind by its own claim claims, epoch milliseconds; `undefined` where none does. */
  get claimedToMs(): number | undefined {
    const live = this.#readers.filter((reader) => reader.isClaiming && !reader.hasEnded);
    const claims = live.map(({ claimedToMs, standing }) => claimedToMs ?? standing.publishedMs);
    return claims.length === 0 ? undefined : Math.min(...claims);
  }

  get cursors(): (string | undefined)[] {
    return this.#readers.map(({ standing }) => standing.cursor);
  }

  /** What decides when the query is asked. */
  get circumstances(): SourceCircumstances[] {
    return this.#readers.map(({ readSinceMs, firstAtMs, hasEnded, hasArrival, lagMs }) => ({
      readSinceMs,
      firstAtMs,
      hasEnded: hasEnded && !hasArrival,
      lagMs: hasEnded ? 0 : lagMs,
    }));
  }

  /** What decides which windows are complete. */
  get windowSources(): WindowSource[] {
    return this.#readers.map(({ hasEnded, hasArrival, isWaiting, isClaiming, completeToMs, standing, askedAtMs }) => ({
      hasEnded: hasEnded && !hasArrival,
      isClaiming,
      completeToMs,
      publishedMs: standing.publishedMs,
      newestMs: standing.newestMs,
      idleSinceMs: isWaiting ? askedAtMs : undefined,
    }));
  }

  /** Lets all go; resolves when they have let go. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#readers.map((reader) => reader.close()));
  }
}
