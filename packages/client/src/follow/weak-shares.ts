import type { StreamShare } from './stream-share.ts';

/** What the followers of each URL share, for as long as one of them lives. */
export class WeakShares {
  readonly #byUrl = new Map<string, WeakRef<StreamShare>>();
  readonly #make: (url: string) => StreamShare;
  // A program that follows many streams one after the other must not keep what it knew of all of them.
  readonly #forgotten = new FinalizationRegistry<string>((url) => {
    if (this.#byUrl.get(url)?.deref() === undefined) this.#byUrl.delete(url);
  });

  constructor(make: (url: string) => StreamShare) {
    this.#make = make;
  }

  /** What those who follow a URL share. */
  of(url: string): StreamShare {
    const known = this.#byUrl.get(url)?.deref();
    if (known) return known;
    const share = this.#make(url);
    this.#byUrl.set(url, new WeakRef(share));
    this.#forgotten.register(share, url);
    return share;
  }
}
