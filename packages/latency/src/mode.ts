// Pull or push for a MAL, and how long a push connection is believed (specs/mal.md). Pure; times are milliseconds.
//
//   MAL below the break-even -> push is the cheaper mode; else pull
//   the cheaper one that meets the MAL by its lag bound; else the other one; where neither does, the quicker one
//
//   chooseMode({ malMs: 2000, breakEvenMs: 10_000, push: 'available', pullBoundMs: 400, pushBoundMs: 3000 })
//   -> { mode: 'pull', reason: 'MAL 2 s is below the break-even of 10 s, but push cannot ...', lagBoundMs: 2000 }

/**
 * The break-even where nothing was measured: the MAL below which push is the cheaper mode, and pull above (MAL-5).
 * Formula (1) of "Comparing a polling and push-based approach for live Open Data interfaces" (2020): a polled interface
 * must support `users / MAL` requests a second. Theirs supported 2520, or 25,200 users at 10 s: about as many as push.
 */
export const DEFAULT_BREAK_EVEN_SECONDS = 10;

/** The two ways an update reaches a client. */
export type Mode = 'pull' | 'push';

export interface ModeOptions {
  /** The maximum acceptable latency, above 0. */
  readonly malMs: number;
  /** The MAL below which push is the cheaper mode. */
  readonly breakEvenMs: number;
  /** The push endpoint: `failing` at present, `no-connection` where the client's environment has none free for it. */
  readonly push: 'available' | 'failing' | 'no-connection' | 'absent';
  /** The mode in use, if any: it is kept near the break-even. */
  readonly current?: Mode | undefined;
  /** The smallest lag bound that polling can meet (`pullLagBound`); absent: any MAL. */
  readonly pullBoundMs?: number | undefined;
  /** How late updates come by push while it works; absent: within any MAL. */
  readonly pushBoundMs?: number;
}

/** A mode and why, in words for a person. */
export interface ModeChoice {
  readonly mode: Mode;
  readonly reason: string;
  /** How late an update may be at most. For pull the MAL where it is met: requests are as rare as it allows. */
  readonly lagBoundMs: number;
}

// By which share of a limit it must be passed before a mode in use is left: the break-even, the MAL, a lag bound.
const HYSTERESIS = 0.2;

const UNUSABLE = {
  absent: 'the stream offers no push endpoint',
  failing: 'the push endpoint does not work now',
  'no-connection': 'no connection is free for push',
} as const;

/** Chooses a mode (MAL-5, MAL-37). A smaller MAL has no worse bound, unless a mode in use is kept for it. */
export function chooseMode(options: ModeOptions): ModeChoice {
  const { malMs, push } = options;
  const { mode, reason } = push === 'available' ? weigh(options) : ({ mode: 'pull', reason: UNUSABLE[push] } as const);
  const lagBoundMs = boundOf(mode, options);
  if (lagBoundMs <= malMs) return { mode, reason, lagBoundMs };
  const unmet = `MAL ${seconds(malMs)} cannot be met: updates are up to ${seconds(lagBoundMs)} late`;
  return { mode, reason: `${unmet}; ${reason}`, lagBoundMs };
}

type Reasoned = Pick<ModeChoice, 'mode' | 'reason'>;

function weigh(options: ModeOptions): Reasoned {
  const { malMs, current } = options;
  const cheap = byBreakEven(options);
  const other: Mode = cheap.mode === 'pull' ? 'push' : 'pull';
  const cheapMs = boundOf(cheap.mode, options);
  const otherMs = boundOf(other, options);
  if (cheapMs <= malMs) {
    // Bounds waver as they are measured: a mode in use that meets the MAL is not left for one that hardly does.
    const isHard = (minBoundOf(cheap.mode, options) ?? 0) > malMs * (1 - HYSTERESIS);
    if (!isHard || current !== other || otherMs > malMs) return cheap;
    return { mode: other, reason: `MAL ${seconds(malMs)} would hardly be met by ${cheap.mode}: ${other} stays` };
  }
  if (otherMs <= malMs) {
    return {
      mode: other,
      reason: `${cheap.reason}, but ${cheap.mode} cannot meet it: updates are up to ${seconds(cheapMs)} late`,
    };
  }
  const [quick, slow] = otherMs < cheapMs ? [other, cheap.mode] : [cheap.mode, other];
  const isNear = Math.min(cheapMs, otherMs) > Math.max(cheapMs, otherMs) * (1 - HYSTERESIS);
  return current === slow && isNear
    ? { mode: slow, reason: `${quick} would hardly be faster: ${slow} stays` }
    : { mode: quick, reason: `${slow} would not be faster` };
}

