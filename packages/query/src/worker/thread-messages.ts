import type { Answer, Applied, Explanation } from '../evaluate/evaluator.ts';
import type { EvaluationTask } from '../live-query-options.ts';
import type { CarriedError } from './carried-error.ts';
import type { MembersSlice } from './packed-members.ts';
import type { PackedRecords } from './packed-records.ts';

/** Which engines can be used in another thread. */
export type EngineName = 'comunica' | 'oxigraph';

/** What a thread is to evaluate. */
export interface ThreadTask {
  readonly task: Omit<EvaluationTask, 'engine'>;
  readonly engine: EngineName;
}

/** Which list of records of an answer. */
export type AnswerPart = 'added' | 'removed' | 'whole';

/** What a thread is asked for, and what it answers. */
export interface ThreadCalls {
  readonly explain: { readonly ask: object; readonly reply: Explanation };
  readonly load: { readonly ask: { readonly count: number; readonly quads: PackedRecords }; readonly reply: object };
  /** A part of the members of the event that is applied next. */
  readonly members: { readonly ask: { readonly slice: MembersSlice }; readonly reply: object };
  /** The last part of an event; a state has its cursor as text. */
  readonly apply: {
    readonly ask: { readonly source: number; readonly head: EventHead; readonly slice: MembersSlice };
    readonly reply: { readonly applied: Applied; readonly nextCloseMs: number | undefined };
  };
  readonly evaluate: { readonly ask: object; readonly reply: AnswerHead };
  readonly evaluateWindow: {
    readonly ask: { readonly closedToMs: number };
    readonly reply: WindowHead;
  };
  /** Some records of the last answer. */
  readonly records: {
    readonly ask: { readonly part: AnswerPart; readonly from: number; readonly to: number };
    readonly reply: PackedRecords;
  };
}

/** An event without its members. */
export type EventHead =
  | { readonly kind: 'state'; readonly cursor: string }
  | { readonly cursor: { readonly epoch: string; readonly sequence: number }; readonly time: string };

/** An answer without its records, and how many of each there are. */
export interface AnswerHead extends Omit<Answer, 'added' | 'removed'> {
  readonly added: number;
  readonly removed: number;
  /** The whole answer, where it does not follow from what came and went. */
  readonly whole?: number;
}

/** What came of asking for a window. */
export interface WindowHead {
  readonly answer?: AnswerHead & { readonly openMs: number; readonly closeMs: number };
  readonly nextCloseMs: number | undefined;
}

/** A question to the thread. */
export type ThreadAsk<Call extends keyof ThreadCalls = keyof ThreadCalls> = {
  readonly [Name in Call]: { readonly call: Name } & ThreadCalls[Name]['ask'];
}[Call];

/** What the thread says; its answers come in the order of the questions. */
export type ThreadSaying = { readonly reply: unknown } | { readonly error: CarriedError };
