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
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import {
  type Found,
  type RequestKind,
  type StreamDocument,
  streamUrls,
  type View,
  type ViewedStream,
  type WrittenStream,
} from './document.ts';
import { atHand } from './member-texts.ts';

/** What the documents that lead to others are made of. */
type NodeStream = Pick<WrittenStream, 'description' | 'log'>;

// Without leading zeros, so that a page has one URL.
const NODE =
  /^pages\/([^/]+)\/(?:(0|[1-9]\d{0,12})|range-(0|[1-9]\d{0,12})(?:-v([1-9]\d{0,2}))?|after-(0|[1-9]\d{0,14})|removed)$/;

/** All members by time: the root, the ranges, the pages and the tails. @see specs/documents.md DOC-5, DOC-60 */
export function timeView(stream: ViewedStream): View {
  const { description, log } = stream;
  const urls = streamUrls(description);
  const links = new NodeLinks(log);
  const root = found(rootDocument(stream, links), 'root');

  const cursorGone = (cursor: string) =>
    errors.ERR_CURSOR_GONE({ cursor, head: formatCursor(log.head.cursor), latest: urls.latest });

  const after = (text: string | null): Found => {
    const head = log.head.cursor;
    if (text === null) throw errors.ERR_CURSOR_MISSING({ example: `${urls.pages}?after=${formatCursor(head)}` });
    const { epoch, sequence } = parseCursor(text);
    // Who has read nothing begins with the first that is held.
    const next = sequence === 0 ? log.heldFrom : sequence + 1;
    const isHeld = epoch === head.epoch && sequence <= head.sequence && next >= log.heldFrom;
    if (!isHeld) throw cursorGone(text);
    return { kind: 'redirect', url: urls.page(epoch, pageOf(next)) };
  };

  const pageGone = (url: string) => {
    const { epoch } = log.head.cursor;
    const first = formatCursor({ epoch, sequence: log.heldFrom - 1 });
    return errors.ERR_PAGE_GONE({ url, next: `${urls.pages}?after=${first}`, latest: urls.latest });
  };

  // What is sealed never changes: another document takes its place, which may be kept as long.
  const removed = (): Found => ({ kind: 'redirect', url: urls.removed(log.head.cursor.epoch) });

  const page = (index: number): Found | undefined => {
    if (index > openPage(log.head.cursor.sequence)) return undefined;
    const state = removalOf(log.removals, index);
    if (state === 'purged') throw pageGone(urls.page(log.head.cursor.epoch, index));
    if (state === 'tombstoned') return removed();
    const isFull = isSealed(extentOfPage(index), log.head.cursor.sequence);
    return found(pageDocument(stream, index), isFull ? 'sealed_page' : 'open_page');
  };

  const range = (index: number, revision: number): Found | undefined => {
    const { epoch, sequence } = log.head.cursor;
    if (index > rangeOf(openPage(sequence)) || revision > RANGE_PAGES) return undefined;
    const { removals } = log;
    const purged = removals.filter(({ state }) => state === 'purged');
    if (removedCount(purged, index) === RANGE_PAGES) throw pageGone(urls.range(epoch, index, revision));
    if (removedCount(removals, index) === RANGE_PAGES) return removed();
    const current = rangeUrl(stream, index);
    if (urls.range(epoch, index, revision) !== current) return { kind: 'redirect', url: current };
    return found(rangeDocument(stream, index, links), 'range');
  };

  const tail = (after: number): Found => {
    const { epoch, sequence } = log.head.cursor;
    const isHeld = after <= sequence && after + 1 >= log.heldFrom;
    if (!isHeld) throw cursorGone(formatCursor({ epoch, sequence: after }));
    if (sequence - after > TAIL_MEMBERS) return { kind: 'redirect', url: urls.page(epoch, pageOf(after + 1)) };
    return found(tailDocument(stream, after), 'tail');
  };

  return {
    path: '',
    entry: { url: urls.root, title: 'History', ...(description.retention && { retention: description.retention }) },
    find: (rest, query) => {
      if (rest === '') return root;
      if (rest === 'pages') return after(query.get('after'));
      const [, epoch, asPage, asRange, revision = '0', asTail] = NODE.exec(rest) ?? [];
      if (epoch === undefined) return undefined;
      if (epoch !== log.head.cursor.epoch) throw cursorGone(`${epoch}-${asTail ?? 0}`);
      if (asTail !== undefined) return tail(Number(asTail));
      if (asPage !== undefined) return page(Number(asPage));
      if (asRange !== undefined) return range(Number(asRange), Number(revision));
      return found(removedDocument(urls.removed(epoch)), 'sealed_page');
    },
  };
}

