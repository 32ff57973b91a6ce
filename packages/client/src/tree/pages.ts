/*
 * Which pages of a tree are read next, looked at again and when, or done with.
 *
 * A page is found by a link: `unread` -> `active` while it is fetched and read -> `held` while members of it wait ->
 * `open` while it may change, else done: of it a hash of its URL is kept.
 */
import { type PollOptions, type PollPlan, planPoll } from '@ldes-live/latency';
import TinyQueue from 'tinyqueue';
import { predictedMs } from '../connection/poll-planner.ts';
import { errors } from '../errors.ts';
import type { DocumentHead } from '../http/document.ts';
import { pauses } from '../waiting.ts';
import { type Bounds, intersection, mayHold } from './order.ts';
import type { TreeLink } from './page.ts';
import { hashText } from './saved-state.ts';

/** A page's last answer: when it was true, and when to ask again. */
export type PageAnswer = Pick<DocumentHead, 'sentMs' | 'ageMs' | 'maxAgeMs' | 'nextUpdateMs' | 'freshUntilMs'>;

/** A page that may have something new yet. */
export interface Page {
  readonly url: string;
  bounds: Bounds;
  /** URL of the page that led to it; absent for the root, and where it is not known. */
  readonly parent?: string | undefined;
  /** URL that it was answered from, where it redirected: its entity tag is of that. */
  target?: string | undefined;
  /** How many pages were found up to it. */
  readonly order: number;
  /** `unread`: to be read; `active`: being read; `held`: read, with members that wait; `open`: read, and it may change. */
  status: 'unread' | 'active' | 'held' | 'open';
  /** Members that it had when it was read last, by hash; absent when they are not known. */
  contents?: readonly number[] | undefined;
  /** The pages that it led to then, by hash; absent when they are not known. */
  links?: readonly number[] | undefined;
  /** Those of its members that have been handed out while others of it had not yet. */
  taken: number[];
  /** Members that have been read and wait to be handed out. */
  waiting: number;
  etag?: string | undefined;
  /** Its last answer; absent when it has to be looked at again in any case. */
  head?: PageAnswer | undefined;
  /** Whether it was said, or found, never to change again. */
  isImmutable: boolean;
}

export interface PageChoice {
  /** The lowest value that a page can hold, by which they are read; else they are read as they lead to each other. */
  readonly lowOf?: (bounds: Bounds) => number;
  /** The times that are asked for, epoch milliseconds. */
  readonly afterMs: number;
  readonly beforeMs: number;
  /** The most pages that are known and not done with. @defaultValue no limit */
  readonly limitPages?: number;
}

// A longer URL counts again for each so many characters.
const URL_CHARACTERS = 512;

export class TreePages {
  /** How many pages there have been. */
  found = 0;
  /** Hashes of the URLs that need not be read again. */
  done: Set<number>;
  readonly #rootUrl: string;
  readonly #choice: PageChoice;
  readonly #unread: TinyQueue<Page>;
  readonly #active = new Set<Page>();
  readonly #known = new Map<string, Page>();
  #weight = 0;

  constructor(rootUrl: string, choice: PageChoice, done: Iterable<number> = []) {
    this.#rootUrl = rootUrl;
    this.#choice = choice;
    this.done = new Set(done);
    const { lowOf } = choice;
    const byLow = (left: Page, right: Page) => {
      const [first, second] = [lowOf?.(left.bounds) ?? 0, lowOf?.(right.bounds) ?? 0];
      // Of infinite values the difference is no number.
      return first === second ? left.order - right.order : first - second;
    };
    // Depth first, as documents list them: little is then known of the tree at a time.
    this.#unread = new TinyQueue<Page>([], lowOf ? byLow : (left, right) => right.order - left.order);
  }

  get hasUnread(): boolean {
    return this.#unread.length > 0;
  }

  /** Every page that is not done with. */
  get known(): Iterable<Page> {
    return this.#known.values();
  }

  get active(): Iterable<Page> {
    return this.#active;
  }

