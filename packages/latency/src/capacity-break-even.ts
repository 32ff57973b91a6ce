import { DEFAULT_BREAK_EVEN_SECONDS } from './break-even.ts';
import { capacityNeed } from './capacity-need.ts';
import type { CapacityQuestion } from './capacity-question.ts';
import { chooseMode, type Mode } from './choose-mode.ts';
import { pullLagBound } from './pull-lag-bound.ts';

/**
 * The MAL at which polling and push need as many cores, seconds: push needs fewer below it, polling at it and above.
 * Pure.
 *
 * It is `interval x deliveries/s / requests/s`; 0 where polling needs fewer whatever the MAL; `undefined` where the
 * interval is not known, as both follow the MAL then.
 *
 * @see specs/capacity.md CAP-4
 */
export function capacityBreakEven(question: Omit<CapacityQuestion, 'malSeconds' | 'payloadBytes'>): number | undefined {
  const { users, intervalSeconds, cdnPops = Number.POSITIVE_INFINITY, costs } = question;
  if (intervalSeconds === undefined) return undefined;
  const { requestsPerSecond, deliveriesPerSecond } = costs;
  // With a MAL below the interval one update has to reach all within the MAL, by whichever mode: only the work differs.
  if (Math.min(users, cdnPops) / requestsPerSecond < users / deliveriesPerSecond) return 0;
  return (intervalSeconds * deliveriesPerSecond) / requestsPerSecond;
}

/** A mode for all users, and what it was chosen by. */
export interface CapacityMode {
  readonly mode: Mode;
  /** Seconds. */
  readonly breakEvenSeconds: number;
  /** Whether the break-even follows from the figures, or is the one that is advertised where nothing is known. */
  readonly isReckoned: boolean;
  /** Whether the other mode would do as well: both can keep the MAL, and keep processors busy alike, but for a fifth. */
  readonly isClose: boolean;
  /** In words for a person. */
  readonly reason: string;
}

/** Modes of which the one takes at least this share of the processor time of the other are alike. */
const ALIKE_SHARE = 0.8;

/**
 * Which mode is to serve all users: the one that clients choose too when the break-even of these figures is advertised. Pure.
 *
 * @param advertisedSeconds - the break-even that counts where none follows from the figures
 * @see specs/capacity.md CAP-5, CAP-14
 */
export function capacityMode(
  question: CapacityQuestion,
  advertisedSeconds: number = DEFAULT_BREAK_EVEN_SECONDS,
): CapacityMode {
  const reckoned = capacityBreakEven(question);
  const breakEvenSeconds = reckoned ?? advertisedSeconds;
  const { mode, reason } = modeByBreakEven(question.malSeconds, breakEvenSeconds);
  const [push, pull] = [capacityNeed('push', question).busyCores, capacityNeed('pull', question).busyCores];
  const isClose =
    reckoned !== undefined &&
    question.malSeconds * 1000 >= pullLagBound({ readMs: 0 }) &&
    Math.min(push, pull) >= ALIKE_SHARE * Math.max(push, pull);
  return { mode, reason, breakEvenSeconds, isReckoned: reckoned !== undefined, isClose };
}

/**
 * The mode that a client chooses before it has measured anything, by its MAL and the break-even that a server advertises. Pure.
 *
 * @see specs/mal.md MAL-5, MAL-37
 */
export function modeByBreakEven(malSeconds: number, breakEvenSeconds: number): Pick<CapacityMode, 'mode' | 'reason'> {
  const { mode, reason } = chooseMode({
    malMs: malSeconds * 1000,
    breakEvenMs: breakEvenSeconds * 1000,
    push: 'offered',
    pullBoundMs: pullLagBound({ readMs: 0 }),
    pushBoundMs: 0,
  });
  return { mode, reason };
}