function found(document: StreamDocument, counted: RequestKind): Found {
  return { kind: 'document', document, counted };
}

/** The root: the event stream's description and the way to its ranges. It changes with the ranges only. */
function rootDocument(stream: ViewedStream, links: NodeLinks): StreamDocument {
  const { description, log } = stream;
  const { root } = streamUrls(description);
  const openRange = () => rangeOf(openPage(log.head.cursor.sequence));
  return {
    url: root,
    state: () => {
      const { cursor } = log.head;
      const started = extentOfRange(openRange()).first <= cursor.sequence;
      const { pollingIntervalSeconds } = streamSummary(stream);
      return {
        version: `${openRange()}-${started}-${pollingIntervalSeconds}-${removalsText(log.removals)}`,
        cursor,
        caching: 'scheduled',
        ...(description.retention && { longestAgeSeconds: RETAINED_AGE_SECONDS }),
      };
    },
    build: async () => {
      const led = await links.of(standingRanges(stream));
      const quads = rootQuads(description, { ...streamSummary(stream), ranges: led });
      return { quads, lastModifiedMs: newestBound(led) };
    },
  };
}

/** What the root and the catalogue say of a stream alike; an interval where one is known. */
export function streamSummary({ description, sparqlEndpoint, schedule }: ViewedStream): Omit<RootDocument, 'ranges'> {
  const now = schedule();
  const { shape } = streamUrls(description);
  return { shape, sparqlEndpoint, ...(now.kind === 'interval' && { pollingIntervalSeconds: now.intervalMs / 1000 }) };
}

// The ranges of which a page stands, from the first such page on.
function standingRanges({ description, log }: NodeStream): (Extent & { readonly url: string })[] {
  const open = openPage(log.head.cursor.sequence);
  return Array.from({ length: rangeOf(open) + 1 }, (_, range) => range).flatMap((range) => {
    const pages = standingPages(log.removals, range, open);
    const [first] = pages;
    if (first === undefined) return [];
    const last = rangeOf(open) === range ? (range + 1) * RANGE_PAGES - 1 : (pages.at(-1) as number);
    const url = rangeUrl({ description, log }, range);
    return [{ url, first: extentOfPage(first).first, last: extentOfPage(last).last }];
  });
}

/**
 * A range: the node that leads to up to 100 pages. It is sealed when the last of them is. What retention removes of a
 * sealed range makes a new document of it, at a URL of its own.
 *
 * @param index - of a range that exists, up to the open one, and of which a page stands
 */
