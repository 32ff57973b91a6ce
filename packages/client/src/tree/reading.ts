/*
 * The reading of any LDES by synchronisation runs: pages to read -> fetch -> page -> members -> reader, until no page is
 * left; then the next run is planned. `state()` holds at any moment: from there nothing is missing and nothing comes twice.
 *
 * Run 1: root, p1, p2 -> m1, m2, m3; run 2: root (304), p2 -> m4. Page p1 said that it never changes.
 */
import { type PollPlan, quantile, type SampleWindow, withSample } from '@ldes-live/latency';
import { isStreamError, type Member } from '@ldes-live/rdf-stream';
import { readShare } from '../connection/poll-planner.ts';
import type { ClientContext } from '../connection/stream-connection.ts';
import { errors } from '../errors.ts';
import type { DocumentHead, StreamDocument } from '../http/document.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { FollowOptions } from '../options.ts';
import { linkedAbort, pauses } from '../waiting.ts';
import { discoverTree, keptFromMs, type TreeRoot } from './entry.ts';
import { MemberReader } from './members.ts';
import { type Bounds, type Dimension, endsBefore, UNBOUNDED } from './order.ts';
import { type FetchedPage, fetchPage, type PageIndex, readNode } from './page.ts';
import { currentAt, type Page, planRun, TreePages } from './pages.ts';
import { checkTreeState, formatHashes, parseHashes, restorePages, savedPages, type TreeState } from './saved-state.ts';

/** How often pages are read once more in one run, for members that are published meanwhile. */
export const MOST_PASSES = 8;
// How long after its publication time a member may come to be seen, milliseconds.
const LATE_MS = 60_000;
// How far before the present the pages of a reader who asks for what is new are looked at, milliseconds.
const SINCE_MS = 3_600_000;

export type TreeMeans = Pick<ClientContext, 'limits' | 'clock' | 'phase'> & { readonly http: HttpClient };

export interface TreeRequest {
  readonly from: 'latest' | 'start' | 'now' | (string & {});
  /** Where an earlier reading was; it goes before `from`. */
  readonly state: TreeState | undefined;
  /** By what members are ordered; absent where the stream does not say. */
  readonly dimension: Dimension | undefined;
  /** Whether they are handed out by that. */
  readonly isAscending: boolean;
  /** Epoch milliseconds; infinite where nothing is asked for. */
  readonly afterMs: number;
  readonly beforeMs: number;
}

export interface TreeOpening extends TreeMeans {
  /** As it was given: of the stream, of its root, of what redirects there, or of an overview. */
  readonly url: string;
  readonly root: StreamDocument;
  /** Checked. */
  readonly request: Pick<TreeRequest, 'from' | 'state'> & Pick<FollowOptions, 'order' | 'after' | 'before'>;
  readonly signal: AbortSignal;
}

/** Begins or goes on with the reading of any LDES. */
export async function openTree(opening: TreeOpening): Promise<TreeReading> {
  const { http, url, root, request, signal } = opening;
  const { from, state, order, after, before } = request;
  if (state !== undefined) checkTreeState(state);
  const found = await discoverTree(http, url, root, signal);
  const { stream, timestampPath } = found.context;
  if (!timestampPath && (after ?? before) !== undefined) throw errors.ERR_TREE_TIME_UNKNOWN({ stream });
  const dimension = await dimensionOf(found);
  const isAscending = order === 'ascending';
  if (isAscending && !dimension) throw errors.ERR_TREE_ORDER_UNKNOWN({ stream });
  const afterMs = after === undefined ? Number.NEGATIVE_INFINITY : Date.parse(after);
  const beforeMs = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
  return new TreeReading(opening, found, { from, state, dimension, isAscending, afterMs, beforeMs });
}

// By time where there is one, unless the tree is laid out by sequence.
async function dimensionOf({ context, document, url }: TreeRoot): Promise<Dimension | undefined> {
  if (!context.sequencePath) return context.timestampPath && 'time';
  if (!context.timestampPath) return 'sequence';
  const { links } = await readNode(document.index, [document.head.url, url], context);
  const isBounded = (dimension: Dimension) =>
    links.some(({ bounds }) => Number.isFinite(bounds[dimension].low) || Number.isFinite(bounds[dimension].high));
  return isBounded('sequence') && !isBounded('time') ? 'sequence' : 'time';
}

