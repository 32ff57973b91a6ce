import {
  type Commit,
  type Draft,
  type LatestEntry,
  type LatestView,
  type LogHead,
  type Member,
  versionIri,
} from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';

/** The latest state in memory: the newest version of each living entity, found by entity and by origin. */
export class LatestIndex implements Omit<LatestView, 'hasVersions'> {
  // Maps keep the order of insertion, and newer versions come last: the values are in sequence.
  readonly #entries = new Map<string, LatestEntry>();
  readonly #origins = new Map<string, Map<string, LatestEntry>>();
  readonly #sequences = new Set<number>();

  /** @param entries - by sequence, each of another entity */
  constructor(entries: Iterable<LatestEntry> = []) {
    for (const entry of entries) this.#add(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(entity: string): LatestEntry | undefined {
    return this.#entries.get(entity);
  }

  ofOrigin(origin: string): Iterable<LatestEntry> {
    return this.#origins.get(origin)?.values() ?? [];
  }

  /** Sequence numbers of the newest versions, ascending. */
  sequences(): number[] {
    return Array.from(this.#entries.values(), (entry) => entry.sequence);
  }

  /** Whether a member is the newest version of a living entity. */
  isNewest(sequence: number): boolean {
    return this.#sequences.has(sequence);
  }

  /** Takes over what a stored commit changes. */
  apply(change: LatestChange): void {
    for (const entry of change.ended) this.#remove(entry);
    for (const entry of change.begun) this.#add(entry);
  }

  #add(entry: LatestEntry): void {
    this.#entries.set(entry.entity, entry);
    this.#sequences.add(entry.sequence);
    let sameOrigin = this.#origins.get(entry.origin);
    if (!sameOrigin) {
      sameOrigin = new Map();
      this.#origins.set(entry.origin, sameOrigin);
    }
    sameOrigin.set(entry.entity, entry);
  }

  #remove(entry: LatestEntry): void {
    this.#entries.delete(entry.entity);
    this.#sequences.delete(entry.sequence);
    const sameOrigin = this.#origins.get(entry.origin);
    sameOrigin?.delete(entry.entity);
    // Origins may come and go, as for data that is posted: an empty one is not kept.
    if (sameOrigin?.size === 0) this.#origins.delete(entry.origin);
  }
}

/** What a commit changes of the latest state. */
export interface LatestChange {
  /** Entries that hold no longer: replaced by a newer version, or of an entity that ended. */
  readonly ended: readonly LatestEntry[];
  /** Entries that hold from now on, by sequence. */
  readonly begun: readonly LatestEntry[];
}

/**
 * What a commit changes of the latest state. Pure: the view stays as it is.
 *
 * @param commit - made of `drafts`, in their order
 * @throws {@link StreamError} `ERR_ENTITY_UNKNOWN` - a draft without an `id` deletes an entity that does not live
 */
export function latestChange(
  latest: Pick<LatestView, 'get'>,
  commit: Commit,
  drafts: readonly Draft[],
  stream: string,
): LatestChange {
  const ended: LatestEntry[] = [];
  const begun: LatestEntry[] = [];
  for (const [index, draft] of drafts.entries()) {
    const { entity, origin } = draft;
    const old = latest.get(entity);
    if (old) ended.push(old);
    else if (draft.kind === 'delete' && draft.id === undefined) throw errors.ERR_ENTITY_UNKNOWN({ stream, entity });
    if (draft.kind === 'upsert') {
      const entry = { entity, origin, sequence: commit.members[index]!.sequence, fingerprint: draft.fingerprint };
      begun.push(draft.versionTime === undefined ? entry : { ...entry, versionTime: draft.versionTime });
    }
  }
  return { ended, begun };
}

/**
 * What others see of the latest state of a log.
 *
 * @param hasVersions - asks the store, since IRIs of versions are not kept in memory
 */
export function latestView(index: LatestIndex, hasVersions: LatestView['hasVersions']): LatestView {
  return {
    get size() {
      return index.size;
    },
    get: (entity) => index.get(entity),
    ofOrigin: (origin) => index.ofOrigin(origin),
    sequences: () => index.sequences(),
    hasVersions,
  };
}

const RANDOM_LENGTH = 8;

/**
 * The head of a log that begins its life now: no members, under an epoch that no other log has.
 *
 * The epoch holds the time as well as randomness, so that even a poor source of random numbers gives a rebuilt log
 * another one.
 */
export function newHead(nowMs: number, random: () => number): LogHead {
  const drawn = Math.floor(random() * 36 ** RANDOM_LENGTH).toString(36);
  const epoch = `${Math.floor(nowMs).toString(36)}${drawn.padStart(RANDOM_LENGTH, '0')}`;
  return { cursor: { epoch, sequence: 0 }, timeMs: 0 };
}

/** The IRI of a version that has one of its own; `undefined` where the log made it. */
export function ownVersion({ id, entity, time }: Pick<Member, 'id' | 'entity' | 'time'>): string | undefined {
  return id === versionIri(entity, time) ? undefined : id;
}