export function rangeDocument({ description, log }: NodeStream, index: number, links: NodeLinks): StreamDocument {
  const { epoch } = log.head.cursor;
  const urls = streamUrls(description);
  const url = rangeUrl({ description, log }, index);
  const extent = extentOfRange(index);
  // A sealed one is what it was when it was asked for: if pages are removed meanwhile, that is another document.
  const frozen = isSealed(extent, log.head.cursor.sequence) ? log.removals : undefined;
  const removals = () => frozen ?? log.removals;
  // Sealed while it is made, and some of its pages removed before, it has another URL by now.
  const isFinal = () =>
    isSealed(extent, log.head.cursor.sequence) && (frozen !== undefined || removedCount(log.removals, index) === 0);
  const lastPage = () => Math.min(openPage(log.head.cursor.sequence), (index + 1) * RANGE_PAGES - 1);
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      const sealed = isFinal();
      const removed = removedCount(removals(), index);
      // The open page has a lower bound as soon as it has a member.
      const started = extentOfPage(lastPage()).first <= cursor.sequence;
      return {
        version: `${lastPage()}-${started}-${sealed}-${removed}`,
        cursor,
        caching: sealed ? 'immutable' : 'scheduled',
        ...(description.retention && { longestAgeSeconds: RETAINED_AGE_SECONDS }),
        // A revision is one of many: what it takes to make it again is less than what it takes to keep them all.
        ...(sealed && removed === 0 ? { disk: { stream: description.name, extent, name: `range-${index}` } } : {}),
      };
    },
    build: async () => {
      const { sequence } = log.head.cursor;
      const sealed = isFinal();
      const pages = standingPages(removals(), index, openPage(sequence));
      const led = await links.of(pages.map((page) => ({ url: urls.page(epoch, page), ...extentOfPage(page) })));
      return { quads: rangeQuads({ url, sealed, pages: led }), lastModifiedMs: newestBound(led) };
    },
  };
}

/** The URL of a range as it is now: its own, or, of a sealed one that retention took pages from, a revision's. */
function rangeUrl({ description, log }: NodeStream, index: number): string {
  const { epoch, sequence } = log.head.cursor;
  const removed = isSealed(extentOfRange(index), sequence) ? removedCount(log.removals, index) : 0;
  return streamUrls(description).range(epoch, index, removed);
}

// When an empty document came to be is not known; it is no later than anything else.
const EPOCH = '1970-01-01T00:00:00.000Z';

/**
 * A page: up to 250 members in order. It is sealed when it is full.
 *
 * @param index - of a page that exists, up to the open one, and was not erased
 */
function pageDocument({ description, log, texts }: WrittenStream, index: number): StreamDocument {
  const { epoch } = log.head.cursor;
  const urls = streamUrls(description);
  const url = urls.page(epoch, index);
  const extent = extentOfPage(index);
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      const sealed = isSealed(extent, cursor.sequence);
      const last = { epoch: cursor.epoch, sequence: sealed ? extent.last : cursor.sequence };
      return {
        version: formatCursor(last),
        tag: formatCursor(last),
        cursor: last,
        caching: sealed ? 'immutable' : 'scheduled',
        profile: true,
        ...(sealed
          ? { nextPage: urls.page(epoch, index + 1), disk: { stream: description.name, extent, name: 'page' } }
          : { hasTail: true }),
      };
    },
    build: async (format) => {
      const sealed = isSealed(extent, log.head.cursor.sequence);
      const list = await log.read(extent.first - 1, PAGE_MEMBERS);
      const { time = EPOCH } = list.at(-1) ?? {};
      // Before the last commit the page ended with another, or was empty.
      const { time: timeBefore = EPOCH } = list.findLast((member) => member.time !== time) ?? {};
      const content = await texts.content(format, nodeQuads({ url, sealed }), ...atHand(list));
      return { ...content, lastModifiedMs: Date.parse(time), previouslyModifiedMs: Date.parse(timeBefore) };
    },
  };
}

/** How long a tail may be kept that is cut off where the log goes on: whoever reads it has to ask further. */
const CUT_MAX_AGE_SECONDS = 1;

/**
 * A tail: the members after a sequence number, up to the head. Whoever is up to date asks for the same one as all others
 * who are, and gets what is new in one answer.
 *
 * @param after - sequence number from which on the log holds all members, at most the head's
 */
