import { type Child, startChild } from '../child.ts';
import { nextAddress } from './load-address.ts';
import type { LoadOrder, LoadPlan, LoadReport, LoadTally } from './load-messages.ts';
import { mergeReports, mergeTallies } from './merge-reports.ts';

/** What a load is, over all its processes. */
export interface LoadGroupPlan extends Omit<LoadPlan, 'firstReader' | 'localAddress'> {
  /** Over how many processes its readers are spread. */
  readonly processes: number;
  /** The core of all of them; `undefined` for any. */
  readonly core: number | undefined;
  /** Where the processes connect, in turns, where the server has several ports; instead of `port`. */
  readonly ports?: readonly number[];
}

type Told = LoadTally | LoadReport;

/** The readers of a measurement, in processes of their own. */
export class LoadGroup {
  readonly #children: readonly Child<Told>[];
  /** How many there are, over all processes. */
  readonly readers: number;

  private constructor(children: readonly Child<Told>[], readers: number) {
    this.#children = children;
    this.readers = readers;
  }

  /**
   * Starts the processes, and resolves when all readers have been answered.
   *
   * @throws Error - some reader was not
   */
  static async start({ processes, core, ports, ...plan }: LoadGroupPlan): Promise<LoadGroup> {
    const share = Math.ceil(plan.readers / processes);
    const children = Array.from({ length: processes }, (_, index) => {
      const firstReader = index * share;
      const own: LoadPlan = {
        ...plan,
        port: ports?.[index % ports.length] ?? plan.port,
        firstReader,
        readers: Math.min(share, plan.readers - firstReader),
        localAddress: nextAddress(),
      };
      return startChild<Told>(new URL('./load-process.js', import.meta.url), [JSON.stringify(own)], core ?? 'any');
    });
    const group = new LoadGroup(children, plan.readers);
    const { open, refused } = mergeTallies(await group.#told<LoadTally>());
    if (open < plan.readers) {
      await group.stop();
      throw new Error(`${open} of ${plan.readers} connections are open, ${refused} were refused`);
    }
    return group;
  }

  async tally(): Promise<LoadTally> {
    this.order({ order: 'tally' });
    return mergeTallies(await this.#told<LoadTally>());
  }

  /** What was found since the last report. */
  async report(): Promise<LoadReport> {
    this.order({ order: 'report' });
    return mergeReports(await this.#told<LoadReport>());
  }

  /** Orders the same of all processes. */
  order(order: LoadOrder): void {
    for (const child of this.#children) child.send(order);
  }

  async stop(): Promise<void> {
    this.order({ order: 'stop' });
    await Promise.all(this.#children.map(({ ended }) => ended));
  }

  #told<Message extends Told>(): Promise<Message[]> {
    return Promise.all(this.#children.map((child) => child.next() as Promise<Message>));
  }
}
