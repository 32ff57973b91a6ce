/* All members by time: the root leads to ranges of 100 pages, a range to pages of 250 members; a tail holds what came
 * after a member. What is full is sealed and never changes. What retention removes of it goes in three steps:
 *   unlinked    no relation leads to it; it is answered as before
 *   tombstoned  its members are erased; for a while its URL leads to a node with nothing on it
 *   purged      410
 * log.removals: [{ first: 1, last: 500, state: 'purged' }, { first: 501, last: 750, state: 'unlinked' }]
 *   -> pages 0 and 1 are gone, page 2 stands without a link; range 0, once sealed, is at 'range-0-v3'. */
import type { ReadableLog, Removal } from '@ldes-live/log';
import {
  type Extent,
  extentOfPage,
  extentOfRange,
  type Format,
  formatCursor,
  isSealed,
  type NodeLink,
  nodeQuads,
  openPage,
  PAGE_MEMBERS,
  pageOf,
  parseCursor,
  RANGE_PAGES,
  type RootDocument,
  rangeOf,
  rangeQuads,
  rootQuads,
  TAIL_MEMBERS,
  type TreeNode,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import {
  type DocumentState,
  type EntryPoint,
  type Found,
  membersState,
  type RequestKind,
  type StreamDocument,
  type StreamUrls,
  streamUrls,
  type View,
  type ViewedStream,
} from './document.ts';
import { atHand } from './member-texts.ts';

// Without leading zeros, so that a page has one URL.
export const NODE =
  /^pages\/([^/]+)\/(?:(0|[1-9]\d{0,12})|range-(0|[1-9]\d{0,12})(?:-v([1-9]\d{0,2}))?|after-(0|[1-9]\d{0,14})|removed)$/;

// When an empty document came to be is not known; it is no later than anything else.
const EPOCH = '1970-01-01T00:00:00.000Z';

/** How long a tail may be kept that is cut off where the log goes on: whoever reads it has to ask further. */
const CUT_MAX_AGE_SECONDS = 1;

/** How long what leads to pages may be kept where retention takes some away: no longer than they stand unlinked. @see specs/documents.md DOC-8 */
const RETAINED_AGE_SECONDS = 60;

// Enough for the pages of many ranges; past it they are read again, which costs two look-ups each.
const LIMIT_LINKS = 10_000;

/** How many sealed pages to remember: readers of a history come to the same ones, one after the other. */
const LIMIT_SEALED_PAGES = 256;

/** An extent of members that has a document. */
interface Node extends Extent {
  readonly url: string;
}

/** All members by time: the root, the ranges, the pages and the tails. @see specs/documents.md DOC-5, DOC-60 */
export class TimeView implements View {
  readonly path = '';
  readonly entry: EntryPoint;
  readonly #stream: ViewedStream;
  readonly #log: ReadableLog;
  readonly #urls: StreamUrls;
  readonly #root: Found;
  /** What relations say of sealed extents, by URL: it never changes, so it is read from the log once. */
  readonly #links = new Map<string, NodeLink>();
  /** By index. */
  readonly #sealedPages = new Map<number, { readonly epoch: string; readonly page: Found }>();

  constructor(stream: ViewedStream) {
    const { description, log } = stream;
    this.#stream = stream;
    this.#log = log;
    this.#urls = streamUrls(description);
    this.#root = found(this.#rootDocument(), 'root');
    const { retention } = description;
    this.entry = { url: this.#urls.root, title: 'History', ...(retention && { retention }) };
  }

  find(rest: string, query: URLSearchParams): Found | undefined {
    if (rest === '') return this.#root;
    if (rest === 'pages') return this.#after(query.get('after'));
    const [, epoch, page, range, revision = '0', after] = NODE.exec(rest) ?? [];
    if (epoch === undefined) return undefined;
    if (epoch !== this.#log.head.cursor.epoch) throw this.#cursorGone(`${epoch}-${after ?? 0}`);
    if (after !== undefined) return this.#tail(Number(after));
    if (page !== undefined) return this.#page(Number(page));
    if (range !== undefined) return this.#range(Number(range), Number(revision));
    return found(removedDocument(this.#urls.removed(epoch)), 'sealed_page');
  }

  /** The way to the page of the member after a cursor. */
  #after(text: string | null): Found {
    const { cursor: head } = this.#log.head;
    if (text === null) throw errors.ERR_CURSOR_MISSING({ example: `${this.#urls.pages}?after=${formatCursor(head)}` });
    const { epoch, sequence } = parseCursor(text);
    // Who has read nothing begins with the first that is held.
    const after = sequence === 0 ? this.#log.heldFrom - 1 : sequence;
    if (epoch !== head.epoch || !this.#isHeld(after)) throw this.#cursorGone(text);
    return { kind: 'redirect', url: this.#urls.page(epoch, pageOf(after + 1)) };
  }

  #page(index: number): Found | undefined {
    const { epoch, sequence } = this.#log.head.cursor;
    if (index > openPage(sequence)) return undefined;
    const state = removalOf(this.#log.removals, index);
    if (state === 'purged') throw this.#pageGone(this.#urls.page(epoch, index));
    if (state === 'tombstoned') return this.#removed();
    if (!isSealed(extentOfPage(index), sequence)) return found(this.#pageDocument(index), 'open_page');
    const known = this.#sealedPages.get(index);
    if (known?.epoch === epoch) return known.page;
    const page = found(this.#pageDocument(index), 'sealed_page');
    if (this.#sealedPages.size >= LIMIT_SEALED_PAGES) this.#sealedPages.clear();
    this.#sealedPages.set(index, { epoch, page });
    return page;
  }

  #range(index: number, revision: number): Found | undefined {
    const { epoch, sequence } = this.#log.head.cursor;
    if (index > rangeOf(openPage(sequence)) || revision > RANGE_PAGES) return undefined;
    const { removals } = this.#log;
    const asked = this.#urls.range(epoch, index, revision);
    const purged = removals.filter(({ state }) => state === 'purged');
    if (removedCount(purged, extentOfRange(index)) === RANGE_PAGES) throw this.#pageGone(asked);
    if (removedCount(removals, extentOfRange(index)) === RANGE_PAGES) return this.#removed();
    const current = this.#rangeUrl(index);
    return asked === current ? found(this.#rangeDocument(index), 'range') : { kind: 'redirect', url: current };
  }

  #tail(after: number): Found {
    const { epoch, sequence } = this.#log.head.cursor;
    if (!this.#isHeld(after)) throw this.#cursorGone(formatCursor({ epoch, sequence: after }));
    if (sequence - after > TAIL_MEMBERS) return { kind: 'redirect', url: this.#urls.page(epoch, pageOf(after + 1)) };
    return found(this.#tailDocument(after), 'tail');
  }

  /** Whether the log has all members after a sequence number. */
  #isHeld(after: number): boolean {
    return after <= this.#log.head.cursor.sequence && after + 1 >= this.#log.heldFrom;
  }

  #cursorGone(cursor: string): Error {
    const { latest } = this.#urls;
    return errors.ERR_CURSOR_GONE({ cursor, head: formatCursor(this.#log.head.cursor), latest });
  }

  #pageGone(url: string): Error {
    const { pages, latest } = this.#urls;
    const first = formatCursor({ epoch: this.#log.head.cursor.epoch, sequence: this.#log.heldFrom - 1 });
    return errors.ERR_PAGE_GONE({ url, next: `${pages}?after=${first}`, latest });
  }

  // What is sealed never changes: another document takes its place, which may be kept as long.
  #removed(): Found {
    return { kind: 'redirect', url: this.#urls.removed(this.#log.head.cursor.epoch) };
  }

  /** The root: the event stream's description and the way to its ranges. It changes with the ranges only. */
  #rootDocument(): StreamDocument {
    const log = this.#log;
    return {
      url: this.#urls.root,
      state: () => {
        const { cursor } = log.head;
        const open = rangeOf(openPage(cursor.sequence));
        const isStarted = extentOfRange(open).first <= cursor.sequence;
        const { pollingIntervalSeconds } = streamSummary(this.#stream);
        // What was removed stays removed, so that their number tells what it is.
        const removed = removedCount(log.removals, { first: 1, last: cursor.sequence });
        return {
          version: `${open}-${isStarted}-${pollingIntervalSeconds}-${removed}`,
          cursor,
          caching: 'scheduled',
          ...this.#retainedAge(),
        };
      },
      build: async () => {
        const ranges = await this.#linksTo(this.#standingRanges());
        const quads = rootQuads(this.#stream.description, { ...streamSummary(this.#stream), ranges });
        return { quads, lastModifiedMs: newestBound(ranges) };
      },
    };
  }

  // The ranges of which a page stands, from the first such page on.
  #standingRanges(): Node[] {
    const open = openPage(this.#log.head.cursor.sequence);
    return Array.from({ length: rangeOf(open) + 1 }, (_, range) => range).flatMap((range) => {
      const pages = standingPages(this.#log.removals, range, open);
      const [first] = pages;
      if (first === undefined) return [];
      const last = rangeOf(open) === range ? (range + 1) * RANGE_PAGES - 1 : (pages.at(-1) as number);
      return [{ url: this.#rangeUrl(range), first: extentOfPage(first).first, last: extentOfPage(last).last }];
    });
  }

  /**
   * A range: the node that leads to up to 100 pages. It is sealed when the last of them is. What retention removes of a
   * sealed range makes a new document of it, at a URL of its own.
   *
   * @param index - of a range that exists, up to the open one, and of which a page stands
   */
  #rangeDocument(index: number): StreamDocument {
    const log = this.#log;
    const { description } = this.#stream;
    const { epoch } = log.head.cursor;
    const url = this.#rangeUrl(index);
    const extent = extentOfRange(index);
    // A sealed one is what it was when it was asked for: if pages are removed meanwhile, that is another document.
    const frozen = isSealed(extent, log.head.cursor.sequence) ? log.removals : undefined;
    const now = () => {
      const { sequence } = log.head.cursor;
      const removals = frozen ?? log.removals;
      const removed = removedCount(removals, extent);
      // Sealed while it is made, and some of its pages removed before, it has another URL by now.
      return {
        sequence,
        removals,
        removed,
        sealed: isSealed(extent, sequence) && (frozen !== undefined || removed === 0),
      };
    };
    return {
      url,
      state: () => {
        const { sequence, removed, sealed } = now();
        const lastPage = Math.min(openPage(sequence), (index + 1) * RANGE_PAGES - 1);
        // The open page has a lower bound as soon as it has a member.
        const isStarted = extentOfPage(lastPage).first <= sequence;
        return {
          version: `${lastPage}-${isStarted}-${sealed}-${removed}`,
          cursor: log.head.cursor,
          caching: sealed ? 'immutable' : 'scheduled',
          ...this.#retainedAge(),
          // A revision is one of many: what it takes to make it again is less than what it takes to keep them all.
          ...(sealed && removed === 0 ? { disk: { stream: description.name, extent, name: `range-${index}` } } : {}),
        };
      },
      build: async () => {
        const { sequence, removals, sealed } = now();
        const standing = standingPages(removals, index, openPage(sequence));
        const nodes = standing.map((page) => ({ url: this.#urls.page(epoch, page), ...extentOfPage(page) }));
        const pages = await this.#linksTo(nodes);
        return { quads: rangeQuads({ url, sealed, pages }), lastModifiedMs: newestBound(pages) };
      },
    };
  }

  /** The URL of a range as it is now: its own, or, of a sealed one that retention took pages from, a revision's. */
  #rangeUrl(index: number): string {
    const { epoch, sequence } = this.#log.head.cursor;
    const extent = extentOfRange(index);
    return this.#urls.range(epoch, index, isSealed(extent, sequence) ? removedCount(this.#log.removals, extent) : 0);
  }

  /**
   * A page: up to 250 members in order. It is sealed when it is full.
   *
   * @param index - of a page that exists, up to the open one, and was not erased
   */
  #pageDocument(index: number): StreamDocument {
    const log = this.#log;
    const { description } = this.#stream;
    const { epoch } = log.head.cursor;
    const url = this.#urls.page(epoch, index);
    const extent = extentOfPage(index);
    const sealedState: DocumentState = {
      ...membersState({ epoch, sequence: extent.last }),
      caching: 'immutable',
      nextPage: this.#urls.page(epoch, index + 1),
      disk: { stream: description.name, extent, name: 'page' },
    };
    return {
      url,
      state: () => {
        const { sequence } = log.head.cursor;
        return isSealed(extent, sequence) ? sealedState : { ...membersState({ epoch, sequence }), hasTail: true };
      },
      build: async (format) => {
        const sealed = isSealed(extent, log.head.cursor.sequence);
        const { list, ...content } = await this.#members({ url, sealed }, extent.first - 1, PAGE_MEMBERS, format);
        const { time = EPOCH } = list.at(-1) ?? {};
        // Before the last commit the page ended with another, or was empty.
        const { time: timeBefore = EPOCH } = list.findLast((member) => member.time !== time) ?? {};
        return { ...content, lastModifiedMs: Date.parse(time), previouslyModifiedMs: Date.parse(timeBefore) };
      },
    };
  }

  /**
   * A tail: the members after a sequence number, up to the head. Whoever is up to date asks for the same one as all others
   * who are, and gets what is new in one answer.
   *
   * @param after - sequence number from which on the log holds all members, at most the head's
   */
  #tailDocument(after: number): StreamDocument {
    const log = this.#log;
    const url = this.#urls.tail({ epoch: log.head.cursor.epoch, sequence: after });
    return {
      url,
      state: () => {
        const { epoch, sequence } = log.head.cursor;
        // Commits may come while it is made, and then it may be cut off: its cursor says where.
        const isCut = sequence - after > TAIL_MEMBERS;
        return {
          ...membersState({ epoch, sequence: isCut ? after + TAIL_MEMBERS : sequence }),
          ...(isCut && { caching: { maxAgeSeconds: CUT_MAX_AGE_SECONDS } }),
          hasTail: true,
          // The next commit makes another tail the one that is asked for.
          group: this.#urls.root,
        };
      },
      build: async (format) => {
        const { timeMs } = log.head;
        const { list, ...content } = await this.#members({ url, sealed: false }, after, TAIL_MEMBERS, format);
        const { time } = list.at(-1) ?? {};
        return { ...content, lastModifiedMs: time === undefined ? timeMs : Date.parse(time) };
      },
    };
  }

  async #members(node: TreeNode, after: number, limit: number, format: Format | undefined) {
    const list = await this.#log.read(after, limit);
    return { list, ...(await this.#stream.texts.content(format, nodeQuads(node), ...atHand(list))) };
  }

  #retainedAge(): Pick<DocumentState, 'longestAgeSeconds'> {
    return this.#stream.description.retention ? { longestAgeSeconds: RETAINED_AGE_SECONDS } : {};
  }

  /**
   * What relations say of the pages or ranges they lead to, as of the call: when their first and, once sealed, their last
   * member was published.
   */
  async #linksTo(nodes: readonly Node[]): Promise<NodeLink[]> {
    const { sequence } = this.#log.head.cursor;
    return Promise.all(nodes.map((node) => this.#links.get(node.url) ?? this.#linkTo(node, isSealed(node, sequence))));
  }

  async #linkTo({ url, first, last }: Node, sealed: boolean): Promise<NodeLink> {
    const timeOf = async (sequence: number) => (await this.#log.read(sequence - 1, 1))[0]?.time;
    const [firstTime, lastTime] = await Promise.all([timeOf(first), sealed ? timeOf(last) : undefined]);
    const link = { url, firstTime, lastTime };
    if (firstTime === undefined || lastTime === undefined) return link;
    if (this.#links.size >= LIMIT_LINKS) this.#links.clear();
    this.#links.set(url, link);
    return link;
  }
}

function found(document: StreamDocument, counted: RequestKind): Found {
  return { kind: 'document', document, counted };
}

/** What the root and the catalogue say of a stream alike; an interval where one is known. */
export function streamSummary({ description, sparqlEndpoint, schedule }: ViewedStream): Omit<RootDocument, 'ranges'> {
  const now = schedule();
  const { shape } = streamUrls(description);
  return { shape, sparqlEndpoint, ...(now.kind === 'interval' && { pollingIntervalSeconds: now.intervalMs / 1000 }) };
}

/**
 * What the URLs of pages and ranges lead to for a while that retention removed: a node with nothing on it, and without a
 * cursor, since it does not account for the members that they had.
 *
 * @see specs/documents.md DOC-28
 */
function removedDocument(url: string): StreamDocument {
  return {
    url,
    state: () => ({ version: '', caching: 'immutable' }),
    build: async () => ({ quads: nodeQuads({ url, sealed: true }), lastModifiedMs: Date.parse(EPOCH) }),
  };
}

/** The newest time that relations state: when the node that has them last changed. Epoch milliseconds. */
function newestBound(links: readonly NodeLink[]): number {
  return Math.max(0, ...links.map((link) => Date.parse(link.lastTime ?? link.firstTime ?? '') || 0));
}

/** What has become of a page that retention removed; `undefined` of one that stands. */
function removalOf(removals: readonly Removal[], page: number): Removal['state'] | undefined {
  const { first } = extentOfPage(page);
  let [low, high] = [0, removals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((removals[middle] as Removal).last < first) low = middle + 1;
    else high = middle;
  }
  const found = removals[low];
  return found && found.first <= first ? found.state : undefined;
}

/** How many pages of an extent were removed. */
function removedCount(removals: readonly Removal[], extent: Extent): number {
  const within = ({ first, last }: Extent) => Math.min(last, extent.last) - Math.max(first, extent.first) + 1;
  return removals.reduce((count, removal) => count + Math.max(0, within(removal)), 0) / PAGE_MEMBERS;
}

/** The pages of a range that stand. @param openPage - index of the last page that there is */
function standingPages(removals: readonly Removal[], range: number, openPage: number): number[] {
  const first = range * RANGE_PAGES;
  const pages = Array.from({ length: Math.min(RANGE_PAGES, openPage - first + 1) }, (_, index) => first + index);
  return pages.filter((page) => removalOf(removals, page) === undefined);
}
