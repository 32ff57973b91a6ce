// Keeps a log to its policy. Members go in whole sealed pages: a page is unlinked once nothing of it is kept, and erased a while later.
//   member -> keepUntil(policy)   { "aloneMs": 1795600800000, "newestMs": -Infinity }
//          -> PageExpiry          what keeps each page, and until when: { "page": 0, "dueMs": 1795600800000 }
//          -> a step              reads up to 250 members, unlinks the page that is due first, erases one that was unlinked
import {
  type Commit,
  dateTimeMs,
  type Extent,
  extentOfPage,
  isNewestState,
  isStreamError,
  type Member,
  PAGE_MEMBERS,
  pageOf,
  type RetentionPolicy,
} from '@ldes-live/rdf-stream';
import TinyQueue from 'tinyqueue';
import type { Log } from './log.ts';

/** What {@link startRetention} takes. */
export interface RetentionOptions {
  /** Its `limitRead` has to be 250 at least. */
  readonly log: Log;
  readonly policy: RetentionPolicy;
  /** Tells the time: epoch milliseconds. May jump. */
  readonly clock: () => number;
  /** Waits so many milliseconds, or until the signal is aborted, and then resolves or rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** How long unlinked pages stay whole, for readers that are on their way: milliseconds, 0 or more; a minute by default. */
  readonly unlinkMs?: number;
  /** How much longer than the policy says, for readers whose clock is late: milliseconds, 0 or more; a minute by default. */
  readonly clockSkewMs?: number;
  /**
   * Gets what the log throws, as `ERR_STORE_WRITE`; the same is tried again 10 seconds later. `ERR_DISK_CACHE_WRITE` holds
   * nothing up: it comes once, until documents go with their page again, and the next opening deletes what is left.
   */
  readonly onError?: (error: unknown) => void;
}

// Between two steps while there is work, so that retention never takes the machine for itself.
const BUSY_PAUSE_MS = 5;
// While there is none, so that commits are noticed.
const IDLE_PAUSE_MS = 1000;
const ERROR_PAUSE_MS = 10_000;

/**
 * Keeps a log to its policy from now on, until the signal is aborted or the log is closed. It holds `versionAmount` versions of
 * each entity in memory, and begins by reading what the log has.
 *
 * @see specs/retention.md RET-1
 */
export async function startRetention(options: RetentionOptions): Promise<void> {
  const { log, policy, clock, sleep, signal, unlinkMs = 60_000, clockSkewMs = 60_000, onError = () => {} } = options;
  const runner = new RetentionRunner({ log, policy, clock, unlinkMs, clockSkewMs, onError });
  try {
    while (!signal.aborted) {
      const pauseMs = await runner.step().then(
        (nextMs) => Math.min(Math.max(nextMs - clock(), BUSY_PAUSE_MS), IDLE_PAUSE_MS),
        (error) => {
          if (isStreamError(error, 'ERR_LOG_CLOSED')) return undefined;
          onError(error);
          return ERROR_PAUSE_MS;
        },
      );
      if (pauseMs === undefined) return;
      // A sleep that is cut short may reject: the loop sees to it by the signal.
      await sleep(pauseMs, signal).catch(() => {});
    }
  } finally {
    runner.end();
  }
}

export class RetentionRunner {
  readonly #options: Required<Omit<RetentionOptions, 'sleep' | 'signal'>>;
  readonly #log: Log;
  readonly #expiry: PageExpiry;
  readonly #endSubscription: () => void;
  /** What waits to be erased, in the order of the times from which it may be. */
  readonly #erasures: (Extent & { readonly fromMs: number })[] = [];
  /** The last member that was looked at. */
  #seen = 0;
  /** Whether documents of the page that was erased last were left. */
  #leavesDocuments = false;

  constructor(options: Required<Omit<RetentionOptions, 'sleep' | 'signal'>>) {
    this.#options = options;
    this.#log = options.log;
    this.#expiry = new PageExpiry(options.policy);
    // Who unlinked them and when is not known any more: readers that saw the relations get the whole time again.
    const fromMs = options.clock() + options.unlinkMs;
    for (const { first, last, state } of this.#log.removals) {
      if (state === 'unlinked') this.#erasures.push({ first, last, fromMs });
    }
    this.#endSubscription = this.#log.subscribe((commit) => this.#takeCommit(commit));
  }

