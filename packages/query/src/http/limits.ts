import type { CommitSource } from '../source.ts';
import type { EngineName } from '../thread/link.ts';

/** What the queries of one stream may cost over HTTP. All are 1 or more. */
export interface SparqlLimits {
  /** Live queries at a time: equal ones count once, however many read them. @defaultValue 4 */
  readonly limitLiveQueries: number;
  /** Who reads live queries at a time, all of the stream together. @defaultValue 1000 */
  readonly limitSubscribers: number;
  /** Queries that wait for their answer over the latest state, the one that is answered included. @defaultValue 16 */
  readonly limitWaitingQueries: number;
  /** The shortest MAL of a live query, milliseconds. @defaultValue 500 */
  readonly limitMalMs: number;
  /** The longest evaluation, milliseconds. @defaultValue 10000 */
  readonly limitEvaluationMs: number;
  /** How long a query may wait for the thread that answers it to start and to have the latest state, milliseconds. @defaultValue 30000 */
  readonly limitLoadingMs: number;
  /** Solutions or quads of an answer. @defaultValue 10000 */
  readonly limitRows: number;
  /** Quads of the state or window that a query is asked over. @defaultValue 2000000 */
  readonly limitQuads: number;
  /** Characters of a query. @defaultValue 10000 */
  readonly limitQueryChars: number;
  /** Memory of the thread of one live query, and of the one that answers the others, MiB. @defaultValue 512 */
  readonly limitMemoryMib: number;
  /** Bytes of events that may wait for one slow reader behind the event that it is being sent. @defaultValue 1 MiB */
  readonly limitQueueBytes: number;
  /** For how long a reader may take nothing of what it was sent, milliseconds. @defaultValue 60000 */
  readonly limitStallMs: number;
  /** Bytes of events that are remembered of one live query for readers who come back. @defaultValue 1 MiB */
  readonly limitReplayBytes: number;
  /** Bytes of answers over the latest state that are kept as long as it stands. @defaultValue 16 MiB */
  readonly limitAnswerBytes: number;
}

const MIB = 1024 * 1024;

const DEFAULTS: SparqlLimits = {
  limitLiveQueries: 4,
  limitSubscribers: 1000,
  limitWaitingQueries: 16,
  limitMalMs: 500,
  limitEvaluationMs: 10_000,
  limitLoadingMs: 30_000,
  limitRows: 10_000,
  limitQuads: 2_000_000,
  limitQueryChars: 10_000,
  limitMemoryMib: 512,
  limitQueueBytes: MIB,
  limitStallMs: 60_000,
  limitReplayBytes: MIB,
  limitAnswerBytes: 16 * MIB,
};

/** The limits with the defaults of those that are not given. */
export function sparqlLimits(given: Partial<SparqlLimits> = {}): SparqlLimits {
  return { ...DEFAULTS, ...given };
}

/** A stream that takes queries. */
export interface QueriedStream {
  /** The segment of its paths: queries go to `/<name>/sparql`. */
  readonly name: string;
  /** URL of `/<name>/sparql`, as others reach it. */
  readonly endpoint: string;
  /** What answers its queries. @defaultValue `comunica` */
  readonly engine?: EngineName;
  /** Limits other than the defaults. */
  readonly limits?: Partial<SparqlLimits>;
  /** Aborted once it takes no queries any more: then its live queries end. */
  readonly ended?: AbortSignal;
  /** Begins to read it: its latest state, and each commit from then on, until the signal is aborted. */
  readonly commits: (signal: AbortSignal) => CommitSource;
  /** The cursor of its latest state as of now, printed. */
  readonly cursor: () => string;
  /**
   * Header fields of an answer over the state at a cursor, which say how long it holds: those of the stream's latest-state
   * document, by their names in lower case.
   */
  readonly fields: (cursor: string) => Readonly<Record<string, string>>;
}
