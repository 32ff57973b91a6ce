import type { Representation } from './representation.ts';

/** What is kept of a document in one state. */
export class KeptDocument {
  readonly url: string;
  readonly version: string;
  /** By index of the variant; `ready` once it is made. */
  readonly entries: ({ readonly made: Promise<Representation>; readonly ready?: Representation } | undefined)[] = [];
  /** What it counts in all. */
  bytes = 0;
  /** When this state came to be, as far as that is known. */
  readonly dates: Dates = {};
  readonly #datesBefore: Dates | undefined;

  constructor(url: string, version: string, before: KeptDocument | undefined) {
    this.url = url;
    this.version = version;
    // Not the document itself, which would hold on to the one before it, and so on.
    this.#datesBefore = before?.dates;
  }

  /** Learns when this state came to be; tells whether its date, in whole seconds, is its own. Epoch milliseconds. */
  date(lastModifiedMs: number): boolean {
    this.dates.lastModifiedMs ??= lastModifiedMs;
    this.dates.isOwn ??= this.#isOwnDate(lastModifiedMs);
    return this.dates.isOwn;
  }

  #isOwnDate(lastModifiedMs: number): boolean {
    if (!this.#datesBefore) return true;
    const before = this.#datesBefore.lastModifiedMs;
    // One that was not made in time may have any date.
    return before !== undefined && Math.floor(before / 1000) !== Math.floor(lastModifiedMs / 1000);
  }
}

interface Dates {
  lastModifiedMs?: number;
  isOwn?: boolean;
}
