/*
 * `e3`: rows of 12 fields to a consumer in Node.js and to pages in Chromium, after a published comparison of WebSocket and SSE.
 *
 *   batch, connections   grow until rows are not kept up with: all once, and 99 % of the batches parsed within 100 ms
 *   fixed                100,000 rows a second over few connections and over many: CPU time of both ends
 *   browser              a table of all rows, and a chart of windows of 1 s
 *   { "measurement": "batch", "subject": "plain SSE", "at": { "batch": 64 },
 *     "values": { "rowsPerSecond": 485449, "kept": 1, "p99Ms": 12.1, "clientShare": 0.94, "lost": 0, "doubled": 0 } }
 *
 * The same batch goes to all connections at the same instant, since a stream has one truth for all its readers; the published
 * connections had rows of their own. Rows a second are counted at the connections. Here the consumer is a part of what is measured.
 */
import { type Experiment, type Lab, type Measured, searchMost } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { packageVersions, programVersions, watchCpu } from '../machine.ts';
import { type Child, LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import { ROWS, ROWS_FIGURES } from '../report/published.ts';
import type { CellPlan } from '../result.ts';
import { monotonicMicros } from '../timing.ts';
import { type BrowserPlan, measurePage } from './e3-browser.ts';
import type {
  ConsumerOrder,
  Published,
  RowCounts,
  RowSchedule,
  RowsRole,
  RowTarget,
  ServerOrder,
  Transport,
} from './e3-rows.ts';

const FULL = {
  repeats: 3,
  /**
   * Growing until a consumer no longer keeps up: batches of 1, 2, 3, ... rows, so many to a doubling where they are far enough
   * apart, over a fixed number of connections. The search begins near another batch with ours.
   */
  batch: { most: 4000, levelsPerDoubling: 6, fixed: 10, intervalMs: 1, plainStart: 30, liveStart: 4 },
  /** The same for connections, with a fixed number of rows of a batch. */
  connections: { most: 1500, levelsPerDoubling: 6, fixed: 50, intervalMs: 10, plainStart: 45, liveStart: 16 },
  /** Numbers of connections instead of these. */
  levels: [] as readonly number[],
  /** From a batch to the next where `createLiveClient` reads, since it makes RDF quads of every row. */
  clientIntervalMs: 100,
  stepMs: 1500,
  stride: 6,
  attempts: 2,
  fixed: {
    /** Of 100,000 rows a second; the first also before anything counts, so that the code is warm. */
    shapes: [
      { connections: 20, batch: 250 },
      { connections: 100, batch: 50 },
    ],
    intervalMs: 50,
    warmUpMs: 1500,
    durationMs: 3000,
  },
  browser: { batches: [250, 1000], intervalMs: 50, warmUpMs: 1000, durationMs: 1500 } as BrowserPlan,
};
type E3Plan = typeof FULL;
const QUICK: E3Plan = {
  ...FULL,
  repeats: 1,
  batch: { ...FULL.batch, levelsPerDoubling: 0.5, plainStart: 64 },
  connections: { ...FULL.connections, levelsPerDoubling: 0.5, plainStart: 64 },
  stepMs: 200,
  stride: 1,
  attempts: 1,
  fixed: { ...FULL.fixed, warmUpMs: 300, durationMs: 300 },
  browser: { batches: [250], intervalMs: 50, warmUpMs: 300, durationMs: 300 },
};

const [WEBSOCKET, SSE, LIVE, CLIENT] = ['WebSocket', 'plain SSE', 'ldes-live', 'ldes-live, createLiveClient'] as const;
const TRANSPORTS: Readonly<Record<string, Transport>> = {
  [WEBSOCKET]: 'websocket',
  [SSE]: 'sse',
  [LIVE]: 'ldes-live',
  [CLIENT]: 'client',
};
const MOST = { step: 'most' };
const SUBJECTS = { key: 'subject', title: 'Transport' };

/** Rows to a consumer in Node.js and in a browser: SSE against WebSocket. */
export const E3: Experiment<E3Plan> = {
  name: 'e3',
  title: 'Streaming rows to a consumer: SSE against WebSocket',
  about: 'rows to a consumer in Node.js and in a browser: SSE, WebSocket',
  source: ROWS,
  measurements: ['batch', 'connections', 'fixed', 'browser'],
  options: ['clients', 'duration', 'repeat'],
  plan: ({ quick, clients, durationSeconds, repeats }) => {
    const plan = quick ? QUICK : FULL;
    const durationMs = durationSeconds === undefined ? undefined : durationSeconds * 1000;
    return {
      ...plan,
      repeats: repeats ?? plan.repeats,
      levels: [...(clients ?? [])].sort((one, other) => one - other),
      stepMs: durationMs ?? plan.stepMs,
      fixed: { ...plan.fixed, durationMs: durationMs ?? plan.fixed.durationMs },
      browser: { ...plan.browser, durationMs: durationMs ?? plan.browser.durationMs },
    };
  },
  cells: (plan) => {
    const isQuick = plan.attempts < FULL.attempts;
    const cells = (measurement: string, subjects: readonly string[], seconds: number, at: CellPlan['at'] = {}) =>
      subjects.map((subject) => ({ measurement, subject, at, repeats: plan.repeats, seconds }));
    const servers = [WEBSOCKET, SSE, LIVE];
    const { stepMs, stride, attempts, fixed, browser } = plan;
    // Up to the limit, and by halves towards it.
    const steps = 2 + attempts + Math.log2(stride) * attempts;
    const searchSeconds = START_SECONDS + (steps * (stepMs + AROUND_STEP_MS)) / 1000;
    const fixedMs = fixed.warmUpMs + fixed.shapes.length * (fixed.durationMs + AROUND_STEP_MS);
    const pageSeconds = (browser.warmUpMs + browser.durationMs + AROUND_PAGE_MS) / 1000;
    const readers = isQuick ? [WEBSOCKET, LIVE] : Object.keys(TRANSPORTS);
    return [
      ...cells('batch', isQuick ? servers : Object.keys(TRANSPORTS), searchSeconds),
      ...cells('connections', servers, searchSeconds),
      ...cells('fixed', servers, START_SECONDS + fixedMs / 1000),
      ...browser.batches.flatMap((batch) =>
        ['table', 'chart'].flatMap((page) => cells('browser', readers, pageSeconds, { page, batch })),
      ),
    ];
  },
  measure: (cell, plan, lab) => {
    if (cell.measurement === 'browser') {
      return measurePage(cell, TRANSPORTS[cell.subject] as Transport, plan.browser, lab);
    }
    return cell.measurement === 'fixed' ? measureFixed(cell, plan, lab) : measureMost(cell, plan, lab);
  },
  versions: () => ({ ...packageVersions(['ws']), ...programVersions(['Chromium']) }),
  ratios: [
    { subject: SSE, other: WEBSOCKET },
    { subject: LIVE, other: WEBSOCKET },
    { subject: LIVE, other: SSE },
  ].flatMap(({ subject, other }) => [
    {
      of: { measurement: ['batch', 'connections'], subject, at: MOST },
      value: 'rowsPerSecond',
      over: { subject: other },
    },
    { of: { measurement: 'fixed', subject }, value: 'clientMicros', over: { subject: other } },
    { of: { measurement: 'fixed', subject }, value: 'serverMicros', over: { subject: other } },
  ]),
  views: [
    ...(['batch', 'connections'] as const).flatMap((measurement) => [
      {
        kind: 'bars' as const,
        title: `Most rows a second, growing ${measurement}`,
        of: { measurement, at: MOST },
        x: SUBJECTS,
        y: { value: 'rowsPerSecond', title: 'Million rows/s', per: 1e6 },
        series: {},
        published: ROWS_FIGURES,
      },
      {
        kind: 'lines' as const,
        title: `Rows a second that came, growing ${measurement}`,
        of: { measurement, at: { [measurement]: { from: 1 } } },
        x: { key: measurement, title: measurement === 'batch' ? 'Rows of a batch' : 'Connections', isLog: true },
        y: { value: 'rowsPerSecond', title: 'Rows/s', isLog: true },
        series: { subject: '' },
      },
    ]),
    ...(['client', 'server'] as const).map((side) => ({
      kind: 'bars' as const,
      title: `CPU of the ${side} at 100,000 rows a second`,
      of: { measurement: 'fixed' },
      x: SUBJECTS,
      y: { value: `${side}Share`, title: 'Share of a core' },
      series: { connections: 'connections' },
      published: ROWS_FIGURES,
    })),
    {
      kind: 'table',
      title: 'Growing batch (10 connections, every 1 ms) and connections (50 rows, every 10 ms)',
      of: { measurement: ['batch', 'connections'], at: MOST },
      rows: { measurement: 'Growing', subject: 'Transport' },
      columns: [
        { value: 'everyMs', title: 'Every, ms' },
        { value: 'level', title: 'Kept up with' },
        { value: 'keptPerSecond', title: 'Rows/s there' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'clientShare', title: 'Client' },
        { value: 'serverShare', title: 'Server' },
        { value: 'rowsPerSecond', title: 'Most rows/s' },
        { value: 'rowsPerSecond', title: '÷ WebSocket', over: { subject: WEBSOCKET } },
        { value: 'failedClientShare', title: 'Client, when not kept up' },
        { value: 'failedServerShare', title: 'Server' },
        { value: 'doubled', title: 'Twice', isTotal: true },
      ],
      published: ROWS_FIGURES,
    },
    {
      kind: 'table',
      title: '100,000 rows a second, every 50 ms; CPU as shares of a core',
      of: { measurement: 'fixed' },
      rows: { connections: 'Connections', subject: 'Transport' },
      columns: [
        { value: 'clientShare', title: 'Client' },
        { value: 'serverShare', title: 'Server' },
        { value: 'clientMicros', title: 'Client, µs a row' },
        { value: 'serverMicros', title: 'Server, µs a row' },
        { value: 'bytesPerRow', title: 'Bytes a row' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'missing', title: 'Not there', isTotal: true },
        { value: 'doubled', title: 'Twice', isTotal: true },
      ],
      published: ROWS_FIGURES,
    },
    {
      kind: 'table',
      title: 'In Chromium, one connection, drawn at most every 200 ms; CPU as shares of a core',
      of: { measurement: 'browser' },
      rows: { page: 'Page', batch: 'Rows of a batch', subject: 'Transport' },
      columns: [
        { value: 'offeredPerSecond', title: 'Offered, rows/s' },
        { value: 'rowsPerSecond', title: 'Came' },
        { value: 'draws', title: 'Draws' },
        { value: 'maxGapMs', title: 'Longest gap, ms' },
        { value: 'browserShare', title: 'Chromium' },
        { value: 'serverShare', title: 'Server' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'missing', title: 'Not there', isTotal: true },
        { value: 'doubled', title: 'Twice', isTotal: true },
      ],
    },
  ],
};

// What it takes to start and end things, beside what is measured.
const [START_SECONDS, AROUND_STEP_MS, AROUND_PAGE_MS] = [1, 100, 450];

/** The two processes of a transport. */
interface Pair {
  readonly server: Child<object>;
  readonly consumer: Child<object>;
}

const MODULE = new URL('./e3-rows.js', import.meta.url);
const WARM_UP = { connections: 2, batch: 2, intervalMs: 5 };
const MAX_WARM_UP_MS = 600;

/** Measures with processes which have sent and read some rows before, and end after it. */
async function withPair<Value>(
  { subject }: CellPlan,
  { stepMs }: E3Plan,
  { seed }: Lab,
  measure: (pair: Pair) => Promise<Value>,
): Promise<Value> {
  const start = (role: RowsRole['role'], core: number) =>
    startChild<object>(MODULE, { role, transport: TRANSPORTS[subject] as Transport } satisfies RowsRole, core);
  const [server, consumer] = await Promise.all([start('server', SERVER_CORE), start('consumer', LOAD_CORE)]);
  try {
    await runStep({ server, consumer }, { ...WARM_UP, durationMs: Math.min(stepMs, MAX_WARM_UP_MS), seed });
    return await measure({ server, consumer });
  } finally {
    await Promise.all([server.close(), consumer.close()]);
  }
}

interface Step {
  readonly connections: number;
  readonly batch: number;
  readonly intervalMs: number;
  readonly durationMs: number;
  readonly seed: number;
}

/** How late batches may be that are kept up with: what is not kept up with is later at its end. */
const MAX_P99_MS = 100;
const [AHEAD_MICROS, MAX_DRAIN_MS] = [20_000, 1000];

/** Opens the connections, publishes, waits for what was published, and closes all of it. */
async function runStep({ server, consumer }: Pair, { connections, batch, intervalMs, durationMs, seed }: Step) {
  const serve = <Answer>(order: ServerOrder) => server.ask<Answer>(order);
  const consume = <Answer>(order: ConsumerOrder) => consumer.ask<Answer>(order);
  const target = await serve<RowTarget>({ order: 'start' });
  await consume({ order: 'open', target, connections });
  const [serverCpu, clientCpu] = [watchCpu(server.pid), watchCpu(consumer.pid)];
  const [startMicros, intervalMicros] = [monotonicMicros() + AHEAD_MICROS, intervalMs * 1000];
  const count = Math.max(1, Math.round(durationMs / intervalMs));
  const rows: RowSchedule = { schedule: { startMicros, intervalMicros, count }, batch, firstRow: 0, seed };
  const published = await serve<Published>({ order: 'publish', ...rows });
  const maxMs = published.isGivenUp ? 0 : MAX_DRAIN_MS;
  const counts = await consume<RowCounts>({ order: 'finish', rows: published.batches * batch, maxMs });
  const [served, consumed] = [serverCpu(), clientCpu()];
  await serve({ order: 'close' });
  const delay = new Histogram(counts.delay);
  const p99Ms = delay.percentileMs(0.99);
  const wrong = counts.lost + counts.behind + counts.doubled;
  const wallMicros = Math.max(counts.lastMicros - startMicros, published.batches * intervalMicros);
  return {
    values: {
      offeredPerSecond: (batch * connections * 1000) / intervalMs,
      rowsPerSecond: wallMicros > 0 ? (counts.rows / wallMicros) * 1e6 : 0,
      kept: !published.isGivenUp && counts.rows > 0 && wrong === 0 && p99Ms <= MAX_P99_MS ? 1 : 0,
      // A server that is far too late gives up: what it never sent is not there either.
      missing: count * batch * connections - counts.rows,
      doubled: counts.doubled,
      p50Ms: delay.percentileMs(0.5),
      p99Ms,
      clientShare: consumed.share,
      serverShare: served.share,
      ...(counts.rows > 0 && {
        clientMicros: consumed.cpuMicros / counts.rows,
        serverMicros: served.cpuMicros / counts.rows,
      }),
      ...(counts.rows > 0 && counts.bytes > 0 && { bytesPerRow: counts.bytes / counts.rows }),
    },
    histograms: { delay: counts.delay },
  };
}

function levelsOf({ most, levelsPerDoubling }: E3Plan['batch']): readonly number[] {
  const steps = Array.from({ length: Math.floor(Math.log2(most) * levelsPerDoubling) + 1 }, (_, step) => step);
  return [...new Set(steps.map((step) => Math.round(2 ** (step / levelsPerDoubling))))];
}

/** Grows until rows are not kept up with. */
function measureMost(cell: CellPlan, plan: E3Plan, lab: Lab): Promise<readonly Measured[]> {
  const grows = cell.measurement as 'batch' | 'connections';
  const { fixed, intervalMs, plainStart, liveStart } = plan[grows];
  const everyMs = cell.subject === CLIENT ? plan.clientIntervalMs : intervalMs;
  const size = { batch: fixed, connections: fixed, intervalMs: everyMs, durationMs: plan.stepMs, seed: lab.seed };
  const isGiven = grows === 'connections' && plan.levels.length > 0;
  const [levels, start] = [
    isGiven ? plan.levels : levelsOf(plan[grows]),
    cell.subject.startsWith(LIVE) ? liveStart : plainStart,
  ];
  return withPair(cell, plan, lab, async (pair) => {
    const steps: (Measured & { readonly level: number })[] = [];
    const search = {
      at: levels.findLastIndex((level) => level <= start),
      stride: plan.stride,
      attempts: plan.attempts,
    };
    const found = await searchMost(levels.length, search, async (index) => {
      const level = levels[index] as number;
      const step = await runStep(pair, { ...size, [grows]: level });
      steps.push({ ...step, level });
      lab.onProgress(`${cell.subject}, ${grows} ${level}: ${Math.round(step.values.rowsPerSecond)} rows/s`);
      return step.values.kept === 1;
    });
    const best = steps.findLast(({ level, values }) => level === levels[found] && values.kept === 1);
    const [failed] = steps
      .filter(({ level }) => level > (best?.level ?? 0))
      .sort((one, other) => one.level - other.level);
    const { rowsPerSecond: keptPerSecond = 0, ...values } = best?.values ?? {};
    const most = {
      ...values,
      everyMs,
      level: best?.level ?? 0,
      keptPerSecond,
      // Also where it was late: there a consumer reads without a pause.
      rowsPerSecond: Math.max(...steps.map((step) => step.values.rowsPerSecond ?? 0)),
      ...(failed && { failedClientShare: failed.values.clientShare, failedServerShare: failed.values.serverShare }),
    } as Measured['values'];
    const tried = steps.map(({ level, values }) => ({ at: { [grows]: level }, values }));
    return [...tried, { at: MOST, values: most, ...(best?.histograms && { histograms: best.histograms }) }];
  });
}

/** Sends rows at one rate in several shapes. */
function measureFixed(cell: CellPlan, plan: E3Plan, lab: Lab): Promise<readonly Measured[]> {
  const { shapes, intervalMs, warmUpMs, durationMs } = plan.fixed;
  return withPair(cell, plan, lab, async (pair) => {
    const run = (shape: (typeof shapes)[number] | undefined, ms: number) =>
      runStep(pair, { connections: 1, batch: 1, ...shape, intervalMs, durationMs: ms, seed: lab.seed });
    await run(shapes[0], warmUpMs);
    const measured: Measured[] = [];
    for (const shape of shapes) {
      measured.push({ at: { connections: shape.connections }, ...(await run(shape, durationMs)) });
    }
    return measured;
  });
}
