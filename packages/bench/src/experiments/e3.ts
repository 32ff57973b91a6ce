/*
 * `e3`: rows of 12 fields to a consumer in Node.js and to pages in Chromium, after a published comparison of WebSocket and SSE.
 *
 *   batch, connections   grow until rows are not kept up with: all once, and 99 % of the batches parsed within 100 ms
 *   fixed                100,000 rows a second over few connections and over many: CPU time of both ends
 *   browser              a table of all rows, and a chart of windows of 1 s
 *   each of these: open -> rows that do not count -> rows -> what came -> close
 *   { "measurement": "batch", "subject": "plain SSE", "at": { "batch": 64 },
 *     "values": { "rowsPerSecond": 485449, "kept": 1, "p99Ms": 12.1, "clientShare": 0.94, "missing": 0, "doubled": 0 } }
 *
 * The same batch goes to all connections at the same instant, since a stream has one truth for all its readers; the published
 * connections had rows of their own. Rows a second are counted at the connections. Here the consumer is a part of what is measured.
 */
import { columns, type Experiment, type Lab, type Measured, type Missing, searchMaximum } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { packageVersions, programVersions, watchCpu } from '../machine.ts';
import { type Child, isInstalled, LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import { ROWS, ROWS_FIGURES } from '../report/published.ts';
import type { CellPlan } from '../result.ts';
import { monotonicMicros } from '../timing.ts';
import { type Browser, pageReader, startBrowser } from './e3-browser.ts';
import type { RowCounts } from './e3-rows.ts';

const [WEBSOCKET, SSE, LIVE, CLIENT] = ['WebSocket', 'plain SSE', 'ldes-live', 'ldes-live, createLiveClient'] as const;

const FULL = {
  repeats: 3,
  transports: [WEBSOCKET, SSE, LIVE, CLIENT] as readonly string[],
  /**
   * Growing until a consumer no longer keeps up: batches of 1, 2, 3, ... rows, over a fixed number of connections. The search
   * begins near the limits of the machine that this was written on.
   */
  batch: {
    most: 4000,
    fixed: 10,
    intervalMs: 1,
    starts: { [WEBSOCKET]: 64, [SSE]: 64, [LIVE]: 8, [CLIENT]: 45 } as Readonly<Record<string, number>>,
  },
  /** The same for connections, with a fixed number of rows of a batch. */
  connections: {
    most: 1500,
    fixed: 50,
    intervalMs: 10,
    starts: { [WEBSOCKET]: 128, [SSE]: 128, [LIVE]: 20 } as Readonly<Record<string, number>>,
  },
  /** So many levels to a doubling, where they are far enough apart. */
  levelsPerDoubling: 6,
  /** Numbers of connections instead of these. */
  levels: [] as readonly number[],
  /** From a batch to the next where `createLiveClient` reads, since it makes RDF quads of every row. */
  clientIntervalMs: 100,
  stepMs: 1500,
  stride: 4,
  attempts: 2,
  fixed: {
    connections: [20, 100],
    /** Of a batch at all connections together: 100,000 a second. */
    rows: 5000,
    intervalMs: 50,
    /** Rows before anything counts, so that the code is warm. */
    warmUpMs: 1000,
    durationMs: 3000,
  },
  browser: {
    batches: [250, 1000],
    intervalMs: 50,
    /** Rows of each page before anything counts, so that it is loaded, drawn and compiled. */
    warmUpMs: 1000,
    durationMs: 1500,
  },
};
type E3Plan = typeof FULL;
const QUICK: E3Plan = {
  ...FULL,
  repeats: 1,
  transports: [WEBSOCKET, LIVE],
  levelsPerDoubling: 0.5,
  stepMs: 200,
  stride: 1,
  attempts: 1,
  fixed: { ...FULL.fixed, warmUpMs: 300, durationMs: 300 },
  browser: { ...FULL.browser, batches: [250], warmUpMs: 300, durationMs: 300 },
};

const MOST = { step: 'most' };

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
    const { transports, stepMs, stride, attempts, fixed, browser, repeats } = plan;
    const servers = transports.filter((transport) => transport !== CLIENT);
    const cells = (measurement: string, subjects: readonly string[], ms: number, at: CellPlan['at'] = {}) =>
      subjects.map((subject) => ({ measurement, subject, at, repeats, seconds: ms / 1000 }));
    // Up to the limit, and by halves towards it, of which every other one is tried to the end.
    const steps = 2 + attempts + (Math.log2(stride) * (1 + attempts)) / 2;
    const searchMs = START_MS + steps * (stepMs + AROUND_STEP_MS);
    const fixedMs = START_MS + fixed.warmUpMs + fixed.durationMs + AROUND_STEP_MS;
    const pageMs = browser.warmUpMs + browser.durationMs + AROUND_PAGE_MS;
    const pages = browser.batches.flatMap((batch) =>
      ['table', 'chart'].map((page) => ({ page, batch, connections: 1 })),
    );
    return [
      ...cells('batch', transports, searchMs),
      ...cells('connections', servers, searchMs),
      ...fixed.connections.flatMap((connections) =>
        cells('fixed', servers, fixedMs, { connections, batch: fixed.rows / connections }),
      ),
      ...pages.flatMap((at) => cells('browser', transports, pageMs, at)),
    ];
  },
  measure: (cell, plan, lab) => {
    const { measurement, subject, at } = cell;
    if (measurement !== 'fixed' && measurement !== 'browser') return measureMost(cell, plan, lab);
    const size = { connections: Number(at.connections), batch: Number(at.batch), seed: lab.seed };
    const step = { ...plan[measurement], ...size };
    if (measurement === 'browser') return measurePage(cell, step, lab);
    return withEnds(subject, (server, reader) => runStep(server, reader, step));
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
    ...(['batch', 'connections'] as const).map((measurement) => ({
      kind: 'lines' as const,
      title: `Rows a second that came, growing ${measurement}`,
      of: { measurement, at: { [measurement]: { from: 1 } } },
      x: { key: measurement, title: measurement === 'batch' ? 'Rows of a batch' : 'Connections', isLog: true },
      y: { value: 'rowsPerSecond', title: 'Rows/s', isLog: true },
      series: { subject: '' },
    })),
    {
      kind: 'table',
      title: `Growing batch (10 connections, every 1 ms; createLiveClient: 100 ms) and connections (50 rows, every 10 ms)`,
      of: { measurement: ['batch', 'connections'], at: MOST },
      rows: { measurement: 'Growing', subject: 'Transport' },
      columns: [
        ...columns({ level: 'Kept up with', keptPerSecond: 'Rows/s there', p99Ms: 'p99, ms' }),
        ...columns({ clientShare: 'Client', serverShare: 'Server', rowsPerSecond: 'Most rows/s' }),
        { value: 'rowsPerSecond', title: '÷ WebSocket', over: { subject: WEBSOCKET } },
      ],
      published: ROWS_FIGURES,
    },
    {
      kind: 'table',
      title: '100,000 rows a second, every 50 ms; CPU as shares of a core',
      of: { measurement: 'fixed' },
      rows: { connections: 'Connections', subject: 'Transport' },
      columns: [
        ...columns({ clientShare: 'Client', serverShare: 'Server' }),
        ...columns({ clientMicros: 'Client, µs a row', serverMicros: 'Server, µs a row' }),
        ...columns({ bytesPerRow: 'Bytes a row', p99Ms: 'p99, ms' }),
        ...columns({ missing: 'Not there', doubled: 'Twice' }, true),
      ],
      published: ROWS_FIGURES,
    },
    {
      kind: 'table',
      title: 'In Chromium, one connection, drawn at most every 200 ms; CPU as shares of a core',
      of: { measurement: 'browser' },
      rows: { page: 'Page', batch: 'Rows of a batch', subject: 'Transport' },
      columns: [
        ...columns({ offeredPerSecond: 'Offered, rows/s', rowsPerSecond: 'Came', draws: 'Draws' }),
        ...columns({ maxGapMs: 'Longest gap, ms', clientShare: 'Chromium', serverShare: 'Server', p99Ms: 'p99, ms' }),
        ...columns({ missing: 'Not there', doubled: 'Twice' }, true),
      ],
    },
  ],
};

