/* What a load took of its core, and whether it was busy with itself: then its delays are not those of the server. */
import { monotonicMicros } from '../timing.ts';

/** What a load took since its last report. */
export interface Effort {
  /** CPU time of all its processes, which share one core. */
  readonly cpuMicros: number;
  readonly wallMicros: number;
  /** The longest time for which a process did nothing else than one turn of its event loop. */
  readonly maxLagMicros: number;
  readonly processes: number;
}

/** What several processes took, as if they were one; the time is that of the longest. */
export function sumEfforts(efforts: readonly Effort[]): Effort {
  return {
    cpuMicros: efforts.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0),
    wallMicros: Math.max(...efforts.map(({ wallMicros }) => wallMicros)),
    maxLagMicros: Math.max(...efforts.map(({ maxLagMicros }) => maxLagMicros)),
    processes: efforts.reduce((sum, { processes }) => sum + processes, 0),
  };
}

/** Numbers by name, added up. */
export function sumStats<Stats extends Readonly<Record<string, number>>>(all: readonly Stats[]): Stats {
  const sum: Record<string, number> = {};
  for (const [key, value] of all.flatMap((one) => Object.entries(one))) sum[key] = (sum[key] ?? 0) + value;
  return sum as Stats;
}

const LOOK_MS = 20;

/** Watches what this process takes, and how late its event loop comes to a timer. */
export class EffortWatch {
  #cpu = process.cpuUsage();
  #sinceMicros = monotonicMicros();
  #lookedMicros = this.#sinceMicros;
  #maxLagMicros = 0;

  constructor() {
    setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Since the last time; a loop that has been away until now counts. */
  take(): Effort {
    this.#look();
    const { user, system } = process.cpuUsage(this.#cpu);
    const wallMicros = this.#lookedMicros - this.#sinceMicros;
    const effort = { cpuMicros: user + system, wallMicros, maxLagMicros: this.#maxLagMicros, processes: 1 };
    this.#cpu = process.cpuUsage();
    this.#sinceMicros = this.#lookedMicros;
    this.#maxLagMicros = 0;
    return effort;
  }

  #look(): void {
    const now = monotonicMicros();
    this.#maxLagMicros = Math.max(this.#maxLagMicros, now - this.#lookedMicros - LOOK_MS * 1000);
    this.#lookedMicros = now;
  }
}

/** The most of its core that a load may take, on average, for what it measures to be the server's. */
const MAX_SHARE = 0.8;
/**
 * The longest that an event loop of a load may be away: what came meanwhile was read that much too late. Reading a thousand
 * answers at once takes less.
 */
const MAX_LAG_MICROS = 200_000;
/** A longer one is accepted as well where it is a small share of the delay that is reported. */
const MAX_LAG_OF_DELAY = 0.2;

/**
 * Why the delays of a load are its own and not those of the server; `undefined` when they are not.
 *
 * @param p99Ms - of the delays, if any
 */
export function busyLoad({ cpuMicros, wallMicros, maxLagMicros, processes }: Effort, p99Ms = 0): string | undefined {
  const load = processes === 1 ? 'the load' : `the ${processes} processes of the load`;
  const share = cpuMicros / wallMicros;
  if (share > MAX_SHARE) {
    return `${load} took ${Math.round(share * 100)} % of a core, more than ${MAX_SHARE * 100} %`;
  }
  const limitMicros = Math.max(MAX_LAG_MICROS, MAX_LAG_OF_DELAY * p99Ms * 1000);
  if (maxLagMicros <= limitMicros) return undefined;
  const [lagMs, limitMs] = [maxLagMicros, limitMicros].map((micros) => Math.round(micros / 1000));
  return `${load} did not come to read for ${lagMs} ms, longer than ${limitMs} ms`;
}