  /** The last answers of the pages that have been read and may change. */
  heads(): PageAnswer[] {
    return [...this.#known.values()].flatMap(({ status, head }) => (status === 'open' && head ? head : []));
  }

  /** The lowest value that a page to be read, or being read, can hold; `Infinity` when there is none. */
  get low(): number {
    const { lowOf = () => Number.NEGATIVE_INFINITY } = this.#choice;
    const first = this.#unread.peek();
    let low = first ? lowOf(first.bounds) : Number.POSITIVE_INFINITY;
    for (const { bounds } of this.#active) low = Math.min(low, lowOf(bounds));
    return low;
  }

  /** Puts a page in: to be read, or only to be looked at again. */
  add(url: string, bounds: Bounds, status: 'unread' | 'open', given: Partial<Page> = {}): void {
    const { limitPages = Number.POSITIVE_INFINITY } = this.#choice;
    this.#weight += weightOf(url);
    if (this.#weight > limitPages) throw errors.ERR_TREE_PAGES_TOO_MANY({ url: this.#rootUrl, limitPages });
    this.found += 1;
    const page: Page = { url, bounds, order: this.found, status, taken: [], waiting: 0, isImmutable: false, ...given };
    this.#known.set(url, page);
    if (status === 'unread') this.#unread.push(page);
  }

  /** Puts in the pages that a page leads to. */
  async discover(links: readonly TreeLink[], parent: Page): Promise<void> {
    const { afterMs, beforeMs, lowOf } = this.#choice;
    const hashes: number[] = [];
    const pause = pauses();
    // The last to be found is the first to be read.
    for (const { url, bounds } of lowOf ? links : [...links].reverse()) {
      await pause();
      const hash = hashText(url);
      hashes.push(hash);
      const page = this.#known.get(url);
      if (page?.status === 'open') page.bounds = bounds;
      if (page || this.done.has(hash) || !mayHold(bounds.time, afterMs, beforeMs)) continue;
      // What bounds a page bounds those below it.
      const time = intersection(bounds.time, parent.bounds.time);
      const sequence = intersection(bounds.sequence, parent.bounds.sequence);
      this.add(url, { time, sequence }, 'unread', { parent: parent.url });
    }
    parent.links = hashes;
  }

  /** The next page to read: it counts as being read until it is put back, settled or finished. */
  take(): Page | undefined {
    const page = this.#unread.pop();
    if (!page) return undefined;
    page.status = 'active';
    this.#active.add(page);
    return page;
  }

  /** Puts a page that was not read to its end back among those to be read. */
  putBack(page: Page): void {
    if (!this.#active.delete(page)) return;
    delete page.etag;
    this.#readAgain(page);
  }

  #readAgain(page: Page): void {
    page.status = 'unread';
    this.#unread.push(page);
  }

  /** Ends the reading of a page, as soon as none of its members waits. */
  settle(page: Page): void {
    // It was read, and has to be read once more.
    if (page.status === 'unread') return;
    this.#active.delete(page);
    page.status = 'held';
    if (page.waiting > 0) return;
    page.taken = [];
    page.status = 'open';
    // The target of a root may never change, but the root may redirect elsewhere.
    if (page.isImmutable && !this.#isMovableRoot(page)) this.finish(page);
  }

  #isMovableRoot({ url, target }: Page): boolean {
    if (url !== this.#rootUrl || target === undefined) return false;
    return new URL(url).href.split('#', 1)[0] !== target;
  }

  /** Never asks for a page again. */
  finish(page: Page): void {
    this.#drop(page);
    this.done.add(hashText(page.url));
  }

  #drop(page: Page): void {
    this.#active.delete(page);
    if (this.#known.delete(page.url)) this.#weight -= weightOf(page.url);
  }

  /** Leaves a page that is not there: those that may lead to it have to find it again. The root is never left. */
  leave(page: Page): boolean {
    const { url, parent } = page;
    if (url === this.#rootUrl) return false;
    const hash = hashText(url);
    this.#drop(page);
    for (const known of this.#known.values()) {
      if (known.links?.includes(hash) === false) continue;
      delete known.etag;
      delete known.head;
    }
    if (parent !== undefined && !this.#known.has(parent)) {
      // Its parent was done with: only the parent itself tells whether it still leads here, or is missing as well.
      this.done.delete(hashText(parent));
      this.add(parent, page.bounds, 'unread');
    }
    return true;
  }

  /** Has the pages that may have changed read again: all, or those that have to be in any case. */
  again(which: 'all' | 'unsure'): void {
    for (const page of this.#known.values()) {
      const isRead = page.status === 'open' || (page.status === 'held' && !page.isImmutable);
      if (isRead && (which === 'all' || !page.head)) this.#readAgain(page);
    }
  }

  /** Forgets what is done with, but for what a page that may change leads to: that could be found again. */
  forgetDone(): void {
    const kept = new Set<number>();
    for (const { links } of this.#known.values()) {
      if (!links) return;
      for (const hash of links) if (this.done.has(hash)) kept.add(hash);
    }
    this.done = kept;
  }
}

function weightOf(url: string): number {
  return Math.ceil(url.length / URL_CHARACTERS);
}

/** The instant up to which nothing published is missing by the oldest of some answers, epoch milliseconds. */
export function currentAt(heads: readonly PageAnswer[]): number {
  return heads.reduce((oldestMs, { sentMs, ageMs }) => Math.min(oldestMs, sentMs - ageMs), Number.POSITIVE_INFINITY);
}

/**
 * Plans the next look at all pages that may change, together: never later than the MAL allows, and within that not
 * before their copies in caches end and the publisher's wish is met (READ-25).
 */
export function planRun(
  run: Pick<PollOptions, 'malMs' | 'readMs' | 'phase'> & {
    readonly heads: readonly PageAnswer[];
    readonly pollingIntervalMs?: number | undefined;
    readonly clockOffsetMs: number;
  },
): PollPlan {
  const { heads, pollingIntervalMs, malMs, readMs, clockOffsetMs, phase } = run;
  let firstSentMs = Number.POSITIVE_INFINITY;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  // Pages that say nothing of their next update may change at any moment.
  let nextUpdateMs = Number.POSITIVE_INFINITY;
  for (const head of heads) {
    firstSentMs = Math.min(firstSentMs, head.sentMs);
    lastSentMs = Math.max(lastSentMs, head.sentMs);
    nextUpdateMs = Math.min(nextUpdateMs, predictedMs(head, clockOffsetMs, undefined) ?? Number.NEGATIVE_INFINITY);
  }
  const hiddenAgeMs = firstSentMs - currentAt(heads);
  const plan = planPoll({ readAtMs: firstSentMs, hiddenAgeMs, nextUpdateMs, malMs, readMs, phase });
  const latestMs = plan.atMs + Math.max(0, malMs - plan.lagBoundMs);
  let { atMs } = plan;
  const wait = (untilMs: number) => {
    if (untilMs <= latestMs) atMs = Math.max(atMs, untilMs);
  };
  for (const { freshUntilMs = 0 } of heads) wait(freshUntilMs);
  if (pollingIntervalMs !== undefined) wait(lastSentMs + pollingIntervalMs);
  return { atMs, lagBoundMs: plan.lagBoundMs + atMs - plan.atMs };
}
