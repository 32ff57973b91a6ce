/*
 * The soak: `ldes-live serve` for an hour or longer, with feeds that fail, readers that come and go, posts, queries and
 * restarts. Everything runs on this machine, by its clock.
 *
 *   city (feeds) -> ServerLives (restarted now and then) -> loads of readers, clients-process
 *        every 10 s: look at the server -> samples -> trendOf, judge -> soak.md, soak.json
 *
 * The feeds stand still in the end, and all readers have to reach the head of each stream.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sumStats } from '../load/effort.ts';
import { noSequence, type SequenceStats } from '../load/event-stream.ts';
import { startPollLoad, sumPollReports } from '../load/poll-load.ts';
import type { PollReport } from '../load/poll-reader.ts';
import { type PushOptions, startPushLoad } from '../load/push-load.ts';
import { thisMachine, watchHost } from '../machine.ts';
import { freePort, startChild } from '../processes.ts';
import { monotonicMicros, seededRandom } from '../timing.ts';
import { OUTAGES, openCity } from './city.ts';
import { type ClientsOrder, type ClientsPlan, type ClientsReport, STREAMS, type StreamName } from './clients.ts';
import { LOOK_FIGURES, type LookFigure, ServerLives } from './server-lives.ts';
import { type Check, type FigureReport, isRight, type SoakReport, soakMarkdown } from './soak-report.ts';
import { type Bound, judge, type Sample, trendOf } from './trend.ts';

const VEHICLES = 300;
const SENSORS = 60;
const LOOK_EVERY_MS = 10_000;
/** How long the server runs until it is ended, in turn: the long life tells of slopes. All are shorter in a run below an hour. */
const LIVES_MS = [300_000, 300_000, 3_000_000];
const HOUR_MS = 3_600_000;
/** Without what a process does until its caches are full: texts of members, documents and frames grow for some minutes. */
const WARM_UP_MS = 1_200_000;
/** Until the first pages have left. */
const FILL_MS = 300_000;
const RELOAD_EVERY_MS = 170_000;
const [CALM_MS, OUTAGE_MS] = [30_000, 8000];
const [CUT_EVERY_MS, PAUSE_MS] = [5000, 15_000];
const SETTLE_LIMIT_MS = 120_000;
/** Of the answers of a feed, those that may come so late that the server has given up: a machine that does much else is slow. */
const LATE_SHARE = 0.01;

/** Growth in an hour that counts as flat, and the most that may be. The folder of the store is written with lives that end. */
const BOUNDS: Readonly<Record<LookFigure, Bound>> = {
  ownMib: { growthShare: 0.05, max: 1024 },
  peakMib: { growthShare: 0.1, max: 1280 },
  descriptors: { growthShare: 0.05, max: 700 },
  connections: { growthShare: 0.05 },
  // A machine that is shared delays any process.
  loopP99Ms: { growthShare: 0.25 },
  loopMaxMs: { growthShare: 0.25 },
  dataFiles: { growthShare: 0.05 },
  dataMib: { growthShare: 0.05 },
};
/** What belongs to the folder goes on through restarts. */
const OF_FOLDER: readonly LookFigure[] = ['dataFiles', 'dataMib'];

/** Readers of plain sockets: 440, with 60 by the client 500. */
const LOADS: Readonly<Record<string, Partial<PushOptions> & { readonly readers: number }>> = {
  'all vehicles': { readers: 60, path: '/vehicles/events', step: VEHICLES },
  'all vehicles, gzip': { readers: 60, path: '/vehicles/events', encoding: 'gzip', decoded: 20, step: VEHICLES },
  'one vehicle': { readers: 150, path: '/vehicles/events?entity={vehicle}{reader}', step: VEHICLES },
  buoys: { readers: 70, path: '/buoys/events', step: 1 },
};
const POLLERS = 100;
const CLIENTS = { followers: 50, walkers: 3, liveQueries: 4 };

/** A run that met none of these would prove nothing. */
const MET = ['resumed', 'walked', 'posted', 'answers', 'liveEvents'] as const;

type Heads = Readonly<Record<StreamName, number>>;
type Samples = Readonly<Record<LookFigure, Sample[]>>;

