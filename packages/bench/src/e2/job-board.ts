import { randomUUID } from 'node:crypto';
import { monotonicMicros } from '../load/monotonic-micros.ts';

/** A job as its service keeps it. */
export interface Job {
  readonly id: string;
  complete: boolean;
}

/** When a job was complete, by the clock that processes share. */
export interface JobCompletion {
  readonly id: string;
  readonly micros: number;
}

/** The jobs of a server, however these are told of. */
export class JobBoard {
  readonly #jobs = new Map<string, Job>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #listeners = new Set<(job: Job) => void>();
  #durationsMs: readonly (readonly number[])[] = [];
  #made: number[] = [];
  #completions: JobCompletion[] = [];

  /** What has been completed since the beginning. */
  get completions(): readonly JobCompletion[] {
    return this.#completions;
  }

  /**
   * Forgets what there was.
   *
   * @param durationsMs - how long the jobs take that are made from now on, milliseconds, in the order of each user; 0 for
   * those beyond
   */
  begin(durationsMs: readonly (readonly number[])[]): void {
    this.close();
    this.#jobs.clear();
    this.#durationsMs = durationsMs;
    this.#made = durationsMs.map(() => 0);
    this.#completions = [];
  }

  /** Makes the next job of a user. */
  make(user: number): Job {
    const job: Job = { id: randomUUID(), complete: false };
    const number = this.#made[user] ?? 0;
    this.#made[user] = number + 1;
    const durationMs = this.#durationsMs[user]?.[number] ?? 0;
    const dueMicros = monotonicMicros() + durationMs * 1000;
    this.#jobs.set(job.id, job);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#complete(job, dueMicros);
    }, durationMs);
    this.#timers.add(timer);
    return job;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** Is told of each job once when it is complete. */
  onComplete(listener: (job: Job) => void): void {
    this.#listeners.add(listener);
  }

  /** Completes nothing more. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #complete(job: Job, dueMicros: number): void {
    job.complete = true;
    // A server that is late is late for its users too; a timer may be early by a part of a millisecond.
    this.#completions.push({ id: job.id, micros: Math.min(monotonicMicros(), dueMicros) });
    for (const listener of this.#listeners) listener(job);
  }
}