// What it takes to start and end things, beside what is measured.
const [START_MS, AROUND_STEP_MS, AROUND_PAGE_MS] = [1000, 100, 450];

/** Whoever sends rows, or reads them: a process of e3-rows.ts, or a page. */
type End = Pick<Child<object>, 'pid' | 'ask'>;

function startRows(transport: string, core: number): Promise<Child<object>> {
  return startChild<object>(new URL('./e3-rows.js', import.meta.url), { transport }, core);
}

/** Measures with processes of their own, which end after it. */
async function withEnds<Value>(subject: string, measure: (server: End, reader: End) => Promise<Value>): Promise<Value> {
  const ends = await Promise.all([startRows(subject, SERVER_CORE), startRows(subject, LOAD_CORE)]);
  try {
    return await measure(...ends);
  } finally {
    await Promise.all(ends.map((end) => end.close()));
  }
}

interface Step extends Readonly<Record<'connections' | 'batch' | 'intervalMs' | 'durationMs' | 'seed', number>> {
  /** Of rows that do not count. */
  readonly warmUpMs?: number;
}

/**
 * How late 99 % of the batches may be that are kept up with: what is not kept up with is later at its end. Rows that are parsed
 * so long after the instant of the last batch are not there.
 */
const MAX_LATE_MS = 100;
const [AHEAD_MICROS, MAX_WARM_UP_LATE_MS] = [20_000, 10_000];

