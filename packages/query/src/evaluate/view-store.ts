import type { Quad } from '@rdfjs/types';
import type { EngineStore } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { View, ViewChange } from '../view.ts';
import type { PendingChanges } from './pending-changes.ts';

/** Keeps an engine's store at what is in view. */
export interface ViewStore {
  /**
   * Takes over a change of the view, whole.
   *
   * @returns whether a quad came or went that can matter
   * @throws {@link StreamError} `ERR_VIEW_TOO_LARGE` - more is in view than may be; the store stays behind until it is less
   */
  take(change: ViewChange): boolean;
  /** Throws as `take` does while the store is behind. */
  assertComplete(): void;
}

/** What belongs to a {@link ViewStore}. */
export interface ViewStoreOptions {
  readonly view: View;
  readonly store: EngineStore;
  readonly pending: PendingChanges;
  readonly limitQuads: number;
  matters(quad: Quad): boolean;
}

/** Brings what is in view into an engine's store, and notes what of it can matter. */
export function viewStore({ view, store, pending, limitQuads, matters }: ViewStoreOptions): ViewStore {
  let behind: ViewChange[] = [];
  const assertComplete = () => {
    const quads = view.size + (view.waiting ?? 0);
    if (quads > limitQuads) throw errors.ERR_VIEW_TOO_LARGE({ quads, limitQuads });
  };
  const bring = ({ added, removed }: ViewChange): boolean => {
    let isMattering = false;
    for (const quad of removed) {
      store.delete(quad);
      if (!matters(quad)) continue;
      isMattering = true;
      pending.remove(quad);
    }
    for (const quad of added) {
      store.add(quad);
      if (!matters(quad)) continue;
      isMattering = true;
      pending.add(quad);
    }
    return isMattering;
  };
  return {
    take: (change) => {
      behind.push(change);
      assertComplete();
      const changes = behind;
      behind = [];
      return changes.map(bring).includes(true);
    },
    assertComplete,
  };
}
