import type { JobBoard } from './job-board.ts';

/** A server of jobs, as those who start it see it. */
export interface JobServer {
  readonly board: JobBoard;
  readonly target: JobTarget;
  close(): Promise<void>;
}

/** Where users find it. */
export interface JobTarget {
  /** Where jobs are made by `POST`, with the number of the user as `?user=`. */
  readonly jobUrl: string;
  /** The stream of all jobs, where there is one. */
  readonly streamUrl?: string;
}
