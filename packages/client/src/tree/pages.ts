/*
 * Which pages of a tree are read next, looked at again and when, or done with.
 *
 * A page is found by a link: `unread` -> `active` while it is fetched and read -> `held` while members of it wait ->
 * `open` while it may change, else done: of it a hash of its URL is kept.
 */

import { type PollPlan, planPoll } from '@ldes-live/latency';
import { Heap } from './heap.ts';
import { type Bounds, intersection, mayHold } from './order.ts';
import type { FetchedPage, PageAnswer, TreeLink } from './page.ts';
import { hashText } from './saved-state.ts';

/** A page of a tree that may have something to tell yet. */
export interface Page {
  readonly url: string;
  bounds: Bounds;
  /** URL of the page that led to it; absent for the root, and where it is not known. */
  readonly parent?: string;
  /** Where it redirected to when it was read last: what leads there leads to it, as long as it does. */
  target?: RedirectTarget;
  /** How many pages had been found before it. */
  readonly order: number;
  /** `unread`: to be read; `active`: being read; `held`: read, with members that wait; `open`: read, and it may change. */
  status: 'unread' | 'active' | 'held' | 'open';
  /** Members that it had when it was read last, by hash; absent when they are not known. */
  contents?: readonly number[];
  /** The pages that it led to then, by hash; absent when they are not known. */
  links?: readonly number[];
  /** Those of its members that have been handed out while others of it had not yet. */
  taken: number[];
  /** Members that have been read and wait to be handed out. */
  waiting: number;
  /** By which it is asked whether it is as it was. */
  etag?: string;
  /** Its last answer; absent when it has to be looked at again in any case. */
  head?: PageAnswer;
  /** Whether it was said, or found, never to change again. */
  isImmutable: boolean;
}

/** The page to which another redirects. */
export interface RedirectTarget {
  readonly url: string;
  /** Whether a page was found to lead there. */
  isLinked: boolean;
}

/** Which pages a reader asks for, and in what order. */
export interface PageChoice {
  /** The lowest value that they can hold, by which they are read; else they are read as they lead to each other. */
  readonly lowOf?: (bounds: Bounds) => number;
  /** The times that are asked for, epoch milliseconds. */
  readonly afterMs: number;
  readonly beforeMs: number;
}

/** The pages of a tree: those to be read, those to be looked at again, and those that are done with. */
export class TreePages {
  readonly #rootUrl: string;
  readonly #choice: PageChoice;
  readonly #unread: Heap<Page>;
  readonly #active = new Set<Page>();
  readonly #known = new Map<string, Page>();
  readonly #targets = new Map<string, RedirectTarget>();
  #done: Set<number>;
  #found = 0;

  constructor(rootUrl: string, choice: PageChoice, done: Iterable<number> = []) {
    this.#rootUrl = rootUrl;
    this.#choice = choice;
    this.#done = new Set(done);
    const { lowOf } = choice;
    // Depth first, as documents list them: little is then known of the tree at a time.
    const isDeeper = (left: Page, right: Page) => left.order > right.order;
    const isLower = (left: Page, right: Page) => {
      const [first, second] = [lowOf?.(left.bounds) ?? 0, lowOf?.(right.bounds) ?? 0];
      return first < second || (first === second && left.order < right.order);
    };
    this.#unread = new Heap(lowOf ? isLower : isDeeper);
  }

  /** Whether any page is to be read. */
  get hasUnread(): boolean {
    return this.#unread.size > 0;
  }

  /** How many pages have been found. */
  get found(): number {
    return this.#found;
  }

  /** Every page that is not done with. */
  get known(): Iterable<Page> {
    return this.#known.values();
  }

