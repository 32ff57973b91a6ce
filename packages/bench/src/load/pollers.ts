import { seededRandom } from '../seeded-random.ts';
import { DueTimer } from './due-timer.ts';
import { LoopLag } from './loop-lag.ts';
import { monotonicMicros } from './monotonic-micros.ts';
import { pollPace } from './old-poll-pace.ts';
import { PollReader, type PollShared } from './old-poll-reader.ts';
import { openAll } from './open-all.ts';
import type { PollPlan, PollReport, PollTarget } from './poll-messages.ts';
import { PollRequest } from './poll-request.ts';
import { PollState } from './poll-state.ts';
import { ReadEstimate } from './read-estimate.ts';

/** The polling readers of one process. */
export class Pollers {
  readonly #readers: readonly PollReader[];
  readonly #state: PollState;
  readonly #timer: DueTimer;
  readonly #lag = new LoopLag();
  readonly #stopLag = this.#lag.start();
  readonly #opening: number;
  #since = { cpu: process.cpuUsage(), micros: monotonicMicros() };

  constructor(plan: PollPlan) {
    const { readers, firstReader, targets, headers, behaviour, localAddress } = plan;
    this.#opening = plan.opening;
    this.#state = new PollState(plan.updateIntervalMs * 1000, monotonicMicros());
    this.#timer = new DueTimer(readers, (index) => this.#readers[index]?.ask());
    const common: PollShared = {
      state: this.#state,
      localAddress,
      wake: (dueMicros, index) => this.#timer.wake(dueMicros, index),
    };
    const estimate = new ReadEstimate();
    const epochMs = Date.now() - monotonicMicros() / 1000;
    // A cache asks for what it has by its tag; an open loop is to have its whole answer each time.
    const isConditional = behaviour.kind !== 'every';
    const requests = targets.map((target) => new PollRequest(target, headers, isConditional));
    this.#readers = Array.from({ length: readers }, (_, index) => {
      const number = firstReader + index;
      const turn = number % targets.length;
      // Of its number, so that it does not matter over how many processes the readers are spread.
      const phase = seededRandom(plan.seed * 1_000_003 + number)();
      const pace = pollPace(behaviour, { phase, estimate, epochMs });
      return new PollReader(index, targets[turn] as PollTarget, requests[turn] as PollRequest, pace, common);
    });
  }

  /** Resolves when each reader has had its first answer, to how many did by a document. */
  async open(): Promise<number> {
    await openAll(this.#readers, this.#opening);
    return this.#readers.filter(({ isOpen }) => isOpen).length;
  }

  /** Lets them go on after their first answers. */
  begin(): void {
    const now = monotonicMicros();
    for (const reader of this.#readers) reader.begin(now);
  }

  /**
   * What they met since the last report.
   *
   * @param sinceMicros - versions that were scheduled before count no more from now on
   */
  report(sinceMicros: number): PollReport {
    const now = monotonicMicros();
    const { user, system } = process.cpuUsage(this.#since.cpu);
    const wallMicros = now - this.#since.micros;
    this.#since = { cpu: process.cpuUsage(), micros: now };
    return {
      ...this.#state.take(sinceMicros),
      waiting: this.#readers.reduce((sum, reader) => sum + reader.waiting(now), 0),
      cpuMicros: user + system,
      wallMicros,
      longestLoopLagMicros: this.#lag.take(),
    };
  }

  stop(): void {
    this.#timer.stop();
    this.#stopLag();
    for (const reader of this.#readers) reader.stop();
  }
}