// A page and what asking for it brought, or the error that it ended in.
type Landed = { readonly page: Page; readonly share: number } & (
  | { readonly read: FetchedPage | undefined }
  | { readonly error: unknown }
);

// What a page says besides its members, and whether it, or a page that it leads to, was not known.
interface PageNode {
  readonly isImmutable: boolean;
  readonly isLeading: boolean;
}

function isTooLarge(error: unknown): boolean {
  return isStreamError(error, 'ERR_RESPONSE_TOO_LARGE') || isStreamError(error, 'ERR_RDF_TOO_MANY');
}

export interface RunEnd {
  /** Nothing can come any more. */
  readonly finished: boolean;
  /** The instant up to which nothing published is missing, epoch milliseconds. */
  readonly currentAtMs: number;
}

/** The first run reads what there is, each further one what has come since. */
export class TreeReading {
  readonly context: TreeRoot['context'];
  readonly #means: TreeMeans;
  readonly #request: TreeRequest;
  readonly #pages: TreePages;
  readonly #members: MemberReader;
  readonly #rootUrl: string;
  readonly #sinceMs: number | undefined;
  #root: FetchedPage | undefined;
  #runs: number;
  // By the server's clock; unknown before the end of the first run.
  #currentAtMs: number | undefined;
  // Kept by a run that fails for the one that goes on with it.
  #sureBelow: number | undefined;
  #bookmark: { readonly valueMs: number; readonly atMs: number } | undefined;
  #readTimes: SampleWindow = [];
  #emptyPages = 0;
  // So many pages are read at once, and share the limits of a document: one, as soon as one is too large for that.
  #share: number;