function tailDocument({ description, log, texts }: WrittenStream, after: number): StreamDocument {
  const urls = streamUrls(description);
  const url = urls.tail({ epoch: log.head.cursor.epoch, sequence: after });
  // Commits may come while it is made, and then it may be cut off: its cursor says where.
  const isCut = () => log.head.cursor.sequence - after > TAIL_MEMBERS;
  return {
    url,
    state: () => {
      const { cursor: head } = log.head;
      const cursor = isCut() ? { epoch: head.epoch, sequence: after + TAIL_MEMBERS } : head;
      const tag = formatCursor(cursor);
      return {
        version: tag,
        tag,
        cursor,
        caching: isCut() ? { maxAgeSeconds: CUT_MAX_AGE_SECONDS } : 'scheduled',
        profile: true,
        hasTail: true,
        // The next commit makes another tail the one that is asked for.
        group: urls.root,
      };
    },
    build: async (format) => {
      const { timeMs } = log.head;
      const list = await log.read(after, TAIL_MEMBERS);
      const { time } = list.at(-1) ?? {};
      const content = await texts.content(format, nodeQuads({ url, sealed: false }), ...atHand(list));
      return { ...content, lastModifiedMs: time === undefined ? timeMs : Date.parse(time) };
    },
  };
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

/** How long what leads to pages may be kept where retention takes some away: no longer than they stand unlinked. @see specs/documents.md DOC-48 */
const RETAINED_AGE_SECONDS = 60;

// Enough for the pages of many ranges; past it they are read again, which costs two look-ups each.
const LIMIT_LINKS = 10_000;

/**
 * What a relation says of the pages or ranges it leads to: when their first and, once sealed, their last member was
 * published. The bounds of sealed extents never change, so they are read from the log once.
 */
export class NodeLinks {
  readonly #log: ReadableLog;
  readonly #sealed = new Map<string, NodeLink>();

  constructor(log: ReadableLog) {
    this.#log = log;
  }

  /** The links for consecutive extents from the first on, as of the call. */
  async of(extents: readonly (Extent & { readonly url: string })[]): Promise<NodeLink[]> {
    const headSequence = this.#log.head.cursor.sequence;
    return Promise.all(
      extents.map((extent) => this.#sealed.get(extent.url) ?? this.#read(extent, isSealed(extent, headSequence))),
    );
  }

  async #read(extent: Extent & { readonly url: string }, sealed: boolean): Promise<NodeLink> {
    const { url } = extent;
    const [[first], [last]] = await Promise.all([
      this.#log.read(extent.first - 1, 1),
      sealed ? this.#log.read(extent.last - 1, 1) : [],
    ]);
    if (!first) return { url };
    if (!last) return { url, firstTime: first.time };
    const link = { url, firstTime: first.time, lastTime: last.time };
    if (this.#sealed.size >= LIMIT_LINKS) this.#sealed.clear();
    this.#sealed.set(url, link);
    return link;
  }
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

/** How many pages of a range were removed. */
function removedCount(removals: readonly Removal[], range: number): number {
  const extent = extentOfRange(range);
  const within = ({ first, last }: Extent) => Math.min(last, extent.last) - Math.max(first, extent.first) + 1;
  return removals.reduce((count, removal) => count + Math.max(0, within(removal)), 0) / PAGE_MEMBERS;
}

/** The pages of a range that stand. @param openPage - index of the last page that there is */
function standingPages(removals: readonly Removal[], range: number, openPage: number): number[] {
  const first = range * RANGE_PAGES;
  const pages = Array.from({ length: Math.min(RANGE_PAGES, openPage - first + 1) }, (_, index) => first + index);
  return pages.filter((page) => removalOf(removals, page) === undefined);
}

// Asked for with every request, while removals are rare.
const runTexts = new WeakMap<readonly Removal[], string>();

/** Which members were removed, as a text: equal for equal members. */
function removalsText(removals: readonly Removal[]): string {
  const known = runTexts.get(removals);
  if (known !== undefined) return known;
  const runs: Extent[] = [];
  for (const { first, last } of removals) {
    const before = runs.at(-1);
    if (before && before.last + 1 === first) runs[runs.length - 1] = { first: before.first, last };
    else runs.push({ first, last });
  }
  const text = runs.map(({ first, last }) => `${first}-${last}`).join();
  runTexts.set(removals, text);
  return text;
}
