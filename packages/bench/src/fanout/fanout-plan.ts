import type { Asked } from '../experiment.ts';

/** How large each measurement is. */
export interface FanoutPlan {
  readonly fanout: PeersSize;
  readonly workers: WorkersSize;
  readonly gzip: GzipSize;
  readonly slow: SlowSize;
  readonly storm: StormSize;
  readonly entities: EntitiesSize;
  readonly stop: StopSize;
}

/** Numbers of clients, each measured by itself. */
export interface PeersSize extends Omit<FanOutSize, 'clients'> {
  readonly clients: readonly number[];
  /** Whether CPU time is counted once more beside readers in C. */
  readonly lean: boolean;
}

export interface FanOutSize {
  readonly clients: number;
  readonly eventBytes: number;
  readonly intervalMs: number;
  readonly updates: number;
  /** Updates before, which do not count. */
  readonly warmUps: number;
  readonly repeats: number;
  /** How long to wait until memory is looked at. */
  readonly settleMs: number;
}

export interface WorkersSize extends FanOutSize {
  readonly workers: number;
  /** Processes of the load. */
  readonly processes: number;
}

export interface GzipSize {
  readonly clients: number;
  /** Clients that decode what they get. */
  readonly decoded: number;
  readonly commits: number;
  readonly intervalMs: number;
}

export interface SlowSize {
  readonly clients: number;
  readonly stopped: number;
  readonly eventBytes: number;
  readonly intervalMs: number;
  /** Updates with all reading. */
  readonly updatesBefore: number;
  /** Updates with some stopped, until the first half of them goes on. */
  readonly updatesStopped: number;
  /** Updates after that, until the second half goes on. */
  readonly updatesLonger: number;
  readonly push: Readonly<Record<string, number>>;
}

export interface StormSize {
  readonly clients: number;
  readonly eventBytes: number;
  readonly intervalMs: number;
  readonly updates: number;
  /** When all are cut, after the first update, milliseconds. */
  readonly cutMs: number;
  readonly pollMs: number;
  readonly settleMs: number;
  /** The least time until a client comes back, as the server asks it; that of a server by itself when absent. */
  readonly retryMs?: number;
}

export interface EntitiesSize {
  readonly clients: readonly number[];
  readonly updatesPerSecond: number;
  readonly seconds: number;
}

export interface StopSize {
  readonly clients: number;
  readonly eventBytes: number;
  readonly intervalMs: number;
  readonly updatesBefore: number;
  /** Updates from the moment that the server is told to stop. */
  readonly updatesWhileStopping: number;
  readonly updatesAfter: number;
  /** Over how long the streams may be ended. */
  readonly graceMs: number;
  /** The least time until a client comes back, as the server asks it; that of a server by itself when absent. */
  readonly retryMs?: number;
}

/** What the figures are measured with. */
const FULL_PLAN: FanoutPlan = {
  fanout: {
    clients: [10_000],
    eventBytes: 5200,
    intervalMs: 2000,
    updates: 10,
    warmUps: 6,
    repeats: 3,
    settleMs: 2000,
    lean: true,
  },
  workers: {
    clients: 25_000,
    eventBytes: 5200,
    intervalMs: 2000,
    updates: 15,
    warmUps: 3,
    repeats: 1,
    settleMs: 2000,
    workers: 2,
    processes: 2,
  },
  gzip: { clients: 5000, decoded: 20, commits: 100, intervalMs: 500 },
  slow: {
    clients: 5000,
    stopped: 1000,
    eventBytes: 20_800,
    intervalMs: 250,
    updatesBefore: 60,
    updatesStopped: 260,
    updatesLonger: 240,
    push: {},
  },
  storm: { clients: 10_000, eventBytes: 5200, intervalMs: 2000, updates: 30, cutMs: 9000, pollMs: 50, settleMs: 5000 },
  entities: { clients: [1000, 10_000], updatesPerSecond: 1000, seconds: 20 },
  stop: {
    clients: 5000,
    eventBytes: 5200,
    intervalMs: 1000,
    updatesBefore: 3,
    updatesWhileStopping: 5,
    updatesAfter: 3,
    graceMs: 8000,
  },
};

/** Enough to see that it works, in some seconds. */
const QUICK_PLAN: FanoutPlan = {
  fanout: {
    clients: [40],
    eventBytes: 5200,
    intervalMs: 20,
    updates: 5,
    warmUps: 5,
    repeats: 1,
    settleMs: 20,
    lean: false,
  },
  workers: {
    clients: 60,
    eventBytes: 5200,
    intervalMs: 20,
    updates: 5,
    warmUps: 1,
    repeats: 1,
    settleMs: 20,
    workers: 2,
    processes: 2,
  },
  gzip: { clients: 20, decoded: 5, commits: 6, intervalMs: 20 },
  slow: {
    clients: 12,
    stopped: 4,
    eventBytes: 100_000,
    intervalMs: 25,
    updatesBefore: 6,
    updatesStopped: 40,
    updatesLonger: 50,
    // What has stalled is looked for with the heartbeats.
    push: { limitQueueBytes: 500_000, limitStallMs: 600, heartbeatMs: 800, retryMs: 200 },
  },
  storm: {
    clients: 100,
    eventBytes: 5200,
    intervalMs: 50,
    updates: 24,
    cutMs: 300,
    pollMs: 25,
    settleMs: 50,
    retryMs: 200,
  },
  entities: { clients: [100], updatesPerSecond: 200, seconds: 0.5 },
  stop: {
    clients: 50,
    eventBytes: 5200,
    intervalMs: 50,
    updatesBefore: 3,
    updatesWhileStopping: 3,
    updatesAfter: 3,
    graceMs: 300,
    retryMs: 200,
  },
};

/**
 * The sizes that were asked for: `--clients` and `--duration` are those of the measurement `fanout`, `--repeat` that of
 * `workers` too.
 */
export function fanoutPlan({ quick, clients, durationSeconds, repeats }: Asked): FanoutPlan {
  const plan = quick ? QUICK_PLAN : FULL_PLAN;
  const { fanout, workers } = plan;
  const updates =
    durationSeconds === undefined
      ? fanout.updates
      : Math.max(1, Math.round((durationSeconds * 1000) / fanout.intervalMs));
  return {
    ...plan,
    fanout: { ...fanout, clients: clients ?? fanout.clients, updates, repeats: repeats ?? fanout.repeats },
    workers: { ...workers, repeats: repeats ?? workers.repeats },
  };
}
