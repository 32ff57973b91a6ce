/*
 * `e2`: how a user learns that a long job is complete, and what it costs, after a published comparison of polling and
 * WebSocket. Users have jobs of 0 to 10 s, one after the other; all ways have the same jobs.
 *
 *   { "measurement": "jobs", "subject": "polling every 500 ms", "at": { "kind": "polling" },
 *     "values": { "receivedBytes": 3510, "sentBytes": 2470, "cpuSeconds": 2.2, "p50Ms": 251, "lost": 0, "doubled": 0 } }
 *
 * A delay counts from the instant at which the job was to be complete until its user has been told.
 */
import { columns, type Experiment, type Lab, type Measured } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { busyLoad } from '../load/effort.ts';
import { packageVersions } from '../machine.ts';
import { LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import { JOBS, JOBS_FIGURES } from '../report/published.ts';
import { seededRandom } from '../timing.ts';
import type { ServerReport, UsersPlan, UsersReport, Way } from './e2-jobs.ts';

const FULL = {
  /** At once. */
  users: 20,
  /** Of each user in a round, one after the other. */
  jobs: 5,
  maxJobMs: 10_000,
  /** How long after that a user waits, beside the MAL. */
  patienceMs: 1000,
  /** Jobs of each user before anything counts. */
  warmUpJobs: 2,
  repeats: 3,
  /** MALs with which our client follows, by the break-even of our server. */
  malSeconds: [0.5, 1, 5] as readonly number[],
  /**
   * Those with which it follows where the publisher would rather be polled. With some 2 s and less nobody can poll a stream of
   * which nothing can be predicted, since its documents may be kept for 1 s: then the cell fails.
   */
  pullMalSeconds: [5] as readonly number[],
};
type E2Plan = typeof FULL;
/** Time is compressed: jobs take a fraction of the time, intervals and MALs stay. */
const QUICK: E2Plan = { ...FULL, users: 5, jobs: 2, maxJobMs: 100, warmUpJobs: 1, repeats: 1 };

function waysOf({ malSeconds, pullMalSeconds }: E2Plan) {
  const way = (name: string, subject: string, kind: Way['kind'], seconds = 0) => {
    return { measurement: 'jobs', names: [name], subject, at: { kind, seconds } satisfies Way };
  };
  return [
    way('polling-500', 'polling every 500 ms', 'polling', 0.5),
    way('polling-250', 'polling every 250 ms', 'polling', 0.25),
    way('websocket', 'WebSocket', 'WebSocket'),
    ...malSeconds.map((mal) => way(`live-${mal}`, `ldes-live, MAL ${mal} s`, 'push', mal)),
    ...pullMalSeconds.map((mal) => way(`pull-${mal}`, `ldes-live, MAL ${mal} s, pulled`, 'pull', mal)),
    way('entity', 'ldes-live, the job alone', 'entity'),
  ];
}

const WEBSOCKET = { subject: 'WebSocket', at: { kind: 'WebSocket', seconds: 0 } };
const POLLING = { subject: 'polling every 500 ms', at: { kind: 'polling', seconds: 0.5 } };
const LIVE = ['push', 'pull', 'entity'];
/** What was published is of so many users, each with so many jobs one after the other: costs are told of as many. */
const [PUBLISHED_USERS, PUBLISHED_JOBS] = [20, 10];
const ALL_JOBS = PUBLISHED_USERS * PUBLISHED_JOBS;

/** How a user learns that a long job is complete, and what it costs. */
export const E2: Experiment<E2Plan> = {
  name: 'e2',
  title: 'A long-running job: polling against WebSocket',
  about: 'how a user learns that a long job is complete, and what it costs',
  source: JOBS,
  measurements: waysOf(FULL).flatMap(({ names }) => names),
  options: ['clients', 'duration', 'repeat', 'mal'],
  refusal: ({ clients = [] }) =>
    clients.length > 1 ? `e2 takes one number of clients, not ${clients.length}.` : undefined,
  plan: ({ quick, only, clients, durationSeconds, repeats, malSeconds }) => {
    const plan = quick ? QUICK : FULL;
    // Whoever accepts seconds waits for seconds, which is too long to see that it works.
    const pullMalSeconds = quick && only.length === 0 ? [] : (malSeconds ?? plan.pullMalSeconds);
    const jobsWithin = (seconds: number) => Math.max(1, Math.round((seconds * 2000) / plan.maxJobMs));
    return {
      ...plan,
      users: clients?.[0] ?? plan.users,
      jobs: durationSeconds === undefined ? plan.jobs : jobsWithin(durationSeconds),
      repeats: repeats ?? plan.repeats,
      malSeconds: malSeconds ?? plan.malSeconds,
      pullMalSeconds,
    };
  },
  cells: (plan) =>
    waysOf(plan).map((way) => ({ ...way, repeats: plan.repeats, seconds: expectedSeconds(plan, way.at) })),
  measure: ({ at }, plan, lab) => measureWay(at as Way, plan, lab),
  versions: () => packageVersions(['express', 'ws']),
  ratios: [
    ...['bytes', 'cpuSeconds'].flatMap((value) => [
      { of: { at: { kind: ['polling', ...LIVE] } }, value, over: WEBSOCKET },
      { of: { at: { kind: LIVE } }, value, over: POLLING },
    ]),
    // The others notice within milliseconds, of which a ratio says nothing.
    { of: { subject: 'polling every 250 ms' }, value: 'p50Ms', over: POLLING },
  ],
  views: [
    {
      kind: 'density',
      title: 'From completion of a job to the notification of its user',
      of: {},
      histogram: 'delay',
      x: 'Delay, ms',
      rows: { key: 'kind', title: 'Notified by' },
      series: { subject: '' },
    },
    {
      kind: 'table',
      title: 'From completion of a job to the notification of its user, and wrong notifications in all rounds',
      of: {},
      rows: { subject: 'Way' },
      columns: [
        ...columns({ p50Ms: 'p50, ms', meanMs: 'Mean, ms', p99Ms: 'p99, ms', maxMs: 'Longest, ms' }),
        ...columns({ jobs: 'Jobs', lost: 'Never', doubled: 'Twice', early: 'Too early' }, true),
      ],
    },
    {
      kind: 'table',
      title: 'What a job costs: bytes of its user, with header fields and framing, and CPU time of the server',
      of: {},
      rows: { subject: 'Way' },
      columns: [
        ...columns({ receivedBytes: 'Bytes received', sentBytes: 'Bytes sent', requests: 'Requests' }),
        { value: 'bytes', title: 'Bytes ÷ WebSocket', over: WEBSOCKET },
        { value: 'cpuSeconds', title: `CPU of ${ALL_JOBS} jobs, s` },
        { value: 'cpuSeconds', title: 'CPU ÷ WebSocket', over: WEBSOCKET },
      ],
      published: JOBS_FIGURES,
    },
  ],
};

const START_SECONDS = 0.9;

function expectedSeconds({ jobs, warmUpJobs, maxJobMs }: E2Plan, { kind, seconds }: Way): number {
  const waitSeconds = kind === 'polling' || kind === 'pull' ? seconds / 2 : 0;
  // Jobs take half of the longest on average; the slowest user is a part of one behind.
  return START_SECONDS + (warmUpJobs + jobs) * waitSeconds + ((jobs / 2 + 0.3) * maxJobMs) / 1000;
}

const MODULE = new URL('./e2-jobs.js', import.meta.url);
const MAX_WARM_UP_JOB_MS = 50;

/** A server on the first core, all users in one process on the second. */
async function measureWay(way: Way, plan: E2Plan, { seed, repeat }: Lab): Promise<Measured> {
  const { users, jobs, maxJobMs, patienceMs, warmUpJobs } = plan;
  const using: UsersPlan = { way, users, maxWaitMs: maxJobMs + patienceMs + way.seconds * 1000, seed };
  const [server, load] = await Promise.all([
    startChild<{ readonly url: string }>(MODULE, { way }, SERVER_CORE),
    startChild<object>(MODULE, using, LOAD_CORE),
  ]);
  const begin = (count: number, maxMs: number, from: number) =>
    server.ask({ durationsMs: jobDurationsMs(users, count, maxMs, from) });
  const use = async (count: number) => {
    const { costs, ...noticed } = await load.ask<UsersReport>({ ...server.started, jobs: count });
    const { cpuMicros, completions } = await server.ask<ServerReport>({});
    return { ...noticed, completions, costs: { ...costs, cpuMicros } };
  };
  try {
    await begin(warmUpJobs, MAX_WARM_UP_JOB_MS, seed);
    const before = await use(warmUpJobs);
    const opened = await use(0);
    // Repeats differ, ways do not.
    await begin(jobs, maxJobMs, seed + repeat);
    const after = await use(jobs);
    // To connect, and to follow, is once for all jobs of a user.
    const perJob = (key: keyof typeof after.costs) => {
      const opening = opened.costs[key] - before.costs[key];
      return opening / (users * PUBLISHED_JOBS) + (after.costs[key] - opened.costs[key] - opening) / (users * jobs);
    };
    const [receivedBytes, sentBytes] = [perJob('receivedBytes'), perJob('sentBytes')];
    const noticed = judgeNotices(after, after.completions);
    return {
      ...noticed,
      values: {
        receivedBytes,
        sentBytes,
        bytes: receivedBytes + sentBytes,
        cpuSeconds: (ALL_JOBS * perJob('cpuMicros')) / 1e6,
        ...(way.kind !== 'WebSocket' && { requests: perJob('requests') }),
        ...noticed.values,
      },
    };
  } finally {
    await Promise.all([server.close(), load.close()]);
  }
}

/**
 * How long each job of each user takes: whole numbers, the same for the same seed. All lengths are as frequent, each at random
 * within its part of the range. So users are done at about the same time, and few jobs tell what many at random would.
 */
function jobDurationsMs(users: number, jobs: number, maxJobMs: number, seed: number): readonly (readonly number[])[] {
  const random = seededRandom(seed);
  const duration = (part: number) => Math.round(((part + random()) / jobs) * maxJobMs);
  // Users begin with another part each, so that short and long jobs are under way at all times.
  return Array.from({ length: users }, (_, user) =>
    Array.from({ length: jobs }, (_, job) => duration((user + job) % jobs)),
  );
}

/** Compares when jobs were complete with when their users were told. */
export function judgeNotices(
  { jobs, effort }: Pick<UsersReport, 'jobs' | 'effort'>,
  completions: ServerReport['completions'],
) {
  const completedMicros = new Map(completions);
  const delay = new Histogram();
  let [lost, doubled, early] = [0, 0, 0];
  for (const { id, noticesMicros } of jobs) {
    const completed = completedMicros.get(id) ?? Number.POSITIVE_INFINITY;
    const [first, ...again] = noticesMicros.filter((micros) => micros >= completed);
    early += noticesMicros.filter((micros) => micros < completed).length;
    doubled += again.length;
    if (first === undefined) lost += 1;
    else delay.note(first - completed);
  }
  const values = { jobs: jobs.length, lost, doubled, early };
  const refused = busyLoad(effort);
  if (refused !== undefined) return { values, refused };
  // A job that was never noticed would be the latest of them.
  if (lost > 0) return { values };
  const [p50Ms, p99Ms, maxMs] = [delay.percentileMs(0.5), delay.percentileMs(0.99), delay.maxMicros / 1000];
  return { values: { ...values, p50Ms, meanMs: delay.meanMs, p99Ms, maxMs }, histograms: { delay: delay.encode() } };
}
