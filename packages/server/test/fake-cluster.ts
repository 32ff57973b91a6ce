import type { Cluster, ClusterProblem, ClusterRole } from '@ldes-live/log';

/** A place among others that a test sets. */
export class FakeCluster implements Cluster {
  readonly node: string;
  role: ClusterRole;
  problems: readonly ClusterProblem[] = [];
  told: unknown;
  lags: Readonly<Record<string, number>> = {};
  /** What this node would tell the others. */
  status: () => object = () => ({});
  readonly #listeners = new Set<() => void>();

  constructor(node = 'b', role: ClusterRole = { role: 'writer' }) {
    this.node = node;
    this.role = role;
  }

  lag(stream: string): number {
    return this.lags[stream] ?? 0;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  describe(status: () => object): void {
    this.status = status;
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size;
  }

  become(change: Partial<Pick<FakeCluster, 'role' | 'problems' | 'told' | 'lags'>>): void {
    Object.assign(this, change);
    for (const listener of [...this.#listeners]) listener();
  }
}

export const WRITER: ClusterRole = { role: 'writer' };

/** Follows a node at a URL. */
export const follower = (url = 'http://127.0.0.1:1'): ClusterRole => ({
  role: 'follower',
  writer: { node: 'a', url },
});

export const cutOff = (sinceMs: number): ClusterRole => ({ role: 'cut-off', sinceMs });
