import { numberText } from '../report/number-text.ts';

/** The most of its core that a load may take, on average, for what it measures to be the server's. */
export const MAX_LOAD_SHARE = 0.8;
/**
 * The longest that an event loop of a load may be away: what came meanwhile was read that much too late. Less is what reading a
 * thousand answers takes at once.
 */
export const MAX_LOOP_LAG_MICROS = 200_000;
/** A longer one is borne as well where it is no more than this share of the delay that is told. */
export const MAX_LAG_OF_DELAY = 0.2;

/** From here on, how long a load was away is to be told beside a delay: as a part of it. */
const TOLD_LAG_OF_DELAY = 0.1;

/** What tells whether a load was busy with itself. */
export interface LoadEffort {
  /** CPU time of all its processes, which share one core. */
  readonly cpuMicros: number;
  readonly wallMicros: number;
  readonly longestLoopLagMicros: number;
  readonly processes: number;
  /** The 99th percentile of the delays that are told, if any, microseconds. */
  readonly p99Micros?: number;
}

/** Why the figures of a load are its own and not those of the server, as words for a warning; `undefined` when they are not. */
export function saturation(effort: LoadEffort): string | undefined {
  const { cpuMicros, wallMicros, longestLoopLagMicros, processes, p99Micros = 0 } = effort;
  const who = processes === 1 ? 'the load' : `the ${processes} processes of the load`;
  const share = cpuMicros / wallMicros;
  if (share > MAX_LOAD_SHARE) {
    return `${who} took ${Math.round(share * 100)} % of a core, more than ${MAX_LOAD_SHARE * 100} %`;
  }
  const limitMicros = Math.max(MAX_LOOP_LAG_MICROS, MAX_LAG_OF_DELAY * p99Micros);
  if (longestLoopLagMicros > limitMicros) {
    const [lagMs, limitMs] = [longestLoopLagMicros, limitMicros].map((micros) => Math.round(micros / 1000));
    return `${who} did not come to read for ${lagMs} ms, longer than ${limitMs} ms`;
  }
  return undefined;
}

/**
 * What to know of a delay beside which the load was away for long, as words for a warning: some of it may be the load's own.
 * `undefined` where that is a tenth of the delay at most.
 */
export function lagNote({
  longestLoopLagMicros,
  p99Micros,
}: Required<Pick<LoadEffort, 'longestLoopLagMicros' | 'p99Micros'>>): string | undefined {
  if (longestLoopLagMicros <= TOLD_LAG_OF_DELAY * p99Micros) return undefined;
  const [lagMs, p99Ms] = [longestLoopLagMicros, p99Micros].map((micros) => numberText(micros / 1000));
  return `the load did not come to read for ${lagMs} ms, beside a 99th percentile of ${p99Ms} ms`;
}