  /** The pages that have been read and may change. */
  get open(): Page[] {
    return [...this.#known.values()].filter(({ status }) => status === 'open');
  }

  /** Hashes of the URLs that need not be read again. */
  get done(): ReadonlySet<number> {
    return this.#done;
  }

  /** The lowest value that a page to be read, or being read, can hold; `Infinity` when there is none. */
  get low(): number {
    const { lowOf = () => Number.NEGATIVE_INFINITY } = this.#choice;
    let low = this.#unread.first ? lowOf(this.#unread.first.bounds) : Number.POSITIVE_INFINITY;
    for (const { bounds } of this.#active) low = Math.min(low, lowOf(bounds));
    return low;
  }

  /** Puts a page in: to be read, or only to be looked at again. */
  add(url: string, bounds: Bounds, status: 'unread' | 'open', given: Partial<Page> = {}): void {
    this.#found += 1;
    const page: Page = { url, bounds, order: this.#found, status, taken: [], waiting: 0, isImmutable: false, ...given };
    this.#known.set(url, page);
    if (page.target) this.#targets.set(page.target.url, page.target);
    if (status === 'unread') this.#unread.push(page);
  }

  /**
   * Takes note of the pages that a page leads to, and of where it came from: what it redirected to before is a page of its
   * own again, if anything leads there.
   *
   * @param from - URL of the page after redirects
   */
  discover(links: readonly TreeLink[], parent: Page, from: string): void {
    const former = this.#redirected(parent, from);
    // What was read of it, and what is handed out of that yet, is known of it: both go on with the same list.
    const known: Partial<Page> = { parent: parent.url, taken: parent.taken, contents: parent.contents ?? [] };
    const { afterMs, beforeMs, lowOf } = this.#choice;
    const hashes: number[] = [];
    // The last to be found is the first to be read.
    for (const { url, bounds } of lowOf ? links : [...links].reverse()) {
      const hash = hashText(url);
      hashes.push(hash);
      const page = this.#known.get(url);
      const target = this.#targets.get(url);
      if (page?.status === 'open') page.bounds = bounds;
      if (target) target.isLinked = true;
      if (page || target || this.#done.has(hash) || !mayHold(bounds.time, afterMs, beforeMs)) continue;
      // What bounds a page bounds those below it.
      const time = intersection(bounds.time, parent.bounds.time);
      const sequence = intersection(bounds.sequence, parent.bounds.sequence);
      this.add(url, { time, sequence }, 'unread', url === former?.url ? known : { parent: parent.url });
    }
    parent.links = hashes;
    if (!former?.isLinked) return;
    const other = this.#targets.get(former.url);
    if (other) other.isLinked = true;
    else if (!this.#known.has(former.url) && !this.#done.has(hashText(former.url))) {
      this.add(former.url, parent.bounds, 'unread', known);
    }
  }

  /** Never asks for a page again that was removed: what it redirected to is a page of its own again. */
  remove(page: Page): void {
    this.#release(page);
    this.finish(page);
  }

  #release(page: Page): void {
    this.discover([], page, page.url);
  }

  // Takes note of where a page redirects to, if it does; returns where it did before, if that was elsewhere.
  #redirected(page: Page, url: string): RedirectTarget | undefined {
    const { target: former } = page;
    if (url === (former?.url ?? page.url)) return undefined;
    if (former && this.#targets.get(former.url) === former) this.#targets.delete(former.url);
    delete page.target;
    if (url === page.url) return former;
    page.target = { url, isLinked: false };
    this.#targets.set(url, page.target);
    return former;
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
    page.status = 'unread';
    this.#unread.push(page);
  }

  /** Ends the reading of a page, as soon as none of its members waits. */
  settle(page: Page): void {
    // It was read, and is to be read once more.
    if (page.status === 'unread') return;
    this.#active.delete(page);
    page.status = 'held';
    if (page.waiting > 0) return;
    page.taken = [];
    page.status = 'open';
    // What a root redirects to may never change, and the root come to redirect elsewhere.
    if (page.isImmutable && !this.#isMovableRoot(page)) this.finish(page);
  }

  #isMovableRoot({ url, target }: Page): boolean {
    if (url !== this.#rootUrl || !target) return false;
    const asked = new URL(url);
    asked.hash = '';
    return asked.href !== target.url;
  }

  /** Never asks for a page again, nor for what it redirected to. */
  finish(page: Page): void {
    const { target } = page;
    this.#drop(page);
    this.#done.add(hashText(page.url));
    if (target && !this.#known.has(target.url)) this.#done.add(hashText(target.url));
  }

  #drop(page: Page): void {
    this.#active.delete(page);
    this.#known.delete(page.url);
    const { target } = page;
    if (target && this.#targets.get(target.url) === target) this.#targets.delete(target.url);
  }

  /**
   * Leaves a page that is not there to be found again by those that may lead to it, if any still does. The root is never
   * left.
   */
  leave(page: Page): boolean {
    if (page.url === this.#rootUrl) return false;
    const { parent } = page;
    const hash = hashText(page.url);
    this.#release(page);
    this.#drop(page);
    for (const known of this.#known.values()) {
      if (known.links?.includes(hash) === false) continue;
      delete known.etag;
      delete known.head;
    }
    if (parent !== undefined && !this.#known.has(parent)) {
      // What was done with led to it: whether it does, or is missing as well, only itself can tell.
      this.#done.delete(hashText(parent));
      this.add(parent, page.bounds, 'unread');
    }
    return true;
  }

  /** Has the pages that may have changed read again: all, or those that have to be in any case. */
  again(which: 'all' | 'unsure'): void {
    for (const page of [...this.#known.values()]) {
      const isRead = page.status === 'open' || (page.status === 'held' && !page.isImmutable);
      if (!isRead || (which === 'unsure' && page.head)) continue;
      page.status = 'unread';
      this.#unread.push(page);
    }
  }

  /** Forgets what is done with, but for what a page that may change leads to: that could be found again. */
  forgetDone(): void {
    const kept = new Set<number>();
    for (const { links } of this.#known.values()) {
      if (!links) return;
      for (const hash of links) if (this.#done.has(hash)) kept.add(hash);
    }
    this.#done = kept;
  }
}

/** A page and what asking for it brought, or the error that it ended in. */
export type Landed =
  | { readonly page: Page; readonly read: FetchedPage }
  | { readonly page: Page; readonly read?: never; readonly error: unknown };

/** Pages that are being asked for at once. */
export class PageFlights {
  readonly #flights = new Map<Page, Promise<Landed>>();

  get size(): number {
    return this.#flights.size;
  }

  /** Starts one. */
  start(page: Page, read: Promise<FetchedPage>): void {
    const landed = read.then(
      (brought) => ({ page, read: brought }),
      (error: unknown) => ({ page, error }),
    );
    this.#flights.set(page, landed);
  }

  /** The first to come back. */
  async next(): Promise<Landed> {
    const landed = await Promise.race(this.#flights.values());
    this.#flights.delete(landed.page);
    return landed;
  }

  /** The pages that have not come back. */
  get pages(): Page[] {
    return [...this.#flights.keys()];
  }
}

/** What is known at the end of a synchronisation run. */
export interface RunCircumstances {
  /** The answers of all pages that may change, one or more. */
  readonly heads: readonly PageAnswer[];
  /** How long the publisher wishes readers to wait between runs, milliseconds. */
  readonly pollingIntervalMs?: number;
  /** The maximum acceptable latency, milliseconds. */
  readonly malMs: number;
  /** How long a run takes from its first request to its last member, milliseconds. */
  readonly readMs: number;
  /** The server's clock minus ours, milliseconds. */
  readonly clockOffsetMs: number;
  /** The client's place among all others, in [0, 1). */
  readonly phase: number;
}

/** The instant up to which nothing published is missing by the oldest of some answers, epoch milliseconds. */
export function currentAt(heads: readonly PageAnswer[]): number {
  return heads.reduce((oldestMs, { sentMs, ageMs }) => Math.min(oldestMs, sentMs - ageMs), Number.POSITIVE_INFINITY);
}

/**
 * Plans the next look at all pages that may change, together: never later than the MAL allows, and within that not
 * before their copies in caches end and the publisher's wish is met.
 *
 * @see specs/any-ldes.md READ-25
 */
export function planRun(circumstances: RunCircumstances): PollPlan {
  const { heads, pollingIntervalMs, malMs, readMs, clockOffsetMs, phase } = circumstances;
  const currentAtMs = currentAt(heads);
  let firstSentMs = Number.POSITIVE_INFINITY;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  // Pages that say nothing of their next update may change at any moment.
  let nextUpdateMs = Number.POSITIVE_INFINITY;
  for (const head of heads) {
    firstSentMs = Math.min(firstSentMs, head.sentMs);
    lastSentMs = Math.max(lastSentMs, head.sentMs);
    nextUpdateMs = Math.min(nextUpdateMs, (head.nextUpdateMs ?? Number.NEGATIVE_INFINITY) - clockOffsetMs);
  }
  const isPredicted = nextUpdateMs > currentAtMs;
  const plan = planPoll({
    readAtMs: firstSentMs,
    hiddenAgeMs: firstSentMs - currentAtMs,
    ...(isPredicted ? { nextUpdateMs } : {}),
    malMs,
    readMs,
    phase,
  });
  const oldestMs = isPredicted ? nextUpdateMs : currentAtMs;
  const latestMs = Math.max(plan.atMs, oldestMs + malMs - readMs);
  let { atMs } = plan;
  const wait = (untilMs: number) => {
    if (untilMs <= latestMs) atMs = Math.max(atMs, untilMs);
  };
  for (const { freshUntilMs = 0 } of heads) wait(freshUntilMs);
  if (pollingIntervalMs !== undefined) wait(lastSentMs + pollingIntervalMs);
  return { atMs, lagBoundMs: atMs - oldestMs + readMs };
}