/** Opens the connections, publishes, waits for what was published, and closes all of it. */
async function runStep(
  server: End,
  reader: End,
  { connections, batch, intervalMs, warmUpMs = 0, durationMs, seed }: Step,
) {
  const intervalMicros = intervalMs * 1000;
  const send = async (firstRow: number, ms: number, maxLateMs: number) => {
    const [startMicros, count] = [monotonicMicros() + AHEAD_MICROS, Math.max(1, Math.round(ms / intervalMs))];
    const rows = { startMicros, intervalMicros, count, batch, firstRow, seed };
    const batches = await server.ask<number>({ order: 'publish', ...rows });
    const endMicros = startMicros + (batches - 1) * intervalMicros + maxLateMs * 1000;
    const counts = await reader.ask<RowCounts>({ order: 'finish', rows: firstRow + batches * batch, endMicros });
    return { ...counts, startMicros, count, batches };
  };
  const { url } = await server.ask<{ readonly url: string }>({ order: 'serve' });
  await reader.ask({ order: 'open', url, connections });
  const firstRow = warmUpMs > 0 ? (await send(0, warmUpMs, MAX_WARM_UP_LATE_MS)).batches * batch : 0;
  const [serverCpu, clientCpu] = [watchCpu(server.pid), watchCpu(reader.pid)];
  const came = await send(firstRow, durationMs, MAX_LATE_MS);
  const [served, consumed] = [serverCpu(), clientCpu()];
  await reader.ask({ order: 'close' });
  await server.ask({ order: 'close' });
  const { count, batches, rows, doubled } = came;
  // A server that is far too late gives up: what it never sent is not there either.
  const missing = count * batch * connections - rows;
  const p99Ms = new Histogram(came.delay).percentileMs(0.99);
  const wallMicros = Math.max(came.lastMicros - came.startMicros, batches * intervalMicros);
  return {
    values: {
      offeredPerSecond: (batch * connections * 1000) / intervalMs,
      rowsPerSecond: wallMicros > 0 ? (rows / wallMicros) * 1e6 : 0,
      kept: missing === 0 && doubled === 0 && p99Ms <= MAX_LATE_MS ? 1 : 0,
      missing,
      doubled,
      p99Ms,
      clientShare: consumed.share,
      serverShare: served.share,
      ...(rows > 0 && {
        clientMicros: consumed.cpuMicros / rows,
        serverMicros: served.cpuMicros / rows,
        bytesPerRow: came.bytes / rows,
      }),
      ...came.drawn,
    },
  };
}

function levelsOf(most: number, perDoubling: number): readonly number[] {
  const steps = Array.from({ length: Math.floor(Math.log2(most) * perDoubling) + 1 }, (_, step) => step);
  return [...new Set(steps.map((step) => Math.round(2 ** (step / perDoubling))))];
}

const WARM_UP = { connections: 2, batch: 2, intervalMs: 5 };
const MAX_WARM_UP_MS = 600;

/** Grows until rows are not kept up with. */
function measureMost(cell: CellPlan, plan: E3Plan, lab: Lab): Promise<readonly Measured[]> {
  const { stepMs: durationMs, stride, attempts } = plan;
  const grows = cell.measurement as 'batch' | 'connections';
  const { most, fixed, intervalMs, starts } = plan[grows];
  const everyMs = cell.subject === CLIENT ? plan.clientIntervalMs : intervalMs;
  const size = { batch: fixed, connections: fixed, intervalMs: everyMs, durationMs, seed: lab.seed };
  const isGiven = grows === 'connections' && plan.levels.length > 0;
  const levels = isGiven ? plan.levels : levelsOf(most, plan.levelsPerDoubling);
  const at = levels.findLastIndex((level) => level <= (starts[cell.subject] ?? 1));
  return withEnds(cell.subject, async (server, reader) => {
    await runStep(server, reader, { ...size, ...WARM_UP, durationMs: Math.min(durationMs, MAX_WARM_UP_MS) });
    const tried: Measured[] = [];
    let kept: Measured['values'] = { level: 0, keptPerSecond: 0 };
    await searchMaximum(levels.length, { at, stride, attempts }, async (index) => {
      const level = levels[index] as number;
      const { values } = await runStep(server, reader, { ...size, [grows]: level });
      tried.push({ at: { [grows]: level }, values });
      lab.onProgress(`${cell.subject}, ${grows} ${level}: ${Math.round(values.rowsPerSecond)} rows/s`);
      if (values.kept === 1) kept = { ...values, level, keptPerSecond: values.rowsPerSecond };
      return values.kept === 1;
    });
    // Also where it was late: there a consumer reads without a pause.
    const rowsPerSecond = Math.max(...tried.map(({ values }) => values.rowsPerSecond ?? 0));
    return [...tried, { at: MOST, values: { ...kept, rowsPerSecond } }];
  });
}

/** Shows rows of a transport in a page. */
async function measurePage({ at, subject }: CellPlan, step: Step, lab: Lab): Promise<Measured | Missing> {
  if (!isInstalled('chromium')) return { missing: 'Chromium' };
  const show = async (browser: Browser, transport: string) => {
    const server = await lab.shared(`rows by ${transport}`, () => startRows(transport, SERVER_CORE));
    return runStep(server, pageReader(browser, String(at.page), transport), step);
  };
  const browser = await lab.shared('browser', async () => {
    const started = await startBrowser();
    // The first page of a browser starts what later ones find running.
    await show(started, WEBSOCKET).catch(async (error) => {
      await started.close();
      throw error;
    });
    return started;
  });
  return show(browser, subject);
}
