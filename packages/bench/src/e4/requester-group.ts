import { type Child, startChild } from '../child.ts';
import { nextAddress } from '../load/load-address.ts';
import type { PublishSchedule } from '../load/publish-on-schedule.ts';
import type {
  RequesterOrder,
  RequesterReport,
  RequestersPlan,
  RequesterTold,
  RoundKind,
} from './requester-messages.ts';

/** The users and the providers of a measurement, in a process of their own. */
export class RequesterGroup {
  readonly #child: Child<RequesterTold>;

  private constructor(child: Child<RequesterTold>) {
    this.#child = child;
  }

  /**
   * Starts the process, and resolves when all are connected.
   *
   * @param core - `undefined` for any
   * @throws Error - one was refused
   */
  static async start(plan: Omit<RequestersPlan, 'localAddress'>, core: number | undefined): Promise<RequesterGroup> {
    const own: RequestersPlan = { ...plan, localAddress: nextAddress() };
    const child = startChild<RequesterTold>(
      new URL('./requester-process.js', import.meta.url),
      [JSON.stringify(own)],
      core,
    );
    await child.next();
    return new RequesterGroup(child);
  }

  /** How what is scheduled reached its users. */
  async round(kind: RoundKind, schedule: PublishSchedule): Promise<RequesterReport> {
    this.#order({ order: 'round', kind, schedule });
    const told = await this.#child.next();
    if (told.kind !== 'round') throw new Error('The users have told something else than how the round was');
    return told.report;
  }

  async stop(): Promise<void> {
    this.#order({ order: 'stop' });
    await this.#child.ended;
  }

  #order(order: RequesterOrder): void {
    this.#child.send(order);
  }
}
