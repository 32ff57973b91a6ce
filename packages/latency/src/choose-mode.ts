/** The two ways an update reaches a client. */
export type Mode = 'pull' | 'push';

/** What the choice of a mode depends on. */
export interface ModeCircumstances {
  /** The maximum acceptable latency, milliseconds, above 0. */
  readonly malMs: number;
  /** The MAL below which push is the cheaper way, milliseconds. */
  readonly breakEvenMs: number;
  /**
   * Whether there is a push endpoint, and whether it can be used: `failing` where it does not work at present,
   * `crowded` where the client's environment has no connection to spare for it.
   */
  readonly push: 'offered' | 'failing' | 'crowded' | 'absent';
  /** The mode in use, if any: it is kept when the circumstances are near the break-even. */
  readonly current?: Mode;
  /**
   * The least lag bound that polling can keep, milliseconds (that of `pullLagBound`). Where it is absent, polling is
   * taken to keep the MAL.
   */
  readonly pullBoundMs?: number;
  /**
   * How late updates come by push while it works, milliseconds. Where it is absent, push is taken to keep the MAL.
   */
  readonly pushBoundMs?: number;
}

/** A mode and why, in words for a person. */
export interface ModeChoice {
  readonly mode: Mode;
  readonly reason: string;
  /**
   * How late an update may be by this way at most, milliseconds. For pull that is the MAL where it can be kept, since
   * requests are as rare as it allows.
   */
  readonly lagBoundMs: number;
}

/** By which share of a limit it must be passed before a mode in use is left: the break-even, the MAL, a lag bound. */
export const MODE_HYSTERESIS = 0.2;

const UNUSABLE = {
  absent: 'the stream offers no push endpoint',
  failing: 'the push endpoint does not work at present',
  crowded: 'there is no connection to spare for push',
} as const;

/**
 * Chooses pull or push by the MAL: push below the stream's break-even, pull above it; the other way where only that
 * keeps the MAL; the quicker one where neither does. Pure.
 *
 * A smaller MAL never has a worse bound, unless a mode in use is kept for it.
 *
 * @see specs/mal.md MAL-5
 */
export function chooseMode(circumstances: ModeCircumstances): ModeChoice {
  const { malMs, push } = circumstances;
  const { mode, reason } =
    push === 'offered' ? weigh(circumstances) : ({ mode: 'pull', reason: UNUSABLE[push] } as const);
  const lagBoundMs = boundOf(mode, circumstances);
  if (lagBoundMs <= malMs) return { mode, reason, lagBoundMs };
  return {
    mode,
    reason: `MAL ${seconds(malMs)} cannot be kept: at most ${seconds(lagBoundMs)}; ${reason}`,
    lagBoundMs,
  };
}

interface Way {
  readonly mode: Mode;
  readonly reason: string;
}

/** The way to go where both are open. */
function weigh(circumstances: ModeCircumstances): Way {
  const { malMs, current } = circumstances;
  const cheap = byBreakEven(circumstances);
  const other: Mode = cheap.mode === 'pull' ? 'push' : 'pull';
  const cheapMs = boundOf(cheap.mode, circumstances);
  const otherMs = boundOf(other, circumstances);
  if (cheapMs <= malMs) {
    // Bounds waver as they are measured: a mode in use that keeps the MAL is not left for one that hardly does.
    const isHard = (leastOf(cheap.mode, circumstances) ?? 0) > malMs * (1 - MODE_HYSTERESIS);
    if (!isHard || current !== other || otherMs > malMs) return cheap;
    return { mode: other, reason: `MAL ${seconds(malMs)} would hardly be kept by ${cheap.mode}: ${other} is kept` };
  }
  if (otherMs <= malMs) {
    return { mode: other, reason: `${cheap.reason}, but ${cheap.mode} cannot keep it: at most ${seconds(cheapMs)}` };
  }
  const [quick, slow] = otherMs < cheapMs ? [other, cheap.mode] : [cheap.mode, other];
  const isNear = Math.min(cheapMs, otherMs) > Math.max(cheapMs, otherMs) * (1 - MODE_HYSTERESIS);
  return current === slow && isNear
    ? { mode: slow, reason: `${quick} would hardly be quicker: ${slow} is kept` }
    : { mode: quick, reason: `${slow} would be no quicker` };
}

/** The cheaper mode, or the one in use where the MAL is near the break-even. */
function byBreakEven({ malMs, breakEvenMs, current }: ModeCircumstances): Way {
  const mal = seconds(malMs);
  const breakEven = seconds(breakEvenMs);
  const isNear = Math.abs(malMs - breakEvenMs) <= breakEvenMs * MODE_HYSTERESIS;
  if (current && isNear) {
    return { mode: current, reason: `MAL ${mal} is near the break-even of ${breakEven}: ${current} is kept` };
  }
  return malMs < breakEvenMs
    ? { mode: 'push', reason: `MAL ${mal} is below the break-even of ${breakEven}` }
    : { mode: 'pull', reason: `MAL ${mal} is not below the break-even of ${breakEven}` };
}

/** The least lag bound that a mode can have, milliseconds; `undefined` where it is not known. */
function leastOf(mode: Mode, { pullBoundMs, pushBoundMs }: ModeCircumstances): number | undefined {
  return mode === 'pull' ? pullBoundMs : pushBoundMs;
}

/** The lag bound that a mode has, milliseconds: polling uses up what the MAL leaves. */
function boundOf(mode: Mode, circumstances: ModeCircumstances): number {
  const leastMs = leastOf(mode, circumstances) ?? circumstances.malMs;
  return mode === 'pull' ? Math.max(circumstances.malMs, leastMs) : leastMs;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
