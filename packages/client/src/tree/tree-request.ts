import type { ClientLimits } from '../client-limits.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { OrderSpan } from './order-value.ts';
import type { Dimension } from './reading.ts';
import type { TreeState } from './tree-state.ts';

/** What a reading works with. */
export interface TreeMeans {
  readonly http: HttpClient;
  readonly limits: ClientLimits;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** The client's place among all others, in [0, 1). */
  readonly phase: number;
}

/** What a reading asks for, checked. */
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

/** Whether a member of a time is asked for. */
export function isAsked({ afterMs, beforeMs }: TreeRequest, time: OrderSpan | undefined): boolean {
  if (time === undefined) return afterMs === Number.NEGATIVE_INFINITY && beforeMs === Number.POSITIVE_INFINITY;
  return time.start >= afterMs && time.start < beforeMs;
}
