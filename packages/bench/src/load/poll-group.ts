import { type Child, startChild } from '../child.ts';
import { nextAddress } from './load-address.ts';
import { mergePollReports } from './merge-poll-reports.ts';
import { monotonicMicros } from './monotonic-micros.ts';
import type { PollOrder, PollPlan, PollReport, PollTold } from './poll-messages.ts';

/** What a load of polling readers is, over all its processes. */
export interface PollGroupPlan extends Omit<PollPlan, 'firstReader' | 'localAddress'> {
  /** Over how many processes its readers are spread: one may have some 18,000. */
  readonly processes: number;
  /** The core of all of them; `undefined` for any. */
  readonly core: number | undefined;
}

/** The polling readers of a measurement, in processes of their own. */
export class PollGroup {
  readonly #children: readonly Child<PollTold>[];

  private constructor(children: readonly Child<PollTold>[]) {
    this.#children = children;
  }

  /**
   * Starts the processes, and resolves when all readers have had their first answer; they go on, and what they meet
   * counts, from then on.
   *
   * @throws Error - some reader got none
   */
  static async start({ processes, core, ...plan }: PollGroupPlan): Promise<PollGroup> {
    const share = Math.ceil(plan.readers / processes);
    const children = Array.from({ length: Math.ceil(plan.readers / share) }, (_, index) => {
      const firstReader = index * share;
      const readers = Math.min(share, plan.readers - firstReader);
      const own: PollPlan = { ...plan, firstReader, readers, localAddress: nextAddress() };
      return startChild<PollTold>(
        new URL('./old-poll-process.js', import.meta.url),
        [JSON.stringify(own)],
        core ?? 'any',
      );
    });
    const group = new PollGroup(children);
    const opened = await group.#told<{ opened: number }>();
    const open = opened.reduce((sum, told) => sum + told.opened, 0);
    if (open < plan.readers) {
      await group.stop();
      throw new Error(`${open} of ${plan.readers} polling readers were answered`);
    }
    // What they met on their way is nothing to report.
    await group.report(monotonicMicros());
    group.#order({ order: 'begin' });
    return group;
  }

  /**
   * What was met since the last report.
   *
   * @param sinceMicros - versions that were scheduled before count no more from now on: neither as news nor as skipped
   */
  async report(sinceMicros: number): Promise<PollReport> {
    this.#order({ order: 'report', sinceMicros });
    return mergePollReports(await this.#told<PollReport>());
  }

  async stop(): Promise<void> {
    this.#order({ order: 'stop' });
    await Promise.all(this.#children.map(({ ended }) => ended));
  }

  #order(order: PollOrder): void {
    for (const child of this.#children) child.send(order);
  }

  #told<Message extends PollTold>(): Promise<Message[]> {
    return Promise.all(this.#children.map((child) => child.next() as Promise<Message>));
  }
}
