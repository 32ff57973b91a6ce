import type { Answer } from './answer-reader.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { PollReport } from './poll-messages.ts';
import type { VersionWatch } from './version-watch.ts';

/** What the figures of a report are made of that its readers count. */
type Counted = Omit<PollReport, 'waiting' | 'cpuMicros' | 'wallMicros' | 'longestLoopLagMicros'>;

const NOTHING = {
  requests: 0,
  failed: 0,
  news: 0,
  skipped: 0,
  older: 0,
  lateRequests: 0,
  reopened: 0,
  bytes: 0,
};

/** What all polling readers of a process count together. */
export class PollState {
  readonly #intervalMicros: number;
  #sinceMicros: number;
  readonly tally = { ...NOTHING };
  #statuses = new Map<number, number>();
  #latency = new LatencyHistogram();
  #responseTime = new LatencyHistogram();

  /**
   * @param intervalMicros - from one version to the next
   * @param sinceMicros - versions that were scheduled before do not count
   */
  constructor(intervalMicros: number, sinceMicros: number) {
    this.#intervalMicros = intervalMicros;
    this.#sinceMicros = sinceMicros;
  }

  /** Notes an answer that has come whole. */
  answered(answer: Answer, versions: VersionWatch, dueMicros: number, nowMicros: number): void {
    this.tally.requests += 1;
    this.tally.bytes += answer.wholeBytes;
    this.#statuses.set(answer.status, (this.#statuses.get(answer.status) ?? 0) + 1);
    this.#responseTime.note(nowMicros - dueMicros);
    if (answer.status !== 200) return;
    const version = versions.take(answer.stampMicros, this.#intervalMicros, this.#sinceMicros);
    if (version.kind === 'same') return;
    const stampMicros = answer.stampMicros as number;
    if (version.kind === 'news' && stampMicros < this.#sinceMicros) return;
    this.tally[version.kind] += 1;
    if (version.kind === 'older') return;
    this.tally.skipped += version.skipped;
    this.#latency.note(nowMicros - stampMicros);
  }

  /**
   * What was counted since the last time.
   *
   * @param sinceMicros - versions that were scheduled before count no more from now on
   */
  take(sinceMicros: number): Counted {
    const taken = {
      ...this.tally,
      statuses: Object.fromEntries(this.#statuses),
      latency: this.#latency.toSparse(),
      responseTime: this.#responseTime.toSparse(),
    };
    this.#sinceMicros = sinceMicros;
    Object.assign(this.tally, NOTHING);
    this.#statuses = new Map();
    this.#latency = new LatencyHistogram();
    this.#responseTime = new LatencyHistogram();
    return taken;
  }
}
