// Several processes with the same logs: one of them writes, all others follow. What each knows of the others.
//   { "role": "writer" }
//   { "role": "follower", "writer": { "node": "a", "url": "http://10.0.0.5:3000" } }
//   { "role": "cut-off", "sinceMs": 1795600800000 }
import type { LogStore } from './log.ts';

/** A process that has the logs, as the others reach it. */
export interface ClusterNode {
  /** Tells it from the others. */
  readonly node: string;
  /** Where it answers requests, such as `http://10.0.0.5:3000`: no path, no slash at the end. */
  readonly url: string;
}

/** What this process is to the others. */
export type ClusterRole =
  /** It writes: it runs sources and retention, and takes posts. */
  | { readonly role: 'writer' }
  /** Another writes, and was heard lately. */
  | { readonly role: 'follower'; readonly writer: ClusterNode }
  /**
   * No writer was heard for some seconds: since then there may be commits that are not known here. Epoch milliseconds, of
   * this machine.
   */
  | { readonly role: 'cut-off'; readonly sinceMs: number };

/** What keeps this process from its place among the others. */
export interface ClusterProblem {
  readonly code: string;
  readonly message: string;
}

/** This process among those that have the same logs. */
export interface Cluster {
  /** The name of this one. */
  readonly node: string;
  /** The process on this machine that it is a worker of: the two have the same clock, and one place among the others. */
  readonly owner?: ClusterNode;
  /** Its role now: the same object until that changes. */
  readonly role: ClusterRole;
  /** What is wrong now with this one, by stable codes; empty where nothing is. */
  readonly problems: readonly ClusterProblem[];
  /** What the writer said of itself last, by {@link Cluster.describe}; `undefined` while nothing was heard, or this one writes. */
  readonly told: unknown;
  /** Members that the writer has of a stream, and this process not yet; 0 where this one writes. */
  lag(stream: string): number;
  /**
   * Has a listener called when the role, what was told, or a problem changes, until the function that it returns is called.
   * A writer that has lost its place is told so before another can have it.
   */
  onChange(listener: () => void): () => void;
  /** As the writer, tells the others what the function gives: JSON, once a second and after each commit. */
  describe(status: () => object): void;
}

/** A store whose logs other processes have too. Every log can be read; appends get `ERR_LOG_FENCED` where another writes. */
export interface ClusterStore extends LogStore {
  readonly cluster: Cluster;
}
