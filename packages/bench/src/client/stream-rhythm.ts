/** When the updates of a stream come, and what its server says of that. */
export interface StreamRhythm {
  /** Name of the stream, in its URL and in reports. */
  readonly name: string;
  /**
   * `regular`: at the instants that are stated. `late`: as that, but a fifth of the updates come up to 0.6 of an interval
   * late. `missing`: as regular, but a fifth do not come. `irregular`: at random, and nothing is stated.
   */
  readonly kind: 'regular' | 'late' | 'missing' | 'irregular';
  /** The distance of stated instants; of irregular updates the mean distance, about. */
  readonly intervalMs: number;
}

/** What comes next in a stream. */
export interface Slot {
  /** What the server states until then, epoch milliseconds; nothing of an irregular stream. */
  readonly statedMs?: number;
  /** When something happens, epoch milliseconds. */
  readonly atMs: number;
  /** Whether an update is published then; else it is passed over. */
  readonly isPublished: boolean;
}

const TROUBLE_SHARE = 0.2;
const LONGEST_DELAY_SHARE = 0.6;
const IRREGULAR_SHARES = { least: 0.1, most: 3 };

/**
 * The slot after one.
 *
 * @param last - the one before; for the first, one that stands for when the stream began
 * @param random - numbers in [0, 1)
 */
export function nextSlot({ kind, intervalMs }: StreamRhythm, last: Slot, random: () => number): Slot {
  if (kind === 'irregular') {
    const { least, most } = IRREGULAR_SHARES;
    const share = Math.min(most, Math.max(least, -Math.log(1 - random())));
    return { atMs: last.atMs + share * intervalMs, isPublished: true };
  }
  const statedMs = (last.statedMs ?? last.atMs) + intervalMs;
  const isTrouble = kind !== 'regular' && random() < TROUBLE_SHARE;
  const delayMs = kind === 'late' && isTrouble ? random() * LONGEST_DELAY_SHARE * intervalMs : 0;
  return { statedMs, atMs: statedMs + delayMs, isPublished: kind !== 'missing' || !isTrouble };
}
