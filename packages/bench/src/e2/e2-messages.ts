import type { JobCompletion } from './job-board.ts';
import type { JobTarget } from './job-server.ts';
import type { UsersTold } from './run-users.ts';

/** Which server a process is. */
export interface JobServerPlan {
  readonly kind: 'plain' | 'live';
  readonly breakEvenSeconds?: number;
}

/** What the process of a server is told: to forget what it counted and let jobs take so long, or to report. */
export type JobServerOrder =
  | { readonly order: 'begin'; readonly durationsMs: readonly (readonly number[])[] }
  | { readonly order: 'report' };

/** What it tells: first where it is, then an answer to each order. */
export type JobServerTold = Partial<JobServerReport> & { readonly target?: JobTarget };

/** What happened since it was told to begin. */
export interface JobServerReport {
  readonly cpuMicros: number;
  readonly completions: readonly JobCompletion[];
}

/** What the process of the users is told: to have so many jobs each. */
export interface UsersOrder {
  readonly target: JobTarget;
  readonly jobs: number;
}

/** What it tells then. */
export interface UsersReport extends UsersTold {
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly cpuMicros: number;
  readonly wallMicros: number;
  readonly longestLoopLagMicros: number;
}
