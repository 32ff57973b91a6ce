import { type PollCircumstances, planPoll } from '../src/index.ts';
import { seededUnit } from './simulated-updates.ts';

/** A crowd of polling clients of one stream. */
export interface CrowdOptions {
  readonly seed: number;
  readonly clients: number;
  readonly malMs: number;
  /** The stream updates at every multiple of it; absent: nothing is predicted. */
  readonly intervalMs?: number;
  /** All clients have read for the first time within this time, milliseconds. */
  readonly startWithinMs: number;
  readonly untilMs: number;
  /** Where each client has its place; by chance unless given. */
  readonly phaseOf?: (client: number) => number;
}

/** How often another read becomes the slowest of those that a client remembers. */
const SLOWEST_CHANGES = 1 / 32;

/** The slowest read of late, milliseconds; beside it a client keeps back a tenth of its MAL, a second at most. */
function slowestRead(unit: () => number): number {
  return 20 + 60 * unit();
}

/** The longest that a timer is late or a request takes to arrive, milliseconds. */
const LATENESS_MS = 10;

/** When the requests of a crowd arrive, ascending, epoch milliseconds; the start is at `CROWD_START_MS`. */
export function crowdRequests(options: CrowdOptions): readonly number[] {
  const unit = seededUnit(options.seed);
  const requests: number[] = [];
  for (let client = 0; client < options.clients; client += 1) {
    const phase = options.phaseOf?.(client) ?? unit();
    let slowestMs = slowestRead(unit);
    let readAtMs = CROWD_START_MS + unit() * options.startWithinMs;
    while (readAtMs < CROWD_START_MS + options.untilMs) {
      requests.push(readAtMs);
      if (unit() < SLOWEST_CHANGES) slowestMs = slowestRead(unit);
      const readMs = slowestMs + Math.min(1000, options.malMs / 10);
      readAtMs = planPoll({ ...circumstancesAt(options, readAtMs), readMs, phase }).atMs + LATENESS_MS * unit();
    }
  }
  return requests.sort((left, right) => left - right);
}

/** An instant that is no multiple of any interval. */
export const CROWD_START_MS = Date.UTC(2026, 0, 1) + 1234;

function circumstancesAt(
  { malMs, intervalMs }: CrowdOptions,
  readAtMs: number,
): Pick<PollCircumstances, 'readAtMs' | 'malMs' | 'nextUpdateMs' | 'intervalMs'> {
  if (intervalMs === undefined) return { readAtMs, malMs };
  return { readAtMs, malMs, intervalMs, nextUpdateMs: (Math.floor(readAtMs / intervalMs) + 1) * intervalMs };
}

/** The most of ascending instants that lie within any span of a length, milliseconds. */
export function peakWithin(timesMs: readonly number[], spanMs: number): number {
  let first = 0;
  let peak = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while (timeMs - (timesMs[first] as number) >= spanMs) first += 1;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}
