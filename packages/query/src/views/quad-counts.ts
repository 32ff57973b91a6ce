import type { Quad } from '@rdfjs/types';
import type { ViewChange } from '../view.ts';
import { quadKey } from './quad-key.ts';

/** A quad that is stated more than once. */
interface Shared {
  readonly quad: Quad;
  count: number;
}

/** Quads and how often each is stated: one stays for as long as any statement of it does. */
export class QuadCounts {
  // A quad stated once, as nearly all are, costs no object of its own.
  private readonly held = new Map<string, Quad | Shared>();
  private added = new Map<string, Quad>();
  private removed = new Map<string, Quad>();

  /** How many different quads there are. */
  get size(): number {
    return this.held.size;
  }

  /** States each quad once more. */
  add(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      const held = this.held.get(key);
      if (held === undefined) this.bring(key, quad);
      else if (isShared(held)) held.count += 1;
      else this.held.set(key, { quad: held, count: 2 });
    }
  }

  /** States each quad unless it is stated. Such a one is never to be removed. */
  keep(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      if (!this.held.has(key)) this.bring(key, quad);
    }
  }

  /** Takes back one statement of each quad. */
  remove(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      const held = this.held.get(key);
      if (held === undefined) continue;
      if (!isShared(held)) this.drop(key, held);
      else if (held.count > 2) held.count -= 1;
      else this.held.set(key, held.quad);
    }
  }

  /**
   * What all that was done since this was last called came to: a quad that was removed and added again is not in it.
   *
   * @param late - as {@link ViewChange} tells it
   */
  take(late = 0): ViewChange {
    const change = { added: [...this.added.values()], removed: [...this.removed.values()], late };
    // New ones, since a map that was once large stays so.
    if (this.added.size > 0) this.added = new Map();
    if (this.removed.size > 0) this.removed = new Map();
    return change;
  }

  private bring(key: string, quad: Quad): void {
    const before = this.removed.get(key);
    // The object that was told of before is held on to, so that who removes it later gets what he added.
    this.held.set(key, before ?? quad);
    if (before) this.removed.delete(key);
    else this.added.set(key, quad);
  }

  private drop(key: string, quad: Quad): void {
    this.held.delete(key);
    if (!this.added.delete(key)) this.removed.set(key, quad);
  }
}

function isShared(held: Quad | Shared): held is Shared {
  return 'count' in held;
}
