/*
 * What becomes of the members of pages: each is handed out once, in the order of the pages or in its turn, or only the
 * newest version of each entity.
 *
 * A page -> its members that are unknown by hash -> readings { id, quads, place, page, ... } -> at once, or a queue by
 * place, or versions by entity -> Members, numbered as they are handed out.
 */
import { type Member, relabelBlankNodes } from '@ldes-live/rdf-stream';
import TinyQueue from 'tinyqueue';
import { weightOf } from '../change.ts';
import { errors } from '../errors.ts';
import type { TreeContext } from './entry.ts';
import { listedMembers, type PageIndex, type PageMember, readMember } from './page.ts';
import type { Page, TreePages } from './pages.ts';
import type { TreeMeans, TreeRequest } from './reading.ts';
import { formatHashes, hashText, NumberSet, parseHashes, type TreeState } from './saved-state.ts';

/** A member that was read and not handed out yet. */
export interface Reading {
  readonly member: PageMember;
  /** Of its IRI. */
  readonly hash: number;
  /** In the order of members; `NaN` when it has none. */
  readonly place: number;
  readonly page: Page;
  /** Pages that list it too: none of them is done with while it waits, since a saved state has no members that wait. */
  readonly alsoOn: Page[];
  /** How many members had been read before it. */
  readonly order: number;
}

/** What becomes of the members that the first run finds: only the newest versions are handed out, or none, or all. */
type FirstRun = 'newest' | 'ignored' | 'delivered';

export class MemberReader {
  /** The greatest time of a member that was taken in, epoch milliseconds. */
  newestMs = Number.NEGATIVE_INFINITY;
  readonly #means: TreeMeans;
  readonly #request: TreeRequest;
  readonly #context: TreeContext;
  readonly #pages: TreePages;
  readonly #memory: MemberMemory;
  readonly #queue = new TinyQueue<Reading>([], byPlace);
  readonly #waiting = new Map<number, Reading>();
  readonly #newest = new NewestVersions();
  #queueQuads = 0;
  // Of a first result of the newest versions that is not complete.
  readonly #handedLatest: Set<number>;
  // That of the first run, until it has ended.
  #fate: FirstRun;
  #sequence: number;
  #order = 0;
  // Below which new pages have nothing new, for a reader who goes on from the end of the last run.
  #knownBelow: number;
  readonly #restoredBelow: number;
  // From which place on a saved state has all names. In the first run it has those of all pages instead.
  #keptFrom: number;

  /** @param known - hashes of members of pages that were read before */
  constructor(
    means: TreeMeans,
    request: TreeRequest,
    context: TreeContext,
    pages: TreePages,
    first: FirstRun,
    known: Iterable<number>,
  ) {
    const { state } = request;
    this.#means = means;
    this.#request = request;
    this.#context = context;
    this.#pages = pages;
    this.#fate = first;
    this.#sequence = state?.sequence ?? 0;
    this.#restoredBelow = state?.knownBelow ?? Number.NEGATIVE_INFINITY;
    this.#knownBelow = this.#restoredBelow;
    this.#keptFrom = state?.runs ? this.#restoredBelow : Number.POSITIVE_INFINITY;
    this.#handedLatest = new Set(parseHashes(state?.latest ?? ''));
    this.#memory = new MemberMemory(means.limits.rememberedMembers, first === 'newest' ? undefined : state);
    for (const hash of known) this.#memory.add(hash);
  }

  /** Where the member that waits longest stands in the order; `undefined` when none waits. */
  get firstPlace(): number | undefined {
    return this.#queue.peek()?.place;
  }

  /** Whether members are gathered before any is handed out: all of a page, or more. */
  get gathers(): boolean {
    return this.#fate !== 'delivered' || this.#request.isAscending;
  }

