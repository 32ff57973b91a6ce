import type { Quad } from '@rdfjs/types';
import { quadKey } from './term-key.ts';

/** More changed quads than these are not told apart any more. */
const LIMIT_CHANGES = 100_000;

/** The quads that an answer does not take into account yet: those that came and went, unless they did both. */
export interface PendingChanges {
  /** Whether the answer takes everything into account. */
  readonly isEmpty: boolean;
  /** Quads that are there and were not, or the other way round; `undefined` where that is not known, so that it can be any. */
  readonly quads: readonly Quad[] | undefined;
  add(quad: Quad): void;
  remove(quad: Quad): void;
  /** Forgets all, since the answer was found. */
  clear(): void;
}

/**
 * Keeps what changed since the last answer; before the first, anything may have.
 *
 * @param limitChanges - how many quads are told apart
 */
export function pendingChanges(limitChanges: number = LIMIT_CHANGES): PendingChanges {
  const changes = new Map<string, { readonly quad: Quad; readonly isAdded: boolean }>();
  let isAny = true;
  const note = (quad: Quad, isAdded: boolean) => {
    if (isAny) return;
    const key = quadKey(quad);
    const other = changes.get(key);
    if (other !== undefined && other.isAdded !== isAdded) changes.delete(key);
    else changes.set(key, { quad, isAdded });
    if (changes.size <= limitChanges) return;
    isAny = true;
    changes.clear();
  };
  return {
    get isEmpty() {
      return !isAny && changes.size === 0;
    },
    get quads() {
      return isAny ? undefined : [...changes.values()].map(({ quad }) => quad);
    },
    add: (quad) => note(quad, true),
    remove: (quad) => note(quad, false),
    clear: () => {
      isAny = false;
      changes.clear();
    },
  };
}
