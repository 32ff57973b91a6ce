// What a log knows in memory. take(entry) is pure and deterministic: all processes over the same entries have the same state.
//   { "kind": "term", "epoch": "m3x1k9f2ab", "publicUrl": "http://h/", "term": 1, "writer": "node-a" }
//   { "kind": "commit", "time": "2026-11-22T10:00:00.000Z", "first": 41, "members": [
//       { "id": "http://h/S/entities/1#...", "entity": "http://h/S/entities/1", "kind": "upsert", "origin": "feed",
//         "fingerprint": "a1", "versionTime": "...", "nquads": "<...> <...> <...> .\n" } ] }
//   { "kind": "unlink", "first": 1, "last": 250 }   { "kind": "erase", "first": 1, "last": 250, "erasedMs": 1795600800000 }
import {
  type Draft,
  type Extent,
  isNewestState,
  type LatestEntry,
  type LatestView,
  type LogHead,
  type Member,
} from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import type { RangesChange, Removals } from './removals.ts';

/** One step in the life of a log. What it has and knows follows from its entries, in their order. */
export type LogEntry =
  // A process writes from now on, the `term`th that does; the first one begins the log. Members name the base URL, and the
  // path of their sequence numbers.
  | TermEntry
  | CommitEntry
  // Nothing leads to whole pages any more.
  | (Extent & { readonly kind: 'unlink' })
  // They lose their members, but for the newest versions of living entities.
  | (Extent & { readonly kind: 'erase'; readonly erasedMs: number });

export interface TermEntry {
  readonly kind: 'term';
  readonly epoch: string;
  readonly publicUrl: string;
  readonly sequencePath: string;
  readonly term: number;
  /** The name of that process; absent where there is one only. */
  readonly writer?: string;
}

export interface CommitEntry {
  readonly kind: 'commit';
  readonly time: string;
  /** Sequence number of the first member. */
  readonly first: number;
  readonly members: readonly EntryMember[];
}

/** A member as it is published: its sequence number and time follow from its entry. */
export interface EntryMember extends Pick<Member, 'id' | 'entity' | 'kind' | 'versionTime' | 'isOlder'> {
  readonly origin: string;
  /** As its draft had it; a delete has none. */
  readonly fingerprint?: string | undefined;
  /** The quads as N-Quads, in their order and with their blank node labels. */
  readonly nquads: string;
}

export interface StateChange {
  readonly head: LogHead;
  readonly term: number;
  /** Newest versions that no longer are; and those that are from now on, or of which something else is remembered. */
  readonly latest: { readonly removed: readonly LatestEntry[]; readonly added: readonly LatestEntry[] };
  readonly ranges: RangesChange;
  /** Sequence numbers of stored members that nobody may read any more: they are taken out with the entry. */
  readonly freed: readonly number[];
  /** How many entities live then. */
  readonly entities: number;
}

/** The head of a log that has no entry yet, and so no epoch. */
export const NO_HEAD: LogHead = { cursor: { epoch: '', sequence: 0 }, timeMs: 0 };

export class LogState {
  readonly latest: LatestIndex;
  readonly removals: Removals;
  #head: LogHead;
  #term: number;

  /** @param latest - as of the head, by sequence, each of another entity */
  constructor(head: LogHead, latest: Iterable<LatestEntry>, removals: Removals, term = 0) {
    this.#head = head;
    this.#term = term;
    this.latest = new LatestIndex(latest);
    this.removals = removals;
  }

  get head(): LogHead {
    return this.#head;
  }

  /** How many processes have written it, one after the other. */
  get term(): number {
    return this.#term;
  }

  isReadable(sequence: number): boolean {
    return !this.removals.isErased(sequence) || this.latest.isNewest(sequence);
  }

  /** Sequence numbers of all members that can be read, ascending. */
  readable(): number[] {
    const sequences: number[] = [];
    for (let sequence = 1; sequence <= this.#head.cursor.sequence; sequence += 1) {
      if (sequence >= this.removals.heldFrom || this.isReadable(sequence)) sequences.push(sequence);
    }
    return sequences;
  }

  /** @see specs/documents.md DOC-76 */
  isOlder(member: Pick<Member, 'entity' | 'kind' | 'versionTime'>): boolean {
    return !isNewestState(member, this.latest.get(member.entity));
  }

