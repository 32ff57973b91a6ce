import { type Commit, type Extent, extentOfPage, isStreamError, PAGE_MEMBERS, pageOf } from '@ldes-live/rdf-stream';
import type { StreamLog } from '../stream-log.ts';
import { RetentionLedger } from './retention-ledger.ts';
import type { RetentionOptions } from './start-retention.ts';

/** What a runner takes: as {@link RetentionOptions}, with nothing left out. */
export type RunnerParts = Required<
  Pick<RetentionOptions, 'log' | 'policy' | 'clock' | 'unlinkLeadMs' | 'clockSkewMs' | 'onError'>
>;

/** Pages that are to be erased, and when. */
interface Erasure extends Extent {
  readonly fromMs: number;
}

/** Keeps one log to its policy, a step at a time. */
export class RetentionRunner {
  readonly #parts: RunnerParts;
  readonly #log: StreamLog;
  readonly #ledger: RetentionLedger;
  readonly #endSubscription: () => void;
  /** What waits to be erased, by time. */
  readonly #erasures: Erasure[] = [];
  /** Sequence number of the last member that the ledger knows of. */
  #seen = 0;
  /** Whether documents of the page that was erased last were left. */
  #leavesDocuments = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#ledger = new RetentionLedger(parts.policy);
    // Who unlinked them and when is not known any more: readers that saw the relations get the whole lead again.
    const fromMs = parts.clock() + parts.unlinkLeadMs;
    for (const { first, last, state } of this.#log.removals) {
      if (state === 'unlinked') this.#erasures.push({ first, last, fromMs });
    }
    this.#endSubscription = this.#log.subscribe((commit) => this.#takeCommit(commit));
  }

  /**
   * Looks at a page of members, unlinks one page and erases one, as far as there are any.
   *
   * @returns when there may be more to do: epoch milliseconds, 0 for at once, `Infinity` when only a commit changes it
   * @throws {@link StreamError} whatever the log throws but `ERR_SHELF_WRITE`; the step can be taken again
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
    const dueMs = (this.#ledger.first?.dueMs ?? Number.POSITIVE_INFINITY) + this.#parts.clockSkewMs;
    return Math.max(0, Math.min(dueMs, this.#erasures[0]?.fromMs ?? Number.POSITIVE_INFINITY));
  }

  /** Ends the subscription to the log. */
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
    for (const member of await this.#log.members(after, Math.min(last - after, PAGE_MEMBERS))) {
      // A commit meanwhile may have told of members already.
      if (member.sequence === this.#seen + 1) this.#take(member);
    }
  }

  async #unlink(): Promise<void> {
    const { clock, clockSkewMs, unlinkLeadMs } = this.#parts;
    const due = this.#ledger.first;
    if (!due || due.dueMs + clockSkewMs > clock()) return;
    const extent = extentOfPage(due.page);
    await this.#log.unlink(extent);
    this.#ledger.drop(due.page);
    this.#erasures.push({ ...extent, fromMs: clock() + unlinkLeadMs });
  }

  async #erase(): Promise<void> {
    const [erasure] = this.#erasures;
    if (!erasure || erasure.fromMs > this.#parts.clock()) return;
    const page = extentOfPage(pageOf(erasure.first));
    await this.#erasePage(page);
    if (page.last === erasure.last) this.#erasures.shift();
    else this.#erasures[0] = { ...erasure, first: page.last + 1 };
  }

  async #erasePage(page: Extent): Promise<void> {
    try {
      await this.#log.erase(page);
      this.#leavesDocuments = false;
    } catch (error) {
      // The members are erased, and the next opening sweeps the shelf.
      if (!isStreamError(error, 'ERR_SHELF_WRITE')) throw error;
      if (!this.#leavesDocuments) this.#parts.onError(error);
      this.#leavesDocuments = true;
    }
  }

  // What was just published need not be read again, unless there is so much of it that it would take long.
  #takeCommit({ members }: Commit): void {
    if (members[0]!.sequence !== this.#seen + 1 || members.length > PAGE_MEMBERS) return;
    for (const member of members) this.#take(member);
  }

  #take(member: Commit['members'][number]): void {
    this.#ledger.take(member);
    this.#seen = member.sequence;
  }
}
