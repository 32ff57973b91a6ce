/*
 * What becomes of the members of pages: each is handed out once, in the order of the pages or in its turn, or only the
 * newest version of each entity.
 *
 * A page -> its members that are unknown by hash -> readings { member, details, place, rank } -> at once, or a queue by
 * place, or versions by entity -> Members, numbered as they are handed out.
 */
import type { Member } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { TreeContext } from './entry.ts';
import { Heap } from './heap.ts';
import { type Dimension, type OrderSpan, orderSpan } from './order.ts';
import {
  listedMembers,
  type MemberDetails,
  memberDetails,
  ownQuads,
  type PageIndex,
  type PageMember,
  readMember,
  valueAt,
} from './page.ts';
import type { Page, TreePages } from './pages.ts';
import type { TreeMeans, TreeRequest } from './reading.ts';
import {
  formatHashes,
  hashText,
  NumberSet,
  parseHashes,
  restoredMemory,
  savedMemory,
  type TreeState,
} from './saved-state.ts';

/** What becomes of the members of pages: each is handed out once, at once or when it is its turn, or left out. */
export class MemberIntake {
  readonly #means: Pick<TreeMeans, 'clock' | 'limits'>;
  readonly #request: TreeRequest;
  readonly #context: TreeContext;
  readonly #pages: TreePages;
  readonly #memory: MemberMemory;
  readonly #queue = new Heap<Reading>(comesBefore);
  readonly #handedLatest: Set<number>;
  // What the first run finds is gathered to its newest versions, or left out.
  #newest: NewestVersions | undefined;
  #isLeavingOut: boolean;
  #sequence: number;
  #order = 0;
  // Below which new pages have nothing new, for a reader who goes on from the end of the last run.
  #knownBelow: number;
  readonly #restoredBelow: number;
  #newestMs = Number.NEGATIVE_INFINITY;

