import type { PublishSchedule } from '../load/publish-on-schedule.ts';
import type { CommitSize } from './sized-commits.ts';

/** What the process that is measured is told to do. */
export type ServerOrder =
  | { readonly order: 'usage' }
  | { readonly order: 'publish'; readonly schedule: PublishSchedule }
  | { readonly order: 'close' };

/** What it tells: first that it has started, then an answer to each order, by its kind. */
export type ServerTold = ServerStarted | ServerUsage | ServerPublished | ServerClosed;

export interface ServerStarted {
  readonly kind: 'started';
  readonly port: number;
  /** Path of its event stream. */
  readonly path: string;
  /** Path of the document with the latest state, where it has one. */
  readonly latestPath?: string;
  /** An update as one event, of the one whose updates the others send too. */
  readonly sample?: string;
  /** Further processes that it consists of. */
  readonly pids?: readonly number[];
  /** What each commit is, where all are alike. */
  readonly commits?: CommitSize;
}

export interface ServerUsage {
  readonly kind: 'usage';
  readonly cpuMicros: number;
}

export interface ServerPublished {
  readonly kind: 'published';
  /** The id of the last update, where updates have one. */
  readonly head?: string;
}

/** When the server began to close, and when it was done: microseconds of the clock that processes share. */
export interface ServerClosed {
  readonly kind: 'closed';
  readonly startedMicros: number;
  readonly endedMicros: number;
}
