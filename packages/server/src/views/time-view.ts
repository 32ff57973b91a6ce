import {
  extentOfPage,
  extentOfRange,
  formatCursor,
  isSealed,
  openPage,
  pageOf,
  parseCursor,
  RANGE_PAGES,
  rangeOf,
  TAIL_MEMBERS,
} from '@ldes-live/rdf-stream';
import { emptiedDocument } from '../documents/emptied-document.ts';
import { NodeLinks } from '../documents/node-links.ts';
import { pageDocument } from '../documents/page-document.ts';
import { rangeDocument, rangeUrl } from '../documents/range-document.ts';
import { isRangeGone, removalOf, removedCount } from '../documents/removed-pages.ts';
import { rootDocument } from '../documents/root-document.ts';
import type { StreamDocument } from '../documents/stream-document.ts';
import { streamUrls } from '../documents/stream-urls.ts';
import { tailDocument } from '../documents/tail-document.ts';
import { errors } from '../errors.ts';
import type { RequestKind } from '../metrics/request-counts.ts';
import type { Found, ViewMaker } from './view.ts';

// Without leading zeros, so that a page has one URL.
const NODE =
  /^pages\/([^/]+)\/(?:(0|[1-9]\d{0,12})|range-(0|[1-9]\d{0,12})(?:-v([1-9]\d{0,2}))?|after-(0|[1-9]\d{0,14}))$/;

/** All members by time: the root, the ranges, the pages and the tails. @see specs/documents.md DOC-5, DOC-60 */
export const timeView: ViewMaker = (stream) => {
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

  const page = (index: number): Found | undefined => {
    if (index > openPage(log.head.cursor.sequence)) return undefined;
    const state = removalOf(log.removals, index);
    const url = urls.page(log.head.cursor.epoch, index);
    if (state === 'purged') throw pageGone(url);
    if (state === 'tombstoned') return found(emptiedDocument(stream, url), 'sealed_page');
    const isFull = isSealed(extentOfPage(index), log.head.cursor.sequence);
    return found(pageDocument(stream, index), isFull ? 'sealed_page' : 'open_page');
  };

  const range = (index: number, revision: number): Found | undefined => {
    const { epoch, sequence } = log.head.cursor;
    if (index > rangeOf(openPage(sequence)) || revision > RANGE_PAGES) return undefined;
    const { removals } = log;
    if (isRangeGone(removals, index)) throw pageGone(urls.range(epoch, index, revision));
    const current = rangeUrl(stream, index);
    if (urls.range(epoch, index, revision) !== current) return { kind: 'redirect', url: current };
    const isEmpty = isSealed(extentOfRange(index), sequence) && removedCount(removals, index) === RANGE_PAGES;
    return found(isEmpty ? emptiedDocument(stream, current) : rangeDocument(stream, index, links), 'range');
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
      return asPage === undefined ? range(Number(asRange), Number(revision)) : page(Number(asPage));
    },
  };
};

function found(document: StreamDocument, counted: RequestKind): Found {
  return { kind: 'document', document, counted };
}
