/**
 * Which part of what the sources brought a query is asked over. Times are in seconds.
 *
 * - `latest`: the newest version of every living entity.
 * - `time`: the members of the last `range` seconds.
 * - `count`: the last so many members, of all sources together, deletes included.
 * - `all`: everything since the reading began.
 *
 * @see specs/query.md QUERY-32, QUERY-34, QUERY-35, QUERY-36
 */
export type ViewOptions =
  | { readonly type: 'latest' }
  | TimeWindowOptions
  | { readonly type: 'count' /** Members, 1 or more. */; readonly members: number }
  | { readonly type: 'all' };

/**
 * Windows over time: `[open, close)`, one every `step` seconds. Each is asked once, when it closes.
 *
 * @see specs/query.md QUERY-30
 */
export interface TimeWindowOptions {
  readonly type: 'time';
  /** How long a window is, in seconds, from 0.001; to the millisecond. */
  readonly range: number;
  /** Time from one window's close to the next one's, in seconds, from 0.001; to the millisecond. @defaultValue the MAL, at most `range` */
  readonly step?: number;
  /**
   * By which time members belong to a window: when they were published, which never goes back, or their source's own, in any order.
   *
   * @defaultValue `published`
   */
  readonly time?: 'published' | 'version';
  /** How long a window waits for members that come late, in seconds. @defaultValue 0 */
  readonly allowedLateness?: number;
  /** An instant at which a window opens, epoch milliseconds. @defaultValue 0 */
  readonly originMs?: number;
}

/**
 * What of the answers is told: what came and what went (`delta`), or with RSP-QL's operators the whole answer of each
 * window (`rstream`), what came only (`istream`) or what went only (`dstream`).
 */
export type ResultOperator = 'delta' | 'rstream' | 'istream' | 'dstream';
