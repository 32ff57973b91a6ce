import { saturation } from '../load/saturation.ts';
import type { JobServerReport, UsersReport } from './e2-messages.ts';
import type { JobCompletion } from './job-board.ts';
import type { LinkStatus } from './job-link.ts';
import { type JobWay, malMsOf } from './job-way.ts';
import type { JobNotice } from './notice-ledger.ts';

/** What one run of a way came to. */
export interface WayRun extends JudgedNotices {
  /** Name of the way. */
  readonly way: string;
  /** Jobs that were noticed later than the MAL, or never, where there is one. */
  readonly beyondMal?: number;
  /** Of all users, making jobs and opening connections included. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Requests, and messages of those who send such. */
  readonly sent: number;
  readonly serverCpuMicros: number;
  readonly usersCpuMicros: number;
  readonly wallMicros: number;
  readonly longestLoopLagMicros: number;
  /** Why the delays are those of the users' process, where they are. */
  readonly saturated?: string;
  /** How clients of ours fared, added up. */
  readonly clients?: ClientsStatus;
}

/** How clients of ours fared. */
interface ClientsStatus {
  readonly pull: number;
  readonly push: number;
  /** MAL misses that they tell of. */
  readonly told: number;
  readonly gaps: number;
}

/** How jobs were noticed. */
export interface JudgedNotices {
  readonly jobs: number;
  /** Jobs that no user was told of in time. */
  readonly lost: number;
  /** Notices of what had been noticed. */
  readonly doubled: number;
  /** Notices of jobs that were not complete. */
  readonly untrue: number;
  /** Of each job that was noticed, from its completion to its first notice, microseconds. */
  readonly delaysMicros: readonly number[];
}

/** What a run came to, by what its server and its users tell. */
export function judgeRun(way: JobWay, server: JobServerReport, users: UsersReport): WayRun {
  const judged = judgeNotices(users.made, server.completions, users.notices);
  const malMs = malMsOf(way);
  const saturated = saturation({ ...users, processes: 1 });
  return {
    way: way.name,
    ...judged,
    ...(malMs !== undefined && {
      beyondMal: judged.lost + judged.delaysMicros.filter((micros) => micros > malMs * 1000).length,
    }),
    receivedBytes: users.receivedBytes,
    sentBytes: users.sentBytes,
    sent: users.sent,
    serverCpuMicros: server.cpuMicros,
    usersCpuMicros: users.cpuMicros,
    wallMicros: users.wallMicros,
    longestLoopLagMicros: users.longestLoopLagMicros,
    ...(saturated !== undefined && { saturated }),
    ...(users.statuses.length > 0 && { clients: addedUp(users.statuses) }),
  };
}

/** Compares what jobs became complete with what users were told of. */
export function judgeNotices(
  made: readonly string[],
  completions: readonly JobCompletion[],
  notices: readonly JobNotice[],
): JudgedNotices {
  const completedMicros = new Map(completions.map(({ id, micros }) => [id, micros]));
  const noticed = new Set<string>();
  const delaysMicros: number[] = [];
  let [doubled, untrue] = [0, 0];
  for (const { id, micros } of notices) {
    const completed = completedMicros.get(id);
    if (completed === undefined || completed > micros) untrue += 1;
    else if (noticed.has(id)) doubled += 1;
    else {
      noticed.add(id);
      delaysMicros.push(micros - completed);
    }
  }
  const lost = made.filter((id) => !noticed.has(id)).length;
  return { jobs: made.length, lost, doubled, untrue, delaysMicros };
}

function addedUp(statuses: readonly LinkStatus[]): ClientsStatus {
  const pull = statuses.filter(({ mode }) => mode === 'pull').length;
  const sum = (figure: (status: LinkStatus) => number) => statuses.reduce((total, status) => total + figure(status), 0);
  return {
    pull,
    push: statuses.length - pull,
    told: sum(({ malMisses }) => malMisses),
    gaps: sum(({ gaps }) => gaps),
  };
}
