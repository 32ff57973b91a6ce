/** What a process is to read from its beginning to its end, and by which client. */
export interface ReadingPlan {
  readonly reader: 'ours' | 'ldes-client';
  readonly url: string;
  readonly isOrdered: boolean;
  /** Whether it is a stream of the framework's server, which goes on: the reading ends with its last member. */
  readonly isLive: boolean;
  /** Members that there are. */
  readonly members: number;
  readonly limitMs: number;
}

/** What it found. */
export interface ReadingReport {
  /** Members that came, each counted once. */
  readonly members: number;
  /** Members that came once more. */
  readonly doubled: number;
  /** Members that came after a newer one. */
  readonly disordered: number;
  /** Whether all came within the time. */
  readonly isWhole: boolean;
  /** Whether the reading ended by itself, or at the last member of a stream that goes on. */
  readonly isEnded: boolean;
  readonly elapsedMs: number;
  /** Resident memory, bytes: the most, when half of the members had come, and at the end. */
  readonly peakBytes: number;
  readonly middleBytes: number;
  readonly endBytes: number;
  /** The longest text of the state to save, of ten while reading and the last, bytes; absent of a client without one. */
  readonly stateBytes?: number;
}
