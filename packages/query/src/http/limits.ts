import type { EvaluatorFactory } from '../options.ts';
import type { CommitSource } from '../source.ts';
import type { EngineName, Thread } from '../thread/link.ts';
import type { AnswersOnTheirWay } from './reader.ts';

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS = {
  /** Live queries at a time: equal ones count once, however many read them. @defaultValue 2 */
  limitLiveQueries: 2,
  /** Who reads live queries at a time, all of the stream together. @defaultValue 1000 */
  limitSubscribers: 1000,
  /** Queries that wait for their answer over the latest state, the one that is answered included. @defaultValue 16 */
  limitWaitingQueries: 16,
  /** The shortest MAL of a live query, milliseconds. @defaultValue 500 */
  limitMalMs: 500,
  /** The longest evaluation, milliseconds. @defaultValue 10000 */
  limitEvaluationMs: 10_000,
  /** How long a query may wait for the thread that answers it to start and to have the latest state, milliseconds. @defaultValue 30000 */
  limitLoadingMs: 30_000,
  /** Solutions or quads of an answer. @defaultValue 10000 */
  limitRows: 10_000,
  /** Quads of the state or window that a query is asked over. @defaultValue 250000 */
  limitQuads: 250_000,
  /** Characters of a query. @defaultValue 10000 */
  limitQueryChars: 10_000,
  /** Characters of a text that a function of a query makes; Oxigraph knows no such limit. @defaultValue 1000000 */
  limitTextChars: 1_000_000,
  /** Memory of the thread of one live query, and of the one that answers the others, MiB. @defaultValue 448 */
  limitMemoryMib: 448,
  /** Bytes of events that may wait for one slow reader behind the event that it is being sent. @defaultValue 1 MiB */
  limitQueueBytes: MIB,
  /** For how long a reader may take nothing of what it was sent, milliseconds. @defaultValue 60000 */
  limitStallMs: 60_000,
  /** Bytes of events that are remembered of one live query for readers who come back. @defaultValue 1 MiB */
  limitReplayBytes: MIB,
  /** Bytes of an answer, and of all over the latest state that are kept as long as it stands. @defaultValue 8 MiB */
  limitAnswerBytes: 8 * MIB,
};

/** What the queries of one stream may cost over HTTP. All are 1 or more. */
export type SparqlLimits = Readonly<typeof DEFAULT_LIMITS>;

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

/** What is asked over HTTP, and how it is answered. */
export interface SparqlRoutesOptions {
  /** The streams that take queries now; the same object each time for as long as one stays as it is. */
  readonly streams: () => readonly QueriedStream[];
  /** How often something is sent to readers of live queries at least, milliseconds. @defaultValue 15,000 */
  readonly heartbeatMs?: number;
  /** For how long a live query goes on that nobody reads, milliseconds. @defaultValue 10,000 */
  readonly graceMs?: number;
  /** For how long the latest state is kept ready for queries that nobody asks, milliseconds. @defaultValue 300,000 */
  readonly idleMs?: number;
  /** Where live queries are evaluated. @defaultValue each in a thread of its own */
  readonly evaluators?: (limits: SparqlLimits) => EvaluatorFactory;
  /** What answers the other queries of a stream. @defaultValue a thread */
  readonly startThread?: (limits: SparqlLimits, engine: EngineName) => Thread;
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
}

/** What answers the queries of one stream. */
export interface OpenStreamOptions
  extends Pick<QueriedStream, 'commits'>,
    Required<Pick<SparqlRoutesOptions, 'heartbeatMs' | 'graceMs' | 'idleMs' | 'clock' | 'random'>> {
  readonly limits: SparqlLimits;
  readonly onItsWay: AnswersOnTheirWay;
  readonly evaluators: EvaluatorFactory;
  readonly start: () => Thread;
}