  constructor(
    means: TreeMeans,
    root: Pick<TreeRoot, 'url' | 'context'> & { readonly document: FetchedPage | undefined },
    request: TreeRequest,
  ) {
    const { from, state, dimension, isAscending, afterMs, beforeMs } = request;
    // A first result that was not complete is made anew, but for what was handed out of it.
    const isFresh = state === undefined || state.latest !== undefined;
    this.context = root.context;
    this.#means = means;
    this.#request = request;
    this.#rootUrl = root.url;
    this.#root = root.document;
    this.#runs = state?.runs ?? 0;
    this.#share = Math.max(1, Math.floor(means.limits.pageRequests));
    this.#currentAtMs = state?.currentAtMs;
    this.#sinceMs = state ? state.sinceMs : from === 'now' ? this.#serverMs() : undefined;
    const lowOf = dimension && (({ [dimension]: { low } }: Bounds) => low);
    const since = this.#sinceMs === undefined ? afterMs : Math.max(afterMs, this.#sinceMs - SINCE_MS);
    const limitPages = means.limits.knownPages;
    const choice = { afterMs: since, beforeMs, limitPages, ...(isAscending && lowOf ? { lowOf } : {}) };
    this.#pages = new TreePages(root.url, choice, isFresh ? [] : parseHashes(state.done));
    if (isFresh) this.#pages.add(root.url, UNBOUNDED, 'unread');
    const isNewest = isFresh && (state !== undefined || from === 'latest');
    const isLeftOut = this.#sinceMs !== undefined && this.#runs === 0;
    const first = isNewest ? 'newest' : isLeftOut ? 'ignored' : 'delivered';
    const known = isFresh ? [] : restorePages(state, this.#pages);
    this.#members = new MemberReader(means, request, root.context, this.#pages, first, known);
  }

  /**
   * The same anew, from the newest versions on, where by its retention the publisher may have removed what was not read;
   * `undefined` where this one can be gone on with (READ-35).
   */
  async successor(malMs: number, signal: AbortSignal): Promise<TreeReading | undefined> {
    if (!this.#isOutlived(malMs)) return undefined;
    // Our clock may have been set: an answer tells the server's.
    const document = await fetchPage(this.#means.http, this.#rootUrl, { signal, revalidate: true });
    if (!this.#isOutlived(malMs)) return undefined;
    const request = { ...this.#request, from: 'latest', state: undefined };
    return new TreeReading(this.#means, { url: this.#rootUrl, context: this.context, document }, request);
  }

  #isOutlived(malMs: number): boolean {
    const { retention } = this.context;
    if (this.#currentAtMs === undefined || !retention) return false;
    return this.#currentAtMs < keptFromMs(retention, this.#serverMs(), malMs);
  }

  /**
   * One synchronisation run: hands out the members that there are and were not handed out yet, those of a page together:
   * each is made, and counts as handed out, as it is taken. A run that was ended or has thrown is gone on with by the next.
   */
  async *run(signal: AbortSignal): AsyncGenerator<Iterable<Member>, RunEnd> {
    const beganMs = this.#means.clock();
    const isFirst = this.#runs === 0;
    const { isAscending, dimension } = this.#request;
    // What is published while pages are read may have come to one that was read before.
    this.#sureBelow ??= isAscending && dimension === 'time' ? this.#serverMs() : Number.POSITIVE_INFINITY;
    this.#pages.again(this.#pages.hasUnread ? 'unsure' : 'all');
    for (let pass = 0; ; pass += 1) {
      yield* this.#readPages(signal, pass > 0);
      const nowMs = this.#serverMs();
      const { firstPlace } = this.#members;
      // Members of the time to come may be followed by earlier ones for ever.
      if (firstPlace === undefined || firstPlace > nowMs || pass === MOST_PASSES) break;
      this.#sureBelow = nowMs;
      this.#pages.again('all');
    }
    yield this.#members.inOrder(Number.POSITIVE_INFINITY);
    yield this.#members.newest();
    const end = this.#endRun();
    if (!isFirst) this.#readTimes = withSample(this.#readTimes, this.#means.clock() - beganMs);
    return end;
  }

  async *#readPages(signal: AbortSignal, revalidate: boolean): AsyncGenerator<Iterable<Member>> {
    const flights = new Map<Page, Promise<Landed>>();
    const pause = pauses();
    const { controller, unlink } = linkedAbort(signal);
    try {
      let failure: { readonly error: unknown } | undefined;
      for (;;) {
        // What is under way is taken in all the same: a page that always fails holds up no other.
        while (!failure && this.#pages.hasUnread && flights.size < this.#share) {
          const page = this.#pages.take() as Page;
          flights.set(page, this.#ask(page, controller.signal, revalidate));
        }
        if (flights.size === 0) break;
        const landed = await Promise.race(flights.values());
        flights.delete(landed.page);
        if ('error' in landed && landed.share > 1 && isTooLarge(landed.error)) {
          this.#share = 1;
          this.#pages.putBack(landed.page);
        } else if ('read' in landed) {
          const { page, read } = landed;
          const node = read?.index && (await this.#lead(page, read.head, read.index));
          const taken = this.#take(page, read, node);
          if (this.#members.gathers) for (const _ of taken) await pause();
          else yield taken as Iterable<Member>;
          yield this.#members.inOrder(Math.min(this.#pages.low, this.#sureBelow ?? Number.POSITIVE_INFINITY));
        } else {
          this.#failed(landed.page, landed.error);
          failure ??= landed;
        }
      }
      if (failure) throw failure.error;
    } finally {
      controller.abort();
      unlink();
      for (const page of this.#pages.active) this.#pages.putBack(page);
    }
  }

  /** When to look again by a MAL; `Infinity` when nothing can come. */
  plan(malMs: number): PollPlan {
    const { http, phase } = this.#means;
    const { pollingIntervalMs } = this.context;
    const heads = this.#pages.heads();
    if (this.#isFinished(heads.length)) return { atMs: Number.POSITIVE_INFINITY, lagBoundMs: 0 };
    const { plannedMs: readMs, beyondMs } = readShare(quantile(this.#readTimes, 0.99, 0), malMs);
    const plan = planRun({ heads, malMs, readMs, clockOffsetMs: http.clockOffsetMs, phase, pollingIntervalMs });
    return { ...plan, lagBoundMs: plan.lagBoundMs + beyondMs };
  }

  /** Where the reading is: what was handed out is not handed out again from here, and the rest is. */
  state(): TreeState {
    const members = this.#members.state();
    const isPlaced = this.#request.dimension !== undefined && this.#runs > 0;
    const pages =
      members.latest === undefined
        ? { ...savedPages(this.#pages, isPlaced, this.#members.waiting()), done: formatHashes(this.#pages.done) }
        : { pages: [], parents: [], done: '' };
    return {
      version: 1,
      runs: this.#runs,
      ...(this.#sinceMs === undefined ? {} : { sinceMs: this.#sinceMs }),
      ...(this.#currentAtMs === undefined ? {} : { currentAtMs: this.#currentAtMs }),
      ...pages,
      ...members,
    };
  }

  async #ask(page: Page, signal: AbortSignal, revalidate: boolean): Promise<Landed> {
    const { url, etag } = page;
    const root = url === this.#rootUrl ? this.#root : undefined;
    if (root) {
      this.#root = undefined;
      return { page, share: 1, read: root };
    }
    const { http, clock } = this.#means;
    const share = this.#share;
    // Where a copy would be reused for longer than the MAL bears, the MAL goes before.
    const isHeld = (page.head?.freshUntilMs ?? 0) > clock();
    const request = { signal, etag, revalidate: revalidate || isHeld, share };
    try {
      return { page, share, read: await fetchPage(http, url, request) };
    } catch (error) {
      return { page, share, error };
    }
  }

  #failed(page: Page, error: unknown): void {
    const isMissing = isStreamError(error, 'ERR_RESPONSE_STATUS') && error.details.status === 404;
    if (!isMissing || !this.#pages.leave(page)) this.#pages.putBack(page);
  }

  // A page counts as being read until its last member was taken.
  *#take(page: Page, read: FetchedPage | undefined, node: PageNode | undefined): Generator<Member | undefined> {
    if (!read) return this.#pages.finish(page);
    const { head, index } = read;
    // It redirects elsewhere, and the tag was that of another page.
    if (!index && head.url !== (page.target ?? page.url)) return this.#pages.putBack(page);
    if (index && node) yield* this.#content(page, head, index, node);
    page.head = head;
    page.isImmutable ||= head.isImmutable || this.#isPast(page);
    this.#pages.settle(page);
  }

  // In turns: a page may lead to very many.
  async #lead(page: Page, head: DocumentHead, index: PageIndex): Promise<PageNode> {
    const { links, isImmutable } = await readNode(index, [head.url, page.url], this.context);
    const knownPages = this.#pages.found;
    page.target = head.url === page.url ? undefined : head.url;
    await this.#pages.discover(links, page);
    return { isImmutable, isLeading: page.contents === undefined || this.#pages.found > knownPages };
  }

  *#content(page: Page, head: DocumentHead, index: PageIndex, node: PageNode): Generator<Member | undefined> {
    const isNew = yield* this.#members.take(page, index);
    page.isImmutable = node.isImmutable;
    page.etag = head.etag;
    // A page with news costs nothing of the budget; pages that only lead on may do so for ever.
    this.#emptyPages = isNew ? 0 : this.#emptyPages + Number(node.isLeading);
    const { http, limits } = this.#means;
    if (isNew || (node.isLeading && this.#emptyPages <= limits.emptyPages)) http.refund(head.receipt);
  }

  // Whether no member can come to a page any more: members of a later time were known when it was asked for.
  #isPast({ bounds, head }: Page): boolean {
    if (!this.#bookmark || !head) return false;
    const madeMs = head.sentMs - Math.max(head.ageMs, head.maxAgeMs ?? 0);
    return madeMs >= this.#bookmark.atMs && endsBefore(bounds.time, this.#bookmark.valueMs);
  }

  #isFinished(openPages: number): boolean {
    return openPages === 0 || this.#serverMs() - LATE_MS >= this.#request.beforeMs;
  }

  #endRun(): RunEnd {
    this.#members.endRun();
    this.#runs += 1;
    this.#sureBelow = undefined;
    const atMs = this.#means.clock();
    // A time to come says nothing of what may come before.
    const newestMs = Math.min(this.#members.newestMs, this.#serverMs());
    this.#bookmark = { valueMs: Math.max(this.#bookmark?.valueMs ?? Number.NEGATIVE_INFINITY, newestMs), atMs };
    this.#pages.forgetDone();
    const heads = this.#pages.heads();
    const finished = this.#isFinished(heads.length);
    const currentAtMs = finished ? atMs : currentAt(heads);
    this.#currentAtMs = currentAtMs + this.#means.http.clockOffsetMs;
    return { finished, currentAtMs };
  }

  #serverMs(): number {
    return this.#means.clock() + this.#means.http.clockOffsetMs;
  }
}
