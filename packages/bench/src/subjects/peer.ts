import type { CommitSize } from './sized-commits.ts';

/** A server under measurement, within its own process. */
export interface Peer {
  readonly port: number;
  /** Path of its event stream. */
  readonly path: string;
  /** Path of the document with the latest state, where it has one. */
  readonly latestPath?: string;
  /** An update as one event, as text; of the peer whose updates the others send too. */
  readonly sample?: string;
  /** What each commit is, where all are alike. */
  readonly commits?: CommitSize;
  /** Further processes that it consists of. */
  readonly pids?: readonly number[];
  /** CPU time of those, microseconds. */
  moreCpuMicros?(): Promise<number>;
  /** The id of the last update, where it has one. */
  head?(): string;
  /**
   * Learns when the next update is due, before it is published.
   *
   * @param dueMicros - of the clock of `monotonicMicros`
   */
  expect?(dueMicros: number): void;
  /**
   * Sends an update to all readers.
   *
   * @param stampMicros - the instant that it was scheduled for, which is to be in it
   */
  publish(stampMicros: number, index: number): Promise<unknown> | undefined;
  close(): Promise<unknown>;
}

/** What a peer is started with. */
export interface PeerOptions {
  /** The update that others send, as text of one event; of all but the live one. */
  readonly event?: string;
  /** From one update to the next, by which documents say when the next one comes; absent: they do not, milliseconds. */
  readonly intervalMs?: number;
  /** Of the live one. */
  readonly live?: LivePeerOptions;
}

/** What the live one publishes, and how. */
export interface LivePeerOptions {
  /**
   * `sized`: commits whose event has `eventBytes`, each a version of every entity; `single`: one member a commit, of a random one of
   * `entities`; `demo`: what the demonstration publishes.
   */
  readonly workload: 'sized' | 'single' | 'demo';
  readonly eventBytes?: number;
  /** From one update to the next, which it declares to its readers; absent: it declares nothing, milliseconds. */
  readonly everyMs?: number;
  /** What each commit is, where `eventBytes` has been found out before. */
  readonly commits?: CommitSize;
  readonly entities?: number;
  /** Folder of a log on disk; in memory when absent. */
  readonly folder?: string;
  /** 0 for any. */
  readonly port?: number;
  readonly push?: Readonly<Record<string, number>>;
  /** Processes that hold its connections; none when absent. */
  readonly workers?: number;
}
