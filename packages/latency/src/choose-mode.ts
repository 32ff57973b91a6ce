/** The two ways an update reaches a client. */
export type Mode = 'pull' | 'push';

/** What the choice of a mode depends on. */
export interface ModeCircumstances {
  /** The maximum acceptable latency, milliseconds, above 0. */
  readonly malMs: number;
  /** The MAL below which push is the cheaper way, milliseconds. */
  readonly breakEvenMs: number;
  /** Whether there is a push endpoint, and whether it works. */
  readonly push: 'offered' | 'failing' | 'absent';
  /** The mode in use, if any: it is kept when the circumstances are near the break-even. */
  readonly current?: Mode;
}

/** A mode and why, in words for a person. */
export interface ModeChoice {
  readonly mode: Mode;
  readonly reason: string;
}

/** By which share of the break-even the MAL must be past it before a mode in use is left. */
export const MODE_HYSTERESIS = 0.2;

/**
 * Chooses pull or push by the MAL: push below the stream's break-even, pull above it.
 *
 * @see specs/mal.md MAL-5
 */
export function chooseMode(circumstances: ModeCircumstances): ModeChoice {
  const { malMs, breakEvenMs, push, current } = circumstances;
  if (push === 'absent') return { mode: 'pull', reason: 'the stream offers no push endpoint' };
  if (push === 'failing') return { mode: 'pull', reason: 'the push endpoint does not work at present' };
  const mal = seconds(malMs);
  const breakEven = seconds(breakEvenMs);
  const near = Math.abs(malMs - breakEvenMs) <= breakEvenMs * MODE_HYSTERESIS;
  if (current && near) {
    return { mode: current, reason: `MAL ${mal} is near the break-even of ${breakEven}: ${current} is kept` };
  }
  return malMs < breakEvenMs
    ? { mode: 'push', reason: `MAL ${mal} is below the break-even of ${breakEven}` }
    : { mode: 'pull', reason: `MAL ${mal} is not below the break-even of ${breakEven}` };
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