function byBreakEven({ malMs, breakEvenMs, current }: ModeOptions): Reasoned {
  const mal = seconds(malMs);
  const breakEven = seconds(breakEvenMs);
  const isNear = Math.abs(malMs - breakEvenMs) <= breakEvenMs * HYSTERESIS;
  if (current && isNear) {
    return { mode: current, reason: `MAL ${mal} is near the break-even of ${breakEven}: ${current} stays` };
  }
  return malMs < breakEvenMs
    ? { mode: 'push', reason: `MAL ${mal} is below the break-even of ${breakEven}` }
    : { mode: 'pull', reason: `MAL ${mal} is not below the break-even of ${breakEven}` };
}

function minBoundOf(mode: Mode, { pullBoundMs, pushBoundMs }: ModeOptions): number | undefined {
  return mode === 'pull' ? pullBoundMs : pushBoundMs;
}

// Polling uses up what the MAL leaves.
function boundOf(mode: Mode, options: ModeOptions): number {
  const minMs = minBoundOf(mode, options) ?? options.malMs;
  return mode === 'pull' ? Math.max(options.malMs, minMs) : minMs;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}

interface PushLagOptions {
  /** Since anything was last received, an event or a heartbeat. */
  readonly silentMs: number;
  /** How late updates have come lately. */
  readonly deliveryMs: number;
  /** Since the predicted next update: negative before it; absent where nothing is predicted. */
  readonly dueMs?: number | undefined;
}

/**
 * How late an update on a push connection may already be. What was published since the connection was last
 * heard may be held up or lost: silence proves nothing. But nothing can be missing before it is due.
 */
export function pushLagBound({ silentMs, deliveryMs, dueMs = silentMs }: PushLagOptions): number {
  return Math.max(0, Math.min(silentMs, dueMs)) + deliveryMs;
}

interface ProbeOptions {
  readonly nextUpdateMs?: number | undefined;
  readonly intervalMs?: number | undefined;
  readonly malMs: number;
  readonly deliveryMs: number;
  /** The last event, or answer to a probe. A heartbeat shows an open connection, not that updates get onto it. */
  readonly heardAtMs: number;
  /** Where the client is among all others, in [0, 1), so that not all probe at once; 0 where absent. */
  readonly phase?: number;
  /** How many probes in a row have found nothing: each doubles the patience; 0 where absent. */
  readonly failedProbes?: number;
}

// Which share of an interval an update is late before it is missed. Predicted intervals deviate by a quarter at most
// (MAL-26), and are predicted low (MAL-29): half an interval late is later than nearly all.
// With less, every source that is a little late would make its push clients poll.
const PROBE_SHARE = 1 / 2;
// With nothing found, a connection is probed every 17 to 33 intervals at last.
const MAX_DOUBLINGS = 5;

/**
 * When a push connection that should have brought an update deserves a probe by one request, whole epoch milliseconds;
 * `undefined` where nothing is due (MAL-36).
 * No sooner than the MAL after it was due: it is lost by then, or was not published, and only pull can show which.
 * No sooner than an interval after the stream was last heard of: one probe an interval at most, whatever is predicted.
 */
export function probeAtMs(options: ProbeOptions): number | undefined {
  const { nextUpdateMs, malMs, deliveryMs, heardAtMs, phase = 0, failedProbes = 0 } = options;
  // What was heard after the update was due has answered for it.
  if (nextUpdateMs === undefined || nextUpdateMs <= heardAtMs) return undefined;
  const intervalMs = options.intervalMs ?? nextUpdateMs - heardAtMs;
  const patienceMs = Math.max(malMs, intervalMs * PROBE_SHARE) * 2 ** Math.min(failedProbes, MAX_DOUBLINGS);
  // Up to a whole millisecond, as timers count: a sum of fractions may round to just below the interval.
  return Math.ceil(Math.max(nextUpdateMs + deliveryMs + patienceMs * (1 + phase), heardAtMs + intervalMs));
}
