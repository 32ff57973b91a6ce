import type { QueryEngine } from '../../engines/engine.ts';
import { carryError } from '../../worker/carried-error.ts';
import { MembersBeingUnpacked } from '../../worker/packed-members.ts';
import { HeldState } from './held-state.ts';
import type { FromStateThread, StateTask, ToStateThread } from './thread-messages.ts';

/** The end of the way to whoever asks. */
export interface ThreadEnd {
  on(event: 'message', listener: (message: ToStateThread) => void): unknown;
  postMessage(message: FromStateThread): void;
}

/** Holds a latest state in this thread, and answers queries over it: one thing after the other, in the order of the messages. */
export async function runStateProgram(end: ThreadEnd, { limits }: StateTask, engine: QueryEngine): Promise<void> {
  const opening = HeldState.open(engine, limits);
  const members = new MembersBeingUnpacked();
  const take = async (message: ToStateThread) => {
    const state = await opening;
    if (message.kind === 'ask') {
      end.postMessage(await answered(state, message));
      return;
    }
    members.add(message.slice);
    if (!message.head) return;
    state.apply({ ...message.head, members: members.take() });
    end.postMessage({ kind: 'applied' });
  };
  let last: Promise<unknown> = Promise.resolve();
  end.on('message', (message) => {
    // What fails here is a fault of the program, and ends the thread.
    last = last.then(() => take(message));
  });
  await opening;
}

async function answered(
  state: HeldState,
  { id, sparql, accepted }: Extract<ToStateThread, { kind: 'ask' }>,
): Promise<FromStateThread> {
  try {
    return { kind: 'answer', id, answer: await state.answer(sparql, accepted) };
  } catch (error) {
    return { kind: 'failed', id, error: carryError(error) };
  }
}