/** The command line, without the name of the program. Resolves to the exit code. */
export async function soak(args: readonly string[], say: (line: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: 'string' },
      minutes: { type: 'string' },
      out: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  const minutes = Number(values.minutes ?? 60 * Number(values.hours ?? 1));
  const seed = Number(values.seed);
  if (!(minutes >= 1) || !Number.isInteger(seed)) {
    say('Give --hours or --minutes, one minute or more, and a whole number as --seed.');
    return 2;
  }
  const report = await run(minutes * 60_000, seed, say);
  const markdown = soakMarkdown(report);
  if (values.out !== undefined) {
    await mkdir(values.out, { recursive: true });
    await writeFile(join(values.out, 'soak.json'), `${JSON.stringify(report, undefined, 1)}\n`);
    await writeFile(join(values.out, 'soak.md'), markdown);
  }
  say(markdown);
  return report.checks.every(isRight) && report.figures.every(isRightFigure) ? 0 : 1;
}

const isRightFigure = ({ verdict }: FigureReport) => verdict === 'flat' || verdict === 'unknown';

async function run(durationMs: number, seed: number, say: (line: string) => void): Promise<SoakReport> {
  const random = seededRandom(seed);
  const host = await watchHost();
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-soak-'));
  const city = await openCity({ vehicles: VEHICLES, sensors: SENSORS }, random);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const token = 'token-of-the-soak';
  const configFile = join(folder, 'config.yml');
  const configure = (sensorSeconds: number) =>
    writeFile(configFile, JSON.stringify(configuration(url, city.port, token, sensorSeconds)));
  await configure(3);
  const command = join(dirname(createRequire(import.meta.url).resolve('ldes-live')), '../bin/ldes-live.js');
  const server = new ServerLives([command, 'serve', configFile, '--host', '127.0.0.1', '--port', String(port)], {
    url,
    dataFolder: join(folder, 'data'),
    logFile: join(folder, 'server.log'),
  });
  await server.start();
  const clientsPlan: ClientsPlan = {
    publicUrl: url,
    token,
    seed,
    vehicles: VEHICLES,
    ...CLIENTS,
    postEveryMs: 500,
    queryEveryMs: 2000,
  };
  // Before there is anything: who keeps all versions begins with the first.
  const clients = await startChild(new URL('./clients-process.js', import.meta.url), clientsPlan, undefined);
  const askClients = (order: ClientsOrder['order']) => clients.ask<ClientsReport>({ order });
  const vehicleIri = encodeURIComponent(`${url}vehicles/entities/vehicles/`);
  const loads = await Promise.all(
    Object.entries(LOADS).map(async ([name, options]) => {
      const path = options.path?.replace('{vehicle}', vehicleIri) ?? '';
      const load = await startPushLoad({ ports: [port], path }, { ...options, path, core: undefined });
      return {
        name,
        load,
        readers: options.readers,
        sequence: noSequence() as SequenceStats,
        lastIds: {} as Record<string, number>,
        stats: await load.stats(),
      };
    }),
  );
  const polls = await startPollLoad(
    { ports: [port], path: '/vehicles/latest' },
    { readers: POLLERS, behaviour: { kind: 'article', stepMs: 2000 }, updateIntervalMs: 2000, seed },
  );
  const pollReports: PollReport[] = [];

  const startMs = Date.now();
  const samples = Object.fromEntries(LOOK_FIGURES.map((figure) => [figure, [] as Sample[]])) as Samples;
  const ends: string[] = [];
  const scale = Math.min(1, durationMs / HOUR_MS);
  const [warmUpMs, fillMs] = [scale * WARM_UP_MS, scale * FILL_MS];
  const isOver = () => Date.now() - startMs >= durationMs;
  const look = async () => {
    const [lookMs, { life, startedMs }] = [Date.now(), server];
    const found = Object.entries(await server.look());
    if (life !== server.life) return;
    for (const [figure, value] of found as [LookFigure, number][]) {
      const isOfFolder = OF_FOLDER.includes(figure);
      if (isOfFolder ? lookMs - startMs < fillMs : lookMs - startedMs < warmUpMs) continue;
      samples[figure].push({ life: isOfFolder ? 0 : life, hours: (lookMs - startMs) / 3_600_000, value });
    }
  };
  const takeReports = async () => {
    // Where it has ended, so does the run.
    await askClients('report');
    pollReports.push(await polls.report(monotonicMicros()));
    for (const one of loads) {
      const { stats, sequence, lastIds } = await one.load.report();
      one.sequence = sumStats([one.sequence, sequence]);
      one.lastIds = { ...lastIds };
      one.stats = stats;
    }
  };
  const each = async (everyMs: number, act: () => unknown) => {
    for (;;) {
      await sleep(everyMs);
      if (isOver()) return;
      await act();
    }
  };
  const cutSome = async () => {
    for (const { load, readers } of loads) {
      const from = Math.floor(random() * readers);
      await load.order({ order: 'cut', from, to: from + Math.ceil(readers / 10) });
    }
  };
  const pauseSome = async () => {
    const { load, readers } = loads[Math.floor(random() * loads.length)] as (typeof loads)[number];
    const from = Math.floor(random() * readers);
    const some = { from, to: from + Math.ceil(readers / 20) };
    await load.order({ order: 'pause', ...some });
    await sleep(PAUSE_MS);
    await load.order({ order: 'resume', ...some });
  };
  const fail = async () => {
    city.outage = OUTAGES[Math.floor(random() * OUTAGES.length)];
    await sleep(OUTAGE_MS * (0.5 + random()));
    city.outage = undefined;
  };
  let reloads = 0;
  const reload = async () => {
    reloads += 1;
    await configure(reloads % 2 === 0 ? 3 : 4);
    server.reload();
  };
  const restarts = async () => {
    for (;;) {
      const leftMs = durationMs - (Date.now() - startMs);
      const lifeMs = scale * (LIVES_MS[ends.length % LIVES_MS.length] as number);
      await sleep(Math.min(lifeMs, leftMs));
      // The last life is not a short one.
      if (leftMs - lifeMs < scale * WARM_UP_MS) return;
      const signal = ends.length % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
      const tookMs = await server.end(signal);
      await server.start();
      ends.push(`${signal}, ended after ${tookMs} ms, answered ${Date.now() - server.startedMs} ms after its start`);
      say(`${minutesSince(startMs)} min: ${ends.at(-1)}`);
    }
  };
  await Promise.all([
    each(LOOK_EVERY_MS, look),
    each(LOOK_EVERY_MS, takeReports),
    each(CUT_EVERY_MS, cutSome),
    each(PAUSE_MS, pauseSome),
    each(CALM_MS, fail),
    each(RELOAD_EVERY_MS, reload),
    restarts(),
    each(60_000, async () => say(`${minutesSince(startMs)} min: ${JSON.stringify(await server.look())}`)),
  ]);

  city.isStill = true;
  await askClients('settle');
  const heads = await settled(url, async (found) => {
    const { reached } = await askClients('report');
    await takeReports();
    return (
      STREAMS.every((stream) => reached[stream] === found[stream]) &&
      loads.every((one) => atHead(one, found) === readersThatTell(one.name, one.readers))
    );
  });
  const found = await askClients('report');
  const crashes = server.crashes;
  await polls.stop();
  await Promise.all(loads.map(({ load }) => load.stop()));
  await clients.close();
  const lastEndMs = await server.end('SIGTERM');
  city.close();
  const polled = sumPollReports(pollReports);

  const checks: Check[] = [
    check('ends of the server that nobody asked for', crashes, 0),
    check(
      'good answers of the vehicle feed without a commit',
      missingCommits(heads.vehicles, city.good.vehicles),
      1 + ends.length + Math.ceil(LATE_SHARE * city.good.vehicles),
    ),
    ...STREAMS.map((stream) =>
      check(`${stream}: members that their keeper lacks`, heads[stream] - found.reached[stream], 0),
    ),
    ...MET.map((name): Check => ({ name, value: found.counts[name], least: 1 })),
    check('members lost to readers by the client', found.counts.lost, 0),
    check('members that came again to them', found.counts.doubled, 0),
    check('members unlike those of the keeper', found.counts.unlike, 0),
    check('gaps though the log has what follows', found.counts.wrongGaps, 0),
    check('readers by the client that failed', found.counts.failed, 0),
    check('acknowledged posts that are missing', found.missingPosts, 0),
    check('acknowledged posts that are there more than once', found.doubledPosts, 0),
    check('queries answered by an error', found.counts.refusedQueries, 0),
    check('answers older than one before', polled.older, 0),
    ...loads.flatMap(({ name, sequence, lastIds, readers }) => [
      check(`${name}: commits lost`, sequence.lost, 0),
      check(`${name}: commits that came again`, sequence.duplicates, 0),
      check(`${name}: wrong states`, sequence.wrongStates, 0),
      check(`${name}: readers not at the head`, readersThatTell(name, readers) - atHead({ name, lastIds }, heads), 0),
    ]),
  ];
  const figures = LOOK_FIGURES.map((figure): FigureReport => {
    const [trend, bound] = [trendOf(samples[figure]), BOUNDS[figure]];
    return { figure, ...trend, bound, verdict: judge(trend, bound) };
  });
  const report: SoakReport = {
    startedAt: new Date(startMs).toISOString(),
    minutes: (Date.now() - startMs) / 60_000,
    seed,
    machine: thisMachine(),
    busyCores: host.busyCores,
    stolenShare: host.stolenShare(),
    ends: [...ends, `SIGTERM at the end, ended after ${lastEndMs} ms`],
    reloads,
    feedFailures: city.failed,
    heads,
    counts: found.counts,
    loads: loads.map(({ name, stats, sequence: { gaps, conflations } }) => ({ name, ...stats, gaps, conflations })),
    polls: { requests: polled.requests, failed: polled.failed },
    figures,
    checks,
    remarks: found.remarks,
    samples,
  };
  if (checks.every(isRight)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  else say(`The log of the server and its store are kept in ${folder}`);
  return report;
}

function configuration(publicUrl: string, cityPort: number, token: string, sensorSeconds: number) {
  const feeds = `http://127.0.0.1:${cityPort}/`;
  // Pages leave a minute after that.
  const retention = { versions: 1, history: '2m', deletes: '0s' };
  const property = (path: string) => ({ path, predicate: `http://city.example/${path}` });
  const tokens = [createHash('sha256').update(token).digest('hex')];
  const limits = { headers: '3s', body: '3s' };
  return {
    publicUrl,
    store: './data',
    push: { grace: '2s' },
    streams: {
      vehicles: { source: { gtfsRt: `${feeds}vehicles.pb`, every: '2s', limits }, retention, queries: true },
      sensors: {
        source: {
          json: `${feeds}sensors.json`,
          every: `${sensorSeconds}s`,
          limits,
          mapping: { subject: '{+base}sensors/{id}', properties: [property('level'), property('turn')] },
        },
        retention,
        queries: true,
      },
      buoys: { source: { post: true, tokens }, updates: 'unpredictable', retention, queries: true },
    } satisfies Record<StreamName, object>,
  };
}

/** Heads of all streams, once nothing changes any more and a condition holds, or too much time has passed. */
async function settled(url: string, isDone: (heads: Heads) => Promise<boolean>): Promise<Heads> {
  const startMs = Date.now();
  for (;;) {
    const all = STREAMS.map(async (stream) => [stream, await headOf(`${url}${stream}/latest`)] as const);
    const heads = Object.fromEntries(await Promise.all(all)) as Heads;
    if ((await isDone(heads)) || Date.now() - startMs > SETTLE_LIMIT_MS) return heads;
    await sleep(1000);
  }
}

async function headOf(url: string): Promise<number> {
  const response = await fetch(url, { method: 'HEAD' });
  const cursor = response.headers.get('ldes-cursor') ?? '-0';
  return Number(cursor.slice(cursor.lastIndexOf('-') + 1));
}

/** With gzip few readers look at what they get. */
function readersThatTell(load: string, readers: number): number {
  return LOADS[load]?.decoded ?? readers;
}

/** How many readers of a load have the last commit of their stream. */
function atHead(
  { name, lastIds }: { readonly name: string; readonly lastIds: Readonly<Record<string, number>> },
  heads: Heads,
): number {
  const lastCommit = name === 'buoys' ? heads.buoys - 1 : heads.vehicles - VEHICLES;
  const isThere = (id: string) => Number(id.slice(id.lastIndexOf('-') + 1)) > lastCommit;
  return Object.entries(lastIds).reduce((sum, [id, readers]) => sum + (isThere(id) ? readers : 0), 0);
}

function missingCommits(head: number, good: number): number {
  return good - head / VEHICLES;
}

function check(name: string, value: number, most: number): Check {
  return { name, value, most };
}

function minutesSince(startMs: number): string {
  return ((Date.now() - startMs) / 60_000).toFixed(1);
}
