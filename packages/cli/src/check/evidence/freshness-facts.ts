import { dateMsOf } from '../http/exchange.ts';
import { secondsOf } from './cache-control.ts';
import { type CheckedDocument, isMutable } from './checked-document.ts';
import { type Evidence, readableNodes } from './evidence.ts';
import type { CheckedNode } from './tree-node.ts';

const NEXT_UPDATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The nodes that may change, the root first where it does. */
export function mutableNodes(evidence: Evidence): CheckedNode[] {
  return readableNodes(evidence).filter(({ document }) => isMutable(document));
}

/** The nodes that say, or are sent, that they never change. */
export function immutableNodes(evidence: Evidence): CheckedNode[] {
  return readableNodes(evidence).filter(({ document }) => !isMutable(document));
}

/** The seconds for which a cache may keep a document; `undefined` when no directive says so. */
export function maxAgeOf({ caching }: CheckedDocument): number | undefined {
  const stated = ['max-age', 's-maxage'].flatMap((directive) => secondsOf(caching, directive) ?? []);
  return stated.length === 0 ? undefined : Math.max(...stated);
}

/** When the next update is expected, epoch milliseconds; `undefined` when it is not said or cannot be read. */
export function nextUpdateMs({ exchange }: CheckedDocument): number | undefined {
  const value = exchange.fields['next-update'] ?? '';
  const ms = NEXT_UPDATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The server's clock when it answered, epoch milliseconds; ours where it did not say. */
export function answeredMs({ exchange }: CheckedDocument): number {
  return dateMsOf(exchange, 'date') ?? exchange.sentMs;
}
