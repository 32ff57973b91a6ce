import { setTimeout as delay } from 'node:timers/promises';
import type { LoadGroup } from '../load/load-group.ts';
import type { LoadReport } from '../load/load-messages.ts';
import { addSequences, type SequenceTally } from '../load/sequence-check.ts';

const LOOK_MS = 250;

/** How readers came to the head, or did not. */
export interface CatchUp {
  /** Readers that stand at the head. */
  readonly atHead: number;
  readonly sequence: SequenceTally;
  readonly ends: readonly number[];
  readonly tally: LoadReport['tally'];
}

/** Waits until all readers have got the last update, a while at most. */
export async function untilAtHead(
  load: LoadGroup,
  { head, readers, timeoutMs }: { readonly head: string; readonly readers: number; readonly timeoutMs: number },
): Promise<CatchUp> {
  const sequences: SequenceTally[] = [];
  const ends: number[] = [];
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const { lastIds, sequence, tally, ends: more } = await load.report();
    sequences.push(sequence);
    ends.push(...more);
    const atHead = lastIds[head] ?? 0;
    if (atHead === readers || waitedMs >= timeoutMs) {
      return { atHead, sequence: addSequences(sequences), ends, tally };
    }
    await delay(LOOK_MS);
  }
}
