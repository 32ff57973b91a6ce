/** What a process takes of its machine, as of now: only whoever runs it can tell. */
export interface ProcessFacts {
  /** Tells the processes of one server apart, such as `main`. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly residentBytes: number;
  /** Of the heap of JavaScript, in use. */
  readonly heapUsedBytes: number;
  /** Of buffers and other memory beside the heap. */
  readonly externalBytes: number;
  /** Since the start, seconds. */
  readonly cpuSeconds: { readonly user: number; readonly system: number };
  /** For how long the event loop has had something to do since the start, seconds. */
  readonly loopBusySeconds: number;
  /** How late the event loop has been lately, seconds; absent before that is known. */
  readonly loopDelaySeconds?: { readonly p50: number; readonly p99: number; readonly longest: number };
}