  /** @throws `ERR_ENTITY_UNKNOWN`: the writer is about to delete, without an `id`, an entity that does not live */
  check(drafts: readonly Draft[], stream: string): void {
    for (const { kind, id, entity } of drafts) {
      const isUnknown = kind === 'delete' && id === undefined && this.latest.get(entity) === undefined;
      if (isUnknown) throw errors.ERR_ENTITY_UNKNOWN({ stream, entity });
    }
  }

  /** What the next entry changes. The state stays as it is until {@link LogState.become}. */
  take(entry: LogEntry): StateChange {
    const { ranges } = this.removals;
    const same = {
      ...{ head: this.#head, term: this.#term, latest: NOTHING, ranges: { all: ranges, ...NOTHING }, freed: [] },
      entities: this.latest.size,
    };
    switch (entry.kind) {
      case 'term': {
        const { epoch, term } = entry;
        return { ...same, term, head: { ...this.#head, cursor: { ...this.#head.cursor, epoch } } };
      }
      case 'commit':
        return { ...same, ...this.#commitChange(entry) };
      case 'unlink':
        return { ...same, ranges: this.removals.with({ first: entry.first, last: entry.last }) };
      case 'erase': {
        const { kind: _, ...range } = entry;
        const freed = sequencesOf(entry).filter((sequence) => !this.latest.isNewest(sequence));
        return { ...same, ranges: this.removals.with(range), freed };
      }
    }
  }

  become({ head, term, latest, ranges }: StateChange): void {
    this.#head = head;
    this.#term = term;
    this.latest.apply(latest);
    if (ranges.all !== this.removals.ranges) this.removals.ranges = ranges.all;
  }

  #commitChange({ time, first, members }: CommitEntry): Omit<StateChange, 'ranges' | 'term'> {
    const removed: LatestEntry[] = [];
    const added: LatestEntry[] = [];
    let entities = this.latest.size;
    for (const [index, member] of members.entries()) {
      const { entity, kind, origin, fingerprint = '', versionTime, isOlder } = member;
      const old = this.latest.get(entity);
      if (old && isOlder) {
        added.push({ ...old, lastFingerprint: fingerprint });
        continue;
      }
      if (old) removed.push(old);
      if (old) entities -= 1;
      if (kind === 'delete') continue;
      entities += 1;
      const entry = { entity, origin, sequence: first + index, fingerprint };
      added.push(versionTime === undefined ? entry : { ...entry, versionTime });
    }
    const cursor = { epoch: this.#head.cursor.epoch, sequence: first + members.length - 1 };
    const freed = removed.map(({ sequence }) => sequence).filter((sequence) => this.removals.isErased(sequence));
    return { head: { cursor, timeMs: Date.parse(time) }, latest: { removed, added }, freed, entities };
  }
}

const NOTHING = { removed: [], added: [] };

export class LatestIndex implements Omit<LatestView, 'hasVersions'> {
  // Maps keep the order of insertion, also of a key that is set again, and newer versions come last: the values are in
  // sequence.
  readonly #entries = new Map<string, LatestEntry>();
  readonly #origins = new Map<string, Map<string, LatestEntry>>();
  readonly #sequences = new Set<number>();

  constructor(entries: Iterable<LatestEntry>) {
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

  entries(): Iterable<LatestEntry> {
    return this.#entries.values();
  }

  sequences(): number[] {
    return Array.from(this.#entries.values(), (entry) => entry.sequence);
  }

  isNewest(sequence: number): boolean {
    return this.#sequences.has(sequence);
  }

  apply({ removed, added }: StateChange['latest']): void {
    for (const entry of removed) this.#remove(entry);
    for (const entry of added) this.#add(entry);
  }

  #add(entry: LatestEntry): void {
    this.#entries.set(entry.entity, entry);
    this.#sequences.add(entry.sequence);
    const sameOrigin = this.#origins.get(entry.origin) ?? new Map<string, LatestEntry>();
    this.#origins.set(entry.origin, sameOrigin.set(entry.entity, entry));
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

// The time as well as randomness, so that even a poor source of random numbers gives a rebuilt log another one.
export function newEpoch(nowMs: number, random: () => number): string {
  const drawn = Math.floor(random() * 36 ** 8).toString(36);
  return `${Math.floor(nowMs).toString(36)}${drawn.padStart(8, '0')}`;
}

export function sequencesOf({ first, last }: Extent): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