  /**
   * @param first - what becomes of the members of the first run
   * @param known - members of pages that were read before
   */
  constructor(
    means: Pick<TreeMeans, 'clock' | 'limits'>,
    {
      request,
      context,
      pages,
    }: { readonly request: TreeRequest; readonly context: TreeContext; readonly pages: TreePages },
    { first, known }: { readonly first: 'newest' | 'left out' | 'handed out'; readonly known: Iterable<number> },
  ) {
    const { state } = request;
    this.#means = means;
    this.#request = request;
    this.#context = context;
    this.#pages = pages;
    this.#sequence = state?.sequence ?? 0;
    this.#restoredBelow = state?.knownBelow ?? Number.NEGATIVE_INFINITY;
    this.#knownBelow = this.#restoredBelow;
    this.#handedLatest = new Set(parseHashes(state?.latest ?? ''));
    this.#newest = first === 'newest' ? new NewestVersions() : undefined;
    this.#isLeavingOut = first === 'left out';
    this.#memory = new MemberMemory(
      means.limits.rememberedMembers,
      this.#newest || !state ? undefined : restoredMemory(state),
    );
    for (const hash of known) this.#memory.see(hash);
  }

  /** The greatest time of a member that was taken in, epoch milliseconds. */
  get newestMs(): number {
    return this.#newestMs;
  }

  /** Where the member that waits longest stands in the order; `undefined` when none waits. */
  get firstPlace(): number | undefined {
    return this.#queue.first?.place;
  }

  /** Takes in the members of a page: hands them out, or keeps them for their turn. Returns whether any was unknown, be it asked for or not. */
  *take(page: Page, index: PageIndex): Generator<Member, boolean> {
    const { dimension } = this.#request;
    const limitQuads = this.#means.limits.memberQuads;
    const before = new Set(page.contents);
    const isNewPage = page.contents === undefined;
    // Nothing is taken for known by its place alone that would be known by name.
    const knownBelow = this.#memory.hasForgotten ? this.#knownBelow : this.#restoredBelow;
    const contents: number[] = [];
    let isNew = false;
    for (const term of listedMembers(index, this.#context.stream)) {
      const hash = hashText(term.value);
      contents.push(hash);
      if (before.has(hash) || this.#memory.has(hash)) continue;
      isNew = true;
      this.#order += 1;
      const reading = readReading(term, index, this.#context, {
        page,
        hash,
        order: this.#order,
        limitQuads,
        dimension,
      });
      // What history was put on other pages is known, though not by name any more.
      if (dimension && isNewPage && reading.place < knownBelow) continue;
      if (!isAsked(this.#request, reading.member.time)) continue;
      yield* this.#admit(reading);
    }
    page.contents = contents;
    return isNew;
  }

  *#admit(reading: Reading): Generator<Member> {
    const { hash, place, page, member } = reading;
    this.#memory.see(hash);
    this.#newestMs = Math.max(this.#newestMs, member.time?.start ?? Number.NEGATIVE_INFINITY);
    if (this.#newest) {
      this.#memory.place(hash, place);
      this.#newest.add(reading);
    } else if (this.#isLeavingOut) this.#memory.place(hash, place);
    else if (!this.#request.isAscending) {
      page.taken.push(hash);
      yield this.#made(reading);
    } else {
      const limitMembers = this.#means.limits.waitingMembers;
      if (Number.isNaN(place)) throw errors.ERR_TREE_MEMBER_UNORDERED({ member: member.id, url: page.url });
      if (this.#queue.size >= limitMembers) throw errors.ERR_TREE_WAITING_TOO_MANY({ limitMembers });
      page.waiting += 1;
      this.#queue.push(reading);
    }
  }

  /** Hands out what waits with a place below a limit. */
  *inOrder(limit: number): Generator<Member> {
    for (let next = this.#queue.first; next; next = this.#queue.first) {
      if (!(next.place < limit || limit === Number.POSITIVE_INFINITY)) return;
      this.#queue.pop();
      next.page.waiting -= 1;
      next.page.taken.push(next.hash);
      this.#pages.settle(next.page);
      yield this.#made(next);
    }
  }

  /** Hands out the newest versions that were gathered, but for those that were handed out before. */
  *newest(): Generator<Member> {
    for (const reading of this.#newest?.drain() ?? []) {
      if (this.#handedLatest.has(reading.hash)) continue;
      this.#handedLatest.add(reading.hash);
      yield this.#made(reading);
    }
  }

  #made(reading: Reading): Member {
    const { hash, place } = reading;
    this.#sequence += 1;
    if (!this.#newest) this.#memory.place(hash, place);
    return memberOf(reading, this.#sequence, this.#means.clock());
  }

  /** Takes note of the end of a run. */
  endRun(): void {
    this.#newest = undefined;
    this.#isLeavingOut = false;
    this.#knownBelow = Math.max(this.#knownBelow, this.#memory.floor);
  }

  /** What a saved state holds of the members. */
  state(): Pick<TreeState, 'sequence' | 'recent' | 'places' | 'isPart' | 'latest' | 'knownBelow'> {
    const sequence = this.#sequence;
    if (this.#newest) {
      return { sequence, recent: '', places: [], isPart: false, latest: formatHashes(this.#handedLatest) };
    }
    return {
      sequence,
      ...savedMemory(this.#memory),
      ...(Number.isFinite(this.#knownBelow) ? { knownBelow: this.#knownBelow } : {}),
    };
  }

  /** Members that have been read and not handed out, by hash. */
  waiting(): Set<number> {
    return new Set([...this.#queue].map(({ hash }) => hash));
  }
}

/** A member that was read and not handed out yet. */
export interface Reading {
  readonly member: PageMember;
  readonly details: MemberDetails;
  /** Of its IRI. */
  readonly hash: number;
  /** Its place in the order; `NaN` when it has none. */
  readonly place: number;
  readonly page: Page;
  /** Whether it is the last of its transaction. */
  readonly isFinalizer: boolean;
  /** The source's time (whole) and number of the version, then time and sequence of its publication, as far as it has them. */
  readonly rank: readonly (number | undefined)[];
  /** How many members had been read before it. */
  readonly order: number;
}

/**
 * Reads a member in full.
 *
 * @param at.dimension - by what members are ordered; by the reading itself where there is nothing else
 */
export function readReading(
  term: Term,
  index: PageIndex,
  context: TreeContext,
  at: {
    readonly page: Page;
    readonly hash: number;
    readonly order: number;
    readonly limitQuads: number;
    readonly dimension: Dimension | undefined;
  },
): Reading {
  const { page, hash, order, limitQuads, dimension } = at;
  const member = readMember(term, index, context, limitQuads);
  const number = (path: Parameters<typeof valueAt>[0]) => orderSpan(valueAt(path, term, member.quads, index))?.start;
  const sequence = number(context.sequencePath);
  const versionTime = number(context.versionTimestampPath);
  const finalized = valueAt(context.transactionFinalizedPath, term, member.quads, index);
  return {
    member,
    details: memberDetails(term, member.quads, index, context),
    hash,
    place: (dimension === undefined ? order : dimension === 'time' ? member.time?.start : sequence) ?? Number.NaN,
    page,
    isFinalizer: finalized !== undefined && finalized.value === context.transactionFinalizedObject,
    rank: [versionTime && Math.floor(versionTime), number(context.versionSequencePath), member.time?.start, sequence],
    order,
  };
}

/**
 * A member as it is handed out.
 *
 * @param sequence - how many were handed out, itself included
 * @param nowMs - its time where it has none, epoch milliseconds
 */
export function memberOf({ member, details }: Reading, sequence: number, nowMs: number): Member {
  return {
    id: member.id,
    ...details,
    sequence,
    time: new Date(member.time?.start ?? nowMs).toISOString(),
    quads: ownQuads(member, sequence),
  };
}

/** Whether a member comes before another where both are handed out in order. */
export function comesBefore(left: Reading, right: Reading): boolean {
  if (left.place !== right.place) return left.place < right.place;
  if (left.isFinalizer !== right.isFinalizer) return right.isFinalizer;
  const difference = (left.rank[SEQUENCE] ?? 0) - (right.rank[SEQUENCE] ?? 0);
  return difference < 0 || (difference === 0 && left.order < right.order);
}

/** How many of the newest members are remembered by name and place, in memory and in a saved state. */
export const RECENT_MEMBERS = 2048;

interface Recent {
  readonly hash: number;
  readonly value: number;
}

/** What a saved state holds of a {@link MemberMemory}. */
export interface SavedMemory {
  /** By value. */
  readonly recent: readonly Recent[];
  /** Whether there were more. */
  readonly isPart: boolean;
}

/**
 * Which members have been read: the hashes of as many as the limit allows, and of those that are newest by their
 * place in the order, so that all of these with a value above the floor are known whatever else is forgotten.
 */
export class MemberMemory {
  readonly #seen: NumberSet;
  readonly #recent = new Heap<Recent>((left, right) => left.value < right.value);
  #isPart = false;

  /** @param limit - the most hashes, besides the newest */
  constructor(limit: number, saved?: SavedMemory) {
    this.#seen = new NumberSet(limit);
    for (const each of saved?.recent ?? []) {
      this.#recent.push(each);
      this.#seen.add(each.hash);
    }
    this.#isPart = saved?.isPart ?? false;
  }

  has(hash: number): boolean {
    return this.#seen.has(hash);
  }

  /** Whether a member that was read in this life may be unknown by now. */
  get hasForgotten(): boolean {
    return this.#seen.hasForgotten;
  }

  /** Remembers a member that is about to be handed out, or has been. */
  see(hash: number): void {
    this.#seen.add(hash);
  }

  /** Remembers the place of a member that has been handed out, if it has one. */
  place(hash: number, value: number): void {
    if (!Number.isFinite(value)) return;
    const isFull = this.#recent.size >= RECENT_MEMBERS;
    this.#isPart ||= isFull;
    // Cheap for history that is read from its end to its beginning.
    if (isFull && value < (this.#recent.first?.value as number)) return;
    this.#recent.push({ hash, value });
    if (isFull) this.#recent.pop();
  }

  /** Every member with a greater value that was handed out is among the recent ones. */
  get floor(): number {
    return (this.#isPart ? this.#recent.first?.value : undefined) ?? Number.NEGATIVE_INFINITY;
  }

  saved(): SavedMemory {
    const recent = [...this.#recent].sort((left, right) => left.value - right.value);
    return { recent, isPart: this.#isPart };
  }
}

/**
 * How many versions of an entity are kept that a delete which is read later could make the newest. More come only where a
 * stream publishes ever earlier versions.
 */
const CANDIDATES = 8;

/**
 * The newest version of each entity among members that were read in any order.
 *
 * @see specs/any-ldes.md READ-23
 */
export class NewestVersions {
  // Of each entity, by publication: the last version that replaces whatever came before it, and those after it that none
  // replaces which was published later.
  readonly #versions = new Map<string, readonly Reading[]>();

  get size(): number {
    return this.#versions.size;
  }

  /** Takes a member in. */
  add(reading: Reading): void {
    const { entity } = reading.details;
    const versions = [...(this.#versions.get(entity) ?? []), reading].sort(byPublication);
    const kept = versions.slice(Math.max(0, versions.findLastIndex(isBeginning)));
    const isReplaced = (version: Reading, index: number) =>
      !isBeginning(version) && kept.some((later, place) => place > index && !isEarlier(later, version));
    this.#versions.set(entity, kept.filter((version, index) => !isReplaced(version, index)).slice(0, CANDIDATES));
  }

  /** Takes out the newest versions of the living entities one by one, the oldest first. */
  *drain(): Generator<Reading> {
    for (const reading of Array.from(this.#versions.values(), newestOf).sort(byPublication)) {
      this.#versions.delete(reading.details.entity);
      if (reading.details.kind === 'upsert') yield reading;
    }
  }
}

const [VERSION_TIME, VERSION_NUMBER, PUBLISHED, SEQUENCE] = [0, 1, 2, 3];

function newestOf([first, second]: readonly Reading[]): Reading {
  return second && isBeginning(first as Reading) ? second : (first as Reading);
}

/** Whether a version replaces all that were published before it, and each that comes after replaces it. */
function isBeginning({ rank, details }: Reading): boolean {
  // Where nothing tells when it was published, an end is as of its own time.
  if (details.kind === 'delete' && (rank[PUBLISHED] ?? rank[SEQUENCE]) !== undefined) return true;
  return (rank[VERSION_TIME] ?? rank[VERSION_NUMBER]) === undefined;
}

/** Whether a version is of an earlier time than one that was published before it. */
function isEarlier(version: Reading, before: Reading): boolean {
  return (difference(version, before, VERSION_TIME) || difference(version, before, VERSION_NUMBER)) < 0;
}

// By reading where nothing else tells.
function byPublication(left: Reading, right: Reading): number {
  return difference(left, right, PUBLISHED) || difference(left, right, SEQUENCE) || left.order - right.order;
}

/** 0 where one of them lacks it. */
function difference({ rank: left }: Reading, { rank: right }: Reading, index: number): number {
  return (left[index] ?? Number.NaN) - (right[index] ?? Number.NaN) || 0;
}

/** Whether a member of a time is asked for. */
function isAsked({ afterMs, beforeMs }: TreeRequest, time: OrderSpan | undefined): boolean {
  if (time === undefined) return afterMs === Number.NEGATIVE_INFINITY && beforeMs === Number.POSITIVE_INFINITY;
  return time.start >= afterMs && time.start < beforeMs;
}
