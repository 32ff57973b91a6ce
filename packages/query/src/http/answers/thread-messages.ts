import type { SourceEvent } from '../../commit-source.ts';
import type { CarriedError } from '../../worker/carried-error.ts';
import { type MembersSlice, packMembers } from '../../worker/packed-members.ts';
import type { EventHead } from '../../worker/thread-messages.ts';
import type { Accepted } from '../formats.ts';
import type { HeldLimits, WrittenAnswer } from './held-state.ts';

/** What the thread of a state is begun with. */
export interface StateTask {
  readonly limits: HeldLimits;
}

/** What is sent to the thread of a state. */
export type ToStateThread =
  /** Some members of an event; the last of them come with its head. */
  | { readonly kind: 'members'; readonly slice: MembersSlice; readonly head?: EventHead }
  | { readonly kind: 'ask'; readonly id: number; readonly sparql: string; readonly accepted: Accepted };

/** What the thread of a state sends. */
export type FromStateThread =
  /** An event has been applied whole. */
  | { readonly kind: 'applied' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: WrittenAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly error: CarriedError };

/** The messages that bring an event, one after the other, so that whoever sends them can let others have their turn. */
export function* eventMessages(event: SourceEvent): Generator<ToStateThread, void, undefined> {
  const { members, ...head } = event;
  let before: MembersSlice | undefined;
  for (const slice of packMembers(members)) {
    if (before) yield { kind: 'members', slice: before };
    before = slice;
  }
  // There is one always.
  yield { kind: 'members', slice: before as MembersSlice, head: head as EventHead };
}
