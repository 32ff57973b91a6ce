import { startChild } from '../child.ts';
import { LOAD, SERVER_CORE } from '../setting.ts';
import type {
  JobServerOrder,
  JobServerPlan,
  JobServerReport,
  JobServerTold,
  UsersOrder,
  UsersReport,
} from './e2-messages.ts';
import type { E2Plan } from './e2-plan.ts';
import { jobDurations } from './job-durations.ts';
import type { JobTarget } from './job-server.ts';
import { type JobWay, malMsOf } from './job-way.ts';
import { judgeRun, type WayRun } from './judge-run.ts';
import type { UsersPlan } from './run-users.ts';

/** The longest job before anything counts, milliseconds. */
const WARM_UP_LONGEST_MS = 50;

/** One run of one way: a server on the first core, all users in one process on the second one. */
export async function measureWay(way: JobWay, plan: E2Plan, repeat: number, seed: number): Promise<WayRun> {
  const server = startServer(way);
  const users = startUsers(way, plan, seed);
  try {
    const target = await server.started();
    const { users: count, longestMs, warmUpJobs, jobs } = plan;
    if (warmUpJobs > 0) {
      await server.begin(jobDurations({ users: count, jobs: warmUpJobs, longestMs: WARM_UP_LONGEST_MS }, seed));
      await users.run({ target, jobs: warmUpJobs });
    }
    // Repeats differ, ways do not.
    await server.begin(jobDurations({ users: count, jobs, longestMs }, seed + repeat));
    const told = await users.run({ target, jobs });
    return judgeRun(way, await server.report(), told);
  } finally {
    await Promise.all([server.close(), users.close()]);
  }
}

function startServer(way: JobWay) {
  const plan: JobServerPlan = {
    kind: way.kind === 'live' || way.kind === 'entity' ? 'live' : 'plain',
    ...(way.kind === 'live' && way.breakEvenSeconds !== undefined && { breakEvenSeconds: way.breakEvenSeconds }),
  };
  const module = new URL('./job-server-process.js', import.meta.url);
  const child = startChild<JobServerTold>(module, [JSON.stringify(plan)], SERVER_CORE);
  const ask = (order: JobServerOrder) => {
    child.send(order);
    return child.next();
  };
  return {
    started: async () => (await child.next()).target as JobTarget,
    begin: (durationsMs: readonly (readonly number[])[]) => ask({ order: 'begin', durationsMs }),
    report: async () => (await ask({ order: 'report' })) as JobServerReport,
    close: async () => {
      child.disconnect();
      await child.ended;
    },
  };
}

function startUsers(way: JobWay, { users, jobs, longestMs, patienceMs }: E2Plan, seed: number) {
  const plan: UsersPlan = { way, users, jobs, timeoutMs: longestMs + patienceMs + (malMsOf(way) ?? 0), seed };
  const module = new URL('./users-process.js', import.meta.url);
  const child = startChild<UsersReport>(module, [JSON.stringify(plan)], LOAD.core);
  return {
    run: (order: UsersOrder) => {
      child.send(order);
      return child.next();
    },
    close: async () => {
      child.disconnect();
      await child.ended;
    },
  };
}
