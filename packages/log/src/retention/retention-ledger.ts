import { extentOfPage, type Member, pageOf, type RetentionPolicy } from '@ldes-live/rdf-stream';
import { type Due, DueQueue } from './due-queue.ts';
import { keepUntil } from './keep-until.ts';

/** What the ledger takes of a member. */
export type LedgerMember = Pick<Member, 'entity' | 'kind' | 'sequence' | 'time'>;

/** A version that is still one of the newest of its entity. */
interface Version {
  readonly entity: string;
  readonly page: number;
  readonly aloneMs: number;
  readonly newestMs: number;
}

/** What keeps a page. */
interface PageUse {
  /** Until when those of its members keep it that newer ones no longer change anything about. */
  settledMs: number;
  /** Those of its members that are among the newest of their entities. */
  readonly newest: Set<Version>;
  /** Until when the latter keep it. */
  newestMs: number;
  isSealed: boolean;
}

/**
 * Works out when the pages of a log are no longer needed. Decides only: it reads and removes nothing.
 *
 * It holds `versionAmount` versions of each entity that stands on a page that is not removed, and a few numbers a
 * page; nothing of it grows with the length of the history but the pages that are kept.
 */
export class RetentionLedger {
  readonly #policy: RetentionPolicy;
  readonly #pages = new Map<number, PageUse>();
  readonly #versions = new Map<string, Version[]>();
  readonly #due = new DueQueue();

  constructor(policy: RetentionPolicy) {
    this.#policy = policy;
  }

  /** The sealed page that is or will be the first that nothing is kept of; `undefined` when there will be none. */
  get first(): Due | undefined {
    return this.#due.first();
  }

  /** Takes the next member of the log, in sequence; removed pages are left out. */
  take(member: LedgerMember): void {
    const { entity, sequence } = member;
    const page = pageOf(sequence);
    const use = this.#useOf(page);
    const until = keepUntil(this.#policy, member);
    if (this.#policy.versionAmount === undefined) use.settledMs = Math.max(use.settledMs, until.aloneMs);
    else this.#takeVersion({ entity, page, ...until }, use, this.#policy.versionAmount, Date.parse(member.time));
    if (sequence === extentOfPage(page).last) {
      use.isSealed = true;
      this.#schedule(page, use);
    }
  }

  /** Leaves out a page that was removed. */
  drop(page: number): void {
    const use = this.#pages.get(page);
    this.#pages.delete(page);
    this.#due.delete(page);
    for (const { entity } of use?.newest ?? []) {
      // Versions on removed pages count as long as others of their entity are kept, and no longer.
      const isKept = this.#versions.get(entity)?.some((version) => this.#pages.has(version.page));
      if (!isKept) this.#versions.delete(entity);
    }
  }

  #takeVersion(version: Version, use: PageUse, versionAmount: number, timeMs: number): void {
    const versions = this.#versions.get(version.entity) ?? [];
    this.#versions.set(version.entity, versions);
    versions.push(version);
    use.newest.add(version);
    use.newestMs = Math.max(use.newestMs, keptMs(version));
    if (versions.length > versionAmount) this.#supersede(versions.shift()!, timeMs);
  }

  #supersede(version: Version, timeMs: number): void {
    const use = this.#pages.get(version.page);
    if (!use) return;
    use.newest.delete(version);
    use.settledMs = Math.max(use.settledMs, version.aloneMs, Math.min(version.newestMs, timeMs));
    if (keptMs(version) === use.newestMs) use.newestMs = longestMs(use.newest, use.newestMs);
    if (use.isSealed) this.#schedule(version.page, use);
  }

  #schedule(page: number, use: PageUse): void {
    this.#due.set(page, Math.max(use.settledMs, use.newestMs));
  }

  #useOf(page: number): PageUse {
    let use = this.#pages.get(page);
    if (!use) {
      const never = Number.NEGATIVE_INFINITY;
      use = { settledMs: never, newest: new Set(), newestMs: never, isSealed: false };
      this.#pages.set(page, use);
    }
    return use;
  }
}

function keptMs({ aloneMs, newestMs }: Version): number {
  return Math.max(aloneMs, newestMs);
}

// Mostly the first that is looked at is as long as the one that went.
function longestMs(versions: Iterable<Version>, atMostMs: number): number {
  let longest = Number.NEGATIVE_INFINITY;
  for (const version of versions) {
    longest = Math.max(longest, keptMs(version));
    if (longest >= atMostMs) break;
  }
  return longest;
}
