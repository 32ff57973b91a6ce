import type { JobTarget } from './job-server.ts';
import type { JobWay } from './job-way.ts';

/** How one user makes jobs and learns that they are complete. */
export interface JobLink {
  /** Makes a job; resolves to its id. Its completion may be told before. */
  make(): Promise<string>;
  /** The user looks for a job no more. */
  leave(id: string): void;
  /** How our client fared, where there is one. */
  status?(): LinkStatus;
  close(): void;
}

/** How a client of ours fared. */
export interface LinkStatus {
  readonly mode: 'pull' | 'push';
  /** MAL misses that it tells of. */
  readonly malMisses: number;
  readonly gaps: number;
}

/** What a link works with. */
export interface LinkEdge<Kind extends JobWay['kind'] = JobWay['kind']> {
  readonly way: Extract<JobWay, { readonly kind: Kind }>;
  readonly target: JobTarget;
  /** Number of the user. */
  readonly user: number;
  /** Is told of each job that is said to be complete, as often as it is said. */
  readonly onComplete: (id: string) => void;
  /** Makes requests, and counts them. */
  readonly fetch: typeof fetch;
  /** Is told of what is sent that is no request of `fetch`. */
  readonly onSent: () => void;
  /** In [0, 1). */
  readonly random: () => number;
}
