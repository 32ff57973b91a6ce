import type { Asked } from '../experiment.ts';
import { ladder } from './search-most.ts';
import type { Transport } from './transport.ts';

/** The sizes of all measurements. */
export interface E3Plan {
  readonly batch: MostPlan;
  readonly connections: MostPlan;
  readonly fixed: FixedPlan;
  readonly browser: BrowserPlan;
}

/** Growing until a consumer no longer keeps up. */
export interface MostPlan {
  readonly grows: 'batch' | 'connections';
  /** Ascending values of what grows. */
  readonly levels: readonly number[];
  /** The value of what does not grow. */
  readonly fixed: number;
  readonly transports: readonly Transport[];
  /** Time from a batch to the next, milliseconds. */
  readonly intervalMs: number;
  /** The same for what `createLiveClient` reads. */
  readonly clientIntervalMs: number;
  readonly stepMs: number;
  /** The level that the first search of a plain transport begins near, and that of one of ldes-live. */
  readonly plainStart: number;
  readonly liveStart: number;
  /** Levels that the first search goes at a time, and a later one, which begins where the one before ended. */
  readonly firstStride: number;
  readonly laterStride: number;
  /** How often a level is tried before it counts as failed. */
  readonly attempts: number;
  readonly repeats: number;
  readonly seed: number;
}

/** Shapes of the same rate. */
export interface FixedPlan {
  readonly shapes: readonly { readonly connections: number; readonly batch: number }[];
  readonly intervalMs: number;
  /** The first shape before anything counts, milliseconds, so that the code is warm. */
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly transports: readonly Transport[];
  readonly repeats: number;
  readonly seed: number;
}

/** Pages in a browser, each with one connection. */
export interface BrowserPlan {
  readonly pages: readonly ('table' | 'chart')[];
  readonly batches: readonly number[];
  readonly intervalMs: number;
  /** Rows of each page before anything counts, milliseconds, so that it is loaded, drawn and warm. */
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly transports: readonly Transport[];
  readonly repeats: number;
  readonly seed: number;
}

const MOST_BATCH = 4000;
const MOST_CONNECTIONS = 1500;

/** The sizes that were asked for: `clients` are the numbers of connections that grow. */
export function e3Plan({ quick, clients, durationSeconds, repeats = quick ? 1 : 3, seed }: Asked): E3Plan {
  const durationMs = durationSeconds === undefined ? undefined : durationSeconds * 1000;
  // Each is four times the one before, or an eighth above it.
  const perDoubling = quick ? 0.5 : 6;
  const search = {
    stepMs: durationMs ?? (quick ? 250 : 1500),
    firstStride: quick ? 1 : 6,
    laterStride: 2,
    attempts: quick ? 1 : 2,
    clientIntervalMs: 100,
    repeats,
    seed,
  };
  const servers = ['websocket', 'sse', 'ldes-live'] as const;
  return {
    batch: {
      ...search,
      grows: 'batch',
      levels: ladder(MOST_BATCH, perDoubling),
      fixed: 10,
      transports: quick ? servers : [...servers, 'live-client'],
      intervalMs: 1,
      plainStart: quick ? 64 : 30,
      liveStart: 4,
    },
    connections: {
      ...search,
      grows: 'connections',
      levels: clients ? [...clients].sort((left, right) => left - right) : ladder(MOST_CONNECTIONS, perDoubling),
      fixed: 50,
      transports: servers,
      intervalMs: 10,
      plainStart: quick ? 64 : 45,
      liveStart: 16,
    },
    fixed: {
      shapes: [
        { connections: 20, batch: 250 },
        { connections: 100, batch: 50 },
      ],
      intervalMs: 50,
      warmUpMs: quick ? 700 : 1500,
      durationMs: durationMs ?? (quick ? 300 : 3000),
      transports: servers,
      repeats,
      seed,
    },
    browser: {
      pages: ['table', 'chart'],
      batches: quick ? [250] : [250, 1000],
      intervalMs: 50,
      warmUpMs: quick ? 400 : 1000,
      durationMs: durationMs ?? (quick ? 300 : 1500),
      transports: quick ? ['websocket', 'ldes-live'] : [...servers, 'live-client'],
      repeats,
      seed,
    },
  };
}

/** About how long each measurement takes, seconds. */
export function e3Seconds({ batch, connections, fixed, browser }: E3Plan): Readonly<Record<keyof E3Plan, number>> {
  const shapes = fixed.shapes.length * (fixed.durationMs + AROUND_STEP_MS);
  const pages = browser.transports.length * browser.pages.length * browser.batches.length;
  return {
    batch: mostSeconds(batch),
    connections: mostSeconds(connections),
    fixed: seconds(fixed.repeats * fixed.transports.length * (PROCESSES_MS + fixed.warmUpMs + AROUND_STEP_MS + shapes)),
    browser: seconds(
      CHROMIUM_MS + (1 + browser.repeats * pages) * (browser.warmUpMs + browser.durationMs + AROUND_PAGE_MS),
    ),
  };
}

// What it takes to start and end things, beside what is measured.
const PROCESSES_MS = 400;
const CHROMIUM_MS = 1500;
const AROUND_STEP_MS = 100;
const AROUND_PAGE_MS = 450;

function mostSeconds(plan: MostPlan): number {
  const { transports, stepMs, repeats, firstStride, laterStride, attempts } = plan;
  const steps = stepsOf(firstStride, attempts) + (repeats - 1) * stepsOf(laterStride, attempts);
  return seconds(transports.length * (repeats * (PROCESSES_MS + stepMs / 3) + steps * (stepMs + AROUND_STEP_MS)));
}

/** About how many steps a search takes: up to the limit, and by halves towards it. */
function stepsOf(stride: number, attempts: number): number {
  return 2 + attempts + Math.log2(stride) * attempts;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
