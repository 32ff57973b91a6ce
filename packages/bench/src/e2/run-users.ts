import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { seededRandom } from '../seeded-random.ts';
import type { LinkStatus } from './job-link.ts';
import type { JobTarget } from './job-server.ts';
import type { JobWay } from './job-way.ts';
import { type JobNotice, NoticeLedger } from './notice-ledger.ts';
import { openLink } from './open-link.ts';

/** What users are to do. */
export interface UsersPlan {
  readonly way: JobWay;
  readonly users: number;
  /** Of each user, one after the other. */
  readonly jobs: number;
  /** How long a user waits for a job, milliseconds. */
  readonly timeoutMs: number;
  readonly seed: number;
}

/** What users were told. */
export interface UsersTold {
  readonly made: readonly string[];
  readonly notices: readonly JobNotice[];
  /** Requests, and messages of those who send such. */
  readonly sent: number;
  /** How clients of ours fared. */
  readonly statuses: readonly LinkStatus[];
}

/** What comes twice may come a little later. */
const LINGER_MS = 100;

/** Runs all users at once; resolves when each has had all of his jobs. */
export async function runUsers(plan: UsersPlan, target: JobTarget): Promise<UsersTold> {
  let sent = 0;
  const onSent = () => {
    sent += 1;
  };
  const runs = await Promise.all(Array.from({ length: plan.users }, (_, user) => runUser(plan, target, user, onSent)));
  return {
    made: runs.flatMap(({ made }) => made),
    notices: runs.flatMap(({ notices }) => notices),
    sent,
    statuses: runs.flatMap(({ status }) => status ?? []),
  };
}

interface UserRun extends Pick<UsersTold, 'made' | 'notices'> {
  readonly status?: LinkStatus | undefined;
}

async function runUser(plan: UsersPlan, target: JobTarget, user: number, onSent: () => void): Promise<UserRun> {
  const ledger = new NoticeLedger(monotonicMicros);
  const link = await openLink({
    way: plan.way,
    target,
    user,
    onComplete: (id) => ledger.told(id),
    fetch: (...call) => {
      onSent();
      return fetch(...call);
    },
    onSent,
    random: seededRandom(plan.seed + user),
  });
  for (let number = 0; number < plan.jobs; number += 1) {
    const id = await link.make();
    ledger.knows(id);
    await ledger.untilTold(id, plan.timeoutMs);
    link.leave(id);
  }
  await delay(LINGER_MS);
  const status = link.status?.();
  link.close();
  return { made: ledger.made, notices: ledger.notices, status };
}
