/*
 * What a reader knows of another node, and asks this one for before it is here: it is waited for.
 *
 *   head k3x9a-42: 'pages/k3x9a/after-43', 'pages?after=k3x9a-43', If-None-Match: "k3x9a-43.nq" -> others.caughtUp(log)
 *     -> here by then, or known to be nowhere: answered as on a server by itself
 *     -> not known: 503 ERR_NODE_BEHIND, since the reader would take 404 and 410 for the end of what it reads
 */
import type { ReadableLog } from '@ldes-live/log';
import {
  type Cursor,
  cursorOf,
  extentOfPage,
  extentOfRange,
  formatCursor,
  type StreamError,
} from '@ldes-live/rdf-stream';
import type { View } from './document.ts';
import { NODE } from './pages.ts';

/** The other nodes, as far as documents have to know of them. */
export interface OtherNodes {
  /** Waits some seconds for what they published before the call; whether all of that is known here then. */
  caughtUp(log: Pick<ReadableLog, 'caughtUp'>): Promise<boolean>;
  /** The error that says that what is asked for may be elsewhere. */
  behind(cursor: string, head: string): StreamError;
}

/** A view of documents whose URLs name members, as a node among others has it. @see specs/cluster.md CLU-31 */
export function awaitedView(view: View, log: Pick<ReadableLog, 'head' | 'caughtUp'>, others: OtherNodes): View {
  return {
    ...view,
    find: (rest, query) => {
      const { epoch, sequence } = log.head.cursor;
      const named = { epoch, sequence: newestNamed(rest, query, epoch) };
      if (named.sequence <= sequence) return view.find(rest, query);
      return others.caughtUp(log).then((isKnown) => {
        const { cursor } = log.head;
        const isHere = named.sequence <= cursor.sequence;
        if (!isKnown && !isHere) throw others.behind(formatCursor(named), formatCursor(cursor));
        return view.find(rest, query);
      });
    },
    close: () => view.close?.(),
  };
}

/** The sequence of the last member before what a URL leads to; 0 of one that names none of this life of the log. */
function newestNamed(rest: string, query: URLSearchParams, epoch: string): number {
  if (rest === 'pages') {
    const cursor = cursorOf(query.get('after') ?? '');
    return cursor?.epoch === epoch ? cursor.sequence : 0;
  }
  const [, named, page, range, , after] = NODE.exec(rest) ?? [];
  if (named !== epoch) return 0;
  if (page !== undefined) return extentOfPage(Number(page)).first - 1;
  return range === undefined ? Number(after ?? 0) : extentOfRange(Number(range)).first - 1;
}

const CURSOR_TAG = /"([a-z0-9]{1,32}-[0-9]{1,16})[".]/;

/** Whether a request has a later state than there is here. @param field - its `If-None-Match` */
export function hasLaterState(field: string | undefined, head: Cursor): boolean {
  const cursor = field === undefined ? undefined : cursorOf(CURSOR_TAG.exec(field)?.[1] ?? '');
  return cursor?.epoch === head.epoch && cursor.sequence > head.sequence;
}
