import type { Member } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { formatHashes, hashText, parseHashes } from './hash-text.ts';
import { Heap } from './heap.ts';
import { MemberMemory } from './member-memory.ts';
import { NewestVersions } from './newest-versions.ts';
import type { PageIndex } from './page-index.ts';
import { listedMembers } from './page-members.ts';
import { comesBefore, memberOf, type Reading, readReading } from './reading.ts';
import type { TreeContext } from './tree-context.ts';
import type { Page, TreePages } from './tree-pages.ts';
import { isAsked, type TreeMeans, type TreeRequest } from './tree-request.ts';
import { restoredMemory, savedMemory, type TreeState } from './tree-state.ts';

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