  /**
   * Takes in the members of a page: gives those that are handed out at once, or `undefined` for each that is gathered.
   *
   * @returns whether any was unknown, be it asked for or not
   */
  *take(page: Page, index: PageIndex): Generator<Member | undefined, boolean> {
    const { dimension } = this.#request;
    const before = new Set(page.contents);
    const isNewPage = page.contents === undefined;
    // A place shows that a member is known only where its name may have been forgotten.
    const knownBelow = this.#memory.hasForgotten ? this.#knownBelow : this.#restoredBelow;
    const contents: number[] = [];
    let isNew = false;
    for (const term of listedMembers(index, this.#context.stream)) {
      const hash = hashText(term.value);
      contents.push(hash);
      if (before.has(hash) || this.#memory.has(hash)) {
        this.#waitAlsoOn(page, hash);
        continue;
      }
      isNew = true;
      this.#order += 1;
      const member = readMember(term, index, this.#context, this.#means.limits.memberQuads);
      const { timeMs, sequence } = member;
      const place = dimension === undefined ? this.#order : ((dimension === 'time' ? timeMs : sequence) ?? Number.NaN);
      // History that was moved to other pages is known, though not by name any more.
      if (dimension && isNewPage && place < knownBelow) continue;
      if (!isAsked(this.#request, timeMs)) continue;
      this.#memory.add(hash);
      this.newestMs = Math.max(this.newestMs, timeMs ?? Number.NEGATIVE_INFINITY);
      const reading = { member, hash, place, page, alsoOn: [], order: this.#order };
      if (this.#fate !== 'delivered') {
        this.#memory.place(hash, place);
        if (this.#fate === 'newest') {
          this.#newest.add(reading);
          this.#checkQuads(this.#newest.quads);
        }
      } else if (this.#request.isAscending) this.#wait(reading);
      yield this.gathers ? undefined : this.#handedOut(reading);
    }
    page.contents = contents;
    return isNew;
  }

  #wait(reading: Reading): void {
    const { place, page, member } = reading;
    const limitMembers = this.#means.limits.waitingMembers;
    if (Number.isNaN(place)) throw errors.ERR_TREE_MEMBER_UNORDERED({ member: member.id, url: page.url });
    if (this.#queue.length >= limitMembers) throw errors.ERR_TREE_WAITING_TOO_MANY({ limitMembers });
    this.#queueQuads += quadsOf(reading);
    this.#checkQuads(this.#queueQuads);
    page.waiting += 1;
    this.#queue.push(reading);
    this.#waiting.set(reading.hash, reading);
  }

  #waitAlsoOn(page: Page, hash: number): void {
    const reading = this.#waiting.get(hash);
    if (!reading || reading.page === page || reading.alsoOn.includes(page)) return;
    reading.alsoOn.push(page);
    page.waiting += 1;
  }

  #checkQuads(quads: number): void {
    const limitQuads = this.#means.limits.waitingQuads;
    if (quads > limitQuads) throw errors.ERR_TREE_WAITING_TOO_LARGE({ limitQuads });
  }

  /** Hands out what waits with a place below a limit. */
  *inOrder(limit: number): Generator<Member> {
    for (let next = this.#queue.peek(); next; next = this.#queue.peek()) {
      if (!(next.place < limit || limit === Number.POSITIVE_INFINITY)) return;
      this.#queue.pop();
      this.#queueQuads -= quadsOf(next);
      this.#waiting.delete(next.hash);
      const member = this.#handedOut(next);
      for (const page of [next.page, ...next.alsoOn]) {
        page.waiting -= 1;
        // One that is to be read once more, or is being read, is settled after that.
        if (page.status === 'held') this.#pages.settle(page);
      }
      yield member;
    }
  }

  /** Hands out the newest versions that were gathered, but for those that were handed out before. */
  *newest(): Generator<Member> {
    for (const { hash, member } of this.#newest.drain()) {
      if (this.#handedLatest.has(hash)) continue;
      this.#handedLatest.add(hash);
      yield this.#numbered(member);
    }
  }

  #handedOut({ member, hash, place, page }: Reading): Member {
    page.taken.push(hash);
    this.#memory.place(hash, place, this.#keptFrom);
    return this.#numbered(member);
  }

  #numbered(member: PageMember): Member {
    const { id, entity, kind, versionTime, timeMs = this.#means.clock(), quads, hasBlankNodes } = member;
    this.#sequence += 1;
    return {
      id,
      entity,
      kind,
      ...(versionTime === undefined ? {} : { versionTime }),
      sequence: this.#sequence,
      time: new Date(timeMs).toISOString(),
      // No other member of the reading has the same labels.
      quads: hasBlankNodes ? relabelBlankNodes(quads, this.#sequence) : quads,
    };
  }

  endRun(): void {
    this.#fate = 'delivered';
    this.#memory.trim();
    this.#knownBelow = Math.max(this.#knownBelow, this.#memory.floor);
    this.#keptFrom = this.#knownBelow;
  }

  state(): Pick<TreeState, 'sequence' | 'recent' | 'places' | 'isPart' | 'latest' | 'knownBelow'> {
    const sequence = this.#sequence;
    if (this.#fate === 'newest') {
      return { sequence, recent: '', places: [], isPart: false, latest: formatHashes(this.#handedLatest) };
    }
    return {
      sequence,
      ...this.#memory.saved(),
      ...(Number.isFinite(this.#knownBelow) ? { knownBelow: this.#knownBelow } : {}),
    };
  }

  /** The hashes of those that wait. */
  waiting(): ReadonlySet<number> {
    return new Set(this.#waiting.keys());
  }
}

function isAsked({ afterMs, beforeMs }: TreeRequest, timeMs: number | undefined): boolean {
  // A member without a time is wanted only where all times are.
  if (timeMs === undefined) return afterMs === Number.NEGATIVE_INFINITY && beforeMs === Number.POSITIVE_INFINITY;
  return timeMs >= afterMs && timeMs < beforeMs;
}

function quadsOf({ member }: Reading): number {
  return weightOf(member.quads);
}

function byPlace(left: Reading, right: Reading): number {
  return (
    left.place - right.place ||
    Number(left.member.isFinalizer) - Number(right.member.isFinalizer) ||
    (left.member.sequence ?? 0) - (right.member.sequence ?? 0) ||
    left.order - right.order
  );
}

/** How many of the newest members are remembered by name and place, in memory and in a saved state. */
export const RECENT_MEMBERS = 2048;

/**
 * The hashes of members that have been read: as many as the limit allows, and those that are newest by their place in the
 * order. All of these with a value above the floor are known, whatever else is forgotten.
 */
export class MemberMemory extends NumberSet {
  readonly #recent: TinyQueue<{ readonly hash: number; readonly value: number }>;
  #isPart: boolean;

  constructor(limit: number, saved?: Pick<TreeState, 'recent' | 'places' | 'isPart'>) {
    super(limit);
    this.#isPart = saved?.isPart ?? false;
    let value = 0;
    const recent = parseHashes(saved?.recent ?? '').map((hash, index) => {
      value += saved?.places[index] ?? 0;
      return { hash, value };
    });
    this.#recent = new TinyQueue(recent, (left, right) => left.value - right.value);
    for (const { hash } of recent) this.add(hash);
  }

  /** Takes note of the place of a member that has been handed out, if it has one. Those from `keptFrom` on are kept. */
  place(hash: number, value: number, keptFrom = Number.POSITIVE_INFINITY): void {
    if (!Number.isFinite(value)) return;
    const isFull = this.#recent.length >= RECENT_MEMBERS;
    this.#isPart ||= isFull;
    const lowest = this.#recent.peek()?.value as number;
    // Cheap for history that is read from its end to its beginning.
    if (isFull && value < Math.min(lowest, keptFrom)) return;
    this.#recent.push({ hash, value });
    const isTooMany = Math.min(lowest, value) < keptFrom || this.#recent.length > this.limit / 2;
    if (isFull && isTooMany) this.#recent.pop();
  }

  /** Keeps the newest alone. */
  trim(): void {
    while (this.#recent.length > RECENT_MEMBERS) this.#recent.pop();
  }

  /** Every member with a greater value that was handed out is among the recent ones. */
  get floor(): number {
    return (this.#isPart ? this.#recent.peek()?.value : undefined) ?? Number.NEGATIVE_INFINITY;
  }

  /** As it is saved: places as differences. */
  saved(): Pick<TreeState, 'recent' | 'places' | 'isPart'> {
    const recent = [...this.#recent.data].sort((left, right) => left.value - right.value);
    const places = recent.map(({ value }, index) => value - (recent[index - 1]?.value ?? 0));
    return { recent: formatHashes(recent.map(({ hash }) => hash)), places, isPart: this.#isPart };
  }
}

// How many versions of an entity are kept that a delete which is read later could make the newest. More come only where a
// stream publishes ever earlier versions.
const CANDIDATES = 8;

/** The newest version of each entity among members that were read in any order (READ-23). */
export class NewestVersions {
  /** Of the versions that are kept. */
  quads = 0;
  // Of each entity, by publication: the last version that replaces whatever came before it, and those after it that none
  // replaces which was published later.
  readonly #versions = new Map<string, readonly Reading[]>();

  add(reading: Reading): void {
    const { entity } = reading.member;
    const versions = [...(this.#versions.get(entity) ?? []), reading].sort(byPublication);
    const kept = versions.slice(Math.max(0, versions.findLastIndex(isBeginning)));
    const isReplaced = (version: Reading, index: number) =>
      !isBeginning(version) && kept.some((later, place) => place > index && !isEarlier(later, version));
    const left = kept.filter((version, index) => !isReplaced(version, index)).slice(0, CANDIDATES);
    this.quads += quadsOf(reading);
    for (const version of versions) if (!left.includes(version)) this.quads -= quadsOf(version);
    this.#versions.set(entity, left);
  }

  /** Takes out the newest versions of the living entities one by one, the oldest first. */
  *drain(): Generator<Reading> {
    for (const reading of Array.from(this.#versions.values(), newestOf).sort(byPublication)) {
      this.#versions.delete(reading.member.entity);
      if (reading.member.kind === 'upsert') yield reading;
    }
  }
}

function newestOf([first, second]: readonly Reading[]): Reading {
  return second && isBeginning(first as Reading) ? second : (first as Reading);
}

// Whether a version replaces all that were published before it, and each that comes after replaces it.
function isBeginning({ member }: Reading): boolean {
  const { kind, timeMs, sequence, versionTimeMs, versionNumber } = member;
  // Without a time of publication a delete counts by its own time.
  if (kind === 'delete' && (timeMs ?? sequence) !== undefined) return true;
  return (versionTimeMs ?? versionNumber) === undefined;
}

// Whether a version is of an earlier time than one that was published before it.
function isEarlier({ member: version }: Reading, { member: before }: Reading): boolean {
  return (
    (difference(version.versionTimeMs, before.versionTimeMs) ||
      difference(version.versionNumber, before.versionNumber)) < 0
  );
}

// By reading where nothing else tells.
function byPublication(left: Reading, right: Reading): number {
  return (
    difference(left.member.timeMs, right.member.timeMs) ||
    difference(left.member.sequence, right.member.sequence) ||
    left.order - right.order
  );
}

// 0 where one of them lacks it.
function difference(left: number | undefined, right: number | undefined): number {
  return (left ?? Number.NaN) - (right ?? Number.NaN) || 0;
}
