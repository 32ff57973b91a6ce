import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';

/** How long fields are gathered until they are told together, after some were told, milliseconds. */
export const TELL_UNMAPPED_MS = 120_000;

/** How many fields a source tells; those beyond are counted. */
export const LIMIT_UNMAPPED_TOLD = 1000;

/** How often documents are looked at: to look costs about as much as to map. */
export interface LookPace {
  /** How many, in each span of time. */
  readonly looks: number;
  /** The span, milliseconds. */
  readonly everyMs: number;
}

/** Remembers the fields of a source that no mapping names, so that each is told once. */
export interface UnmappedWatch {
  /** Whether a document is to be looked at; counts it if so. */
  mayLook(nowMs: number): boolean;
  /** Takes the fields of a document. @returns how many of them are new */
  note(paths: readonly string[]): number;
  /** What is to be told now: `ERR_MAPPING_UNMAPPED` with the fields that have not been. */
  tell(nowMs: number): StreamError | undefined;
}

/**
 * Makes the watch of a source. Pure but for what it remembers, which is bounded.
 *
 * @see specs/sources.md SRC-27
 */
export function createUnmappedWatch({ looks, everyMs }: LookPace): UnmappedWatch {
  const known = new Set<string>();
  let untold: string[] = [];
  let span = { sinceMs: Number.NEGATIVE_INFINITY, looks: 0 };
  let toldMs = Number.NEGATIVE_INFINITY;
  return {
    mayLook(nowMs) {
      if (hasPassed(span.sinceMs, everyMs, nowMs)) span = { sinceMs: nowMs, looks: 0 };
      span.looks += 1;
      return span.looks <= looks;
    },
    note(paths) {
      const room = LIMIT_UNMAPPED_TOLD - known.size;
      const found = paths.filter((path) => !known.has(path)).slice(0, room);
      for (const path of found) known.add(path);
      untold.push(...found);
      return found.length;
    },
    tell(nowMs) {
      if (untold.length === 0 || !hasPassed(toldMs, TELL_UNMAPPED_MS, nowMs)) return undefined;
      const paths = untold;
      untold = [];
      toldMs = nowMs;
      return errors.ERR_MAPPING_UNMAPPED({ paths });
    },
  };
}

// A clock that was set back must not silence a source.
function hasPassed(sinceMs: number, spanMs: number, nowMs: number): boolean {
  return nowMs < sinceMs || nowMs - sinceMs >= spanMs;
}
