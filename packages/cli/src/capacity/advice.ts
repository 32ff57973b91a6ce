import { type CapacityMode, DEFAULT_BREAK_EVEN_SECONDS, type Mode, modeByBreakEven } from '@ldes-live/latency';

/** What clients do by the break-even that a server advertises, and what to change where that is not the better mode. */
export interface Advice {
  /** What the server advertises, seconds. */
  readonly advertisedSeconds: number;
  /** Whether the server said so, or it is what servers advertise that are told nothing. */
  readonly isMeasured: boolean;
  /** What clients with the MAL do by it. */
  readonly mode: Mode;
  /** The line of a stream's configuration by which they choose the better mode; absent where they do, or either will do. */
  readonly configLine?: string;
}

/**
 * Says what clients will do. Pure.
 *
 * @param malSeconds - of all clients
 * @param measuredSeconds - the break-even that a measured server advertises
 * @see specs/capacity.md CAP-15
 */
export function adviceFor(
  { mode, breakEvenSeconds, isClose }: CapacityMode,
  malSeconds: number,
  measuredSeconds: number | undefined,
): Advice {
  const advertisedSeconds = measuredSeconds ?? DEFAULT_BREAK_EVEN_SECONDS;
  const chosen = modeByBreakEven(malSeconds, advertisedSeconds).mode;
  const line = `breakEven: ${statedSeconds(breakEvenSeconds, malSeconds, mode)}s`;
  return {
    advertisedSeconds,
    isMeasured: measuredSeconds !== undefined,
    mode: chosen,
    ...(chosen !== mode && !isClose && { configLine: line }),
  };
}

/** The longest that a configuration takes, 366 days. */
const MOST_SECONDS = 31_622_400;

/** A break-even with few digits, as long as it leads clients to the mode. */
function statedSeconds(breakEvenSeconds: number, malSeconds: number, mode: Mode): number {
  const capped = Math.min(breakEvenSeconds, MOST_SECONDS);
  const short = capped < 9.95 ? Number(capped.toPrecision(2)) : Math.round(capped);
  const leads = modeByBreakEven(malSeconds, short).mode === mode;
  return Number((leads ? short : capped).toFixed(3));
}