  /**
   * Gives when there may be more to do: epoch milliseconds, 0 for at once, `Infinity` when only a commit changes it. After
   * whatever the log throws, `ERR_DISK_CACHE_WRITE` apart, the step can be taken again.
   */
  async step(): Promise<number> {
    try {
      await this.#look();
      // Also while there is more to look at: a newer member never makes an older one kept again.
      await this.#unlink();
    } finally {
      // What was unlinked before is to go whatever becomes of the rest.
      await this.#erase();
    }
    if (this.#seen < this.#log.head.cursor.sequence) return 0;
    const dueMs = (this.#expiry.first?.dueMs ?? FOR_EVER) + this.#options.clockSkewMs;
    return Math.max(0, Math.min(dueMs, this.#erasures[0]?.fromMs ?? FOR_EVER));
  }

  end(): void {
    this.#endSubscription();
  }

  async #look(): Promise<void> {
    // Several may stand side by side, each in another state, and members that are only unlinked could be read.
    for (const { first, last } of this.#log.removals) {
      if (first <= this.#seen + 1 && last > this.#seen) this.#seen = last;
    }
    // To the end of the page only: the next one may be removed. Also when there is nothing: a closed log says so.
    const { last } = extentOfPage(pageOf(this.#seen + 1));
    const after = this.#seen;
    for (const member of await this.#log.read(after, Math.min(last - after, PAGE_MEMBERS))) {
      // A commit meanwhile may have told of members already.
      if (member.sequence === this.#seen + 1) this.#take(member);
    }
  }

  async #unlink(): Promise<void> {
    const { clock, clockSkewMs, unlinkMs } = this.#options;
    const due = this.#expiry.first;
    if (!due || due.dueMs + clockSkewMs > clock()) return;
    const extent = extentOfPage(due.page);
    await this.#log.unlink(extent).catch((error) => {
      // Of a page that is whole and sealed: another has removed it, such as one that was ended within this very step.
      if (!isStreamError(error, 'ERR_REMOVAL_RANGE')) throw error;
    });
    this.#expiry.drop(due.page);
    this.#erasures.push({ ...extent, fromMs: clock() + unlinkMs });
  }

  async #erase(): Promise<void> {
    const [erasure] = this.#erasures;
    if (!erasure || erasure.fromMs > this.#options.clock()) return;
    const page = extentOfPage(pageOf(erasure.first));
    await this.#log.erase(page).then(
      () => {
        this.#leavesDocuments = false;
      },
      (error) => {
        // The members are erased, and the next opening deletes the documents.
        if (!isStreamError(error, 'ERR_DISK_CACHE_WRITE')) throw error;
        if (!this.#leavesDocuments) this.#options.onError(error);
        this.#leavesDocuments = true;
      },
    );
    if (page.last === erasure.last) this.#erasures.shift();
    else this.#erasures[0] = { ...erasure, first: page.last + 1 };
  }

  // What was just published need not be read again, unless there is so much of it that it would take long.
  #takeCommit({ members }: Commit): void {
    if (members[0]!.sequence !== this.#seen + 1 || members.length > PAGE_MEMBERS) return;
    for (const member of members) this.#take(member);
  }

  #take(member: Member): void {
    this.#expiry.take(member);
    this.#seen = member.sequence;
  }
}

/** Until when a policy keeps one version: epoch milliseconds, `-Infinity` for not at all, `Infinity` for ever. */
interface KeepUntil {
  /** Whatever other versions there are. */
  readonly aloneMs: number;
  /** As long as it is one of the newest `versionAmount` of its entity, if that is longer. */
  readonly newestMs: number;
}

const FOR_EVER = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;

/** Tells until when a policy keeps a member (RET-1). Once it is no longer kept it never is again. */
export function keepUntil(policy: RetentionPolicy, member: Pick<Member, 'time' | 'versionTime' | 'kind'>): KeepUntil {
  const { startingFrom, fullLogMs, versionAmount, versionMs = FOR_EVER, versionDeleteMs = FOR_EVER } = policy;
  const timeMs = Date.parse(member.time);
  if (startingFrom !== undefined && timeMs < Date.parse(startingFrom)) return { aloneMs: NEVER, newestMs: NEVER };
  const ownMs = dateTimeMs(member.versionTime ?? '');
  const versionFromMs = Number.isNaN(ownMs) ? timeMs : ownMs;
  const asDeleteMs = versionFromMs + (member.kind === 'delete' ? versionDeleteMs : FOR_EVER);
  if (fullLogMs === undefined && versionAmount === undefined) return { aloneMs: asDeleteMs, newestMs: NEVER };
  return {
    aloneMs: fullLogMs === undefined ? NEVER : timeMs + fullLogMs,
    newestMs: versionAmount === undefined ? NEVER : Math.min(versionFromMs + versionMs, asDeleteMs),
  };
}

interface Version extends KeepUntil, Pick<Member, 'entity' | 'kind' | 'versionTime'> {
  readonly page: number;
}

/** What keeps a page, and until when: epoch milliseconds. */
interface PageUse {
  /** Of members about which newer ones no longer change anything. */
  settledMs: number;
  /** Of members that are among the newest of their entities. */
  readonly newest: Set<Version>;
  newestMs: number;
  /** Of all, once it is sealed. */
  dueMs: number | undefined;
}

type Due = Readonly<Record<'page' | 'dueMs', number>>;

const byDue = (one: Due, other: Due) => (one.dueMs === other.dueMs ? one.page - other.page : one.dueMs - other.dueMs);

// How many entries of the queue may be out of date, beside as many as there are pages.
const QUEUE_SLACK = 64;

// Decides only: it reads and removes nothing. It holds `versionAmount` versions of each entity that stands on a page that is not
// removed, and a few numbers a page: nothing grows with the length of the history but the pages that are kept.
class PageExpiry {
  readonly #policy: RetentionPolicy;
  readonly #pages = new Map<number, PageUse>();
  readonly #versions = new Map<string, Version[]>();
  // What was put off, brought forward or dropped stays in it and is passed over, as the pages tell.
  #queue = new TinyQueue<Due>([], byDue);

  constructor(policy: RetentionPolicy) {
    this.#policy = policy;
  }

  /** The sealed page that is or will be the first that nothing is kept of; `undefined` when there will be none. */
  get first(): Due | undefined {
    for (let due = this.#queue.peek(); due; due = this.#queue.peek()) {
      if (this.#pages.get(due.page)?.dueMs === due.dueMs) return due;
      this.#queue.pop();
    }
    return undefined;
  }

  /** Takes the next member of the log, in sequence; removed pages are left out. */
  take(member: Member): void {
    const { entity, kind, sequence, time, versionTime } = member;
    const page = pageOf(sequence);
    const use = this.#pages.get(page) ?? { settledMs: NEVER, newest: new Set(), newestMs: NEVER, dueMs: undefined };
    this.#pages.set(page, use);
    const until = keepUntil(this.#policy, member);
    if (this.#policy.versionAmount === undefined) use.settledMs = Math.max(use.settledMs, until.aloneMs);
    else {
      const version = { entity, kind, versionTime, page, ...until };
      this.#takeVersion(version, use, this.#policy.versionAmount, Date.parse(time));
    }
    if (sequence === extentOfPage(page).last) this.#schedule(page, use);
  }

  /** Leaves out a page that was removed. */
  drop(page: number): void {
    const use = this.#pages.get(page);
    this.#pages.delete(page);
    for (const { entity } of use?.newest ?? []) {
      // Versions on removed pages count as long as others of their entity are kept, and no longer.
      const isKept = this.#versions.get(entity)?.some((version) => this.#pages.has(version.page));
      if (!isKept) this.#versions.delete(entity);
    }
  }

  /** Versions stand by age, the newest last. What is older than those before it by its own time goes before them. */
  #takeVersion(version: Version, use: PageUse, versionAmount: number, timeMs: number): void {
    const versions = this.#versions.get(version.entity) ?? [];
    this.#versions.set(version.entity, versions);
    let place = versions.length;
    while (place > 0 && !isNewestState(version, versions[place - 1])) place -= 1;
    versions.splice(place, 0, version);
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
    if (use.dueMs !== undefined) this.#schedule(version.page, use);
  }

  #schedule(page: number, use: PageUse): void {
    const dueMs = Math.max(use.settledMs, use.newestMs);
    if (dueMs === use.dueMs) return;
    use.dueMs = dueMs;
    if (dueMs === FOR_EVER) return;
    this.#queue.push({ page, dueMs });
    if (this.#queue.length <= 2 * this.#pages.size + QUEUE_SLACK) return;
    this.#queue = new TinyQueue(
      this.#queue.data.filter((due) => this.#pages.get(due.page)?.dueMs === due.dueMs),
      byDue,
    );
  }
}

const keptMs = ({ aloneMs, newestMs }: KeepUntil) => Math.max(aloneMs, newestMs);

// Mostly the first that is looked at is as long as the one that went.
function longestMs(versions: Iterable<Version>, atMostMs: number): number {
  let longest = NEVER;
  for (const version of versions) {
    longest = Math.max(longest, keptMs(version));
    if (longest >= atMostMs) break;
  }
  return longest;
}
