import { startChild } from '../child.ts';
import type { PublisherOrder, PublisherPlan, PublisherReport } from './publisher-messages.ts';

/** A publisher in a process of its own, as whoever measures sees it. */
export interface Publisher {
  readonly pid: number;
  publish(): Promise<void>;
  /** Publishes no more. */
  hold(): Promise<void>;
  begin(): Promise<void>;
  report(): Promise<PublisherReport>;
  close(): Promise<void>;
}

/** Starts a publisher on a core; resolves when it listens. */
export async function startPublisherProcess(plan: PublisherPlan, core: number | undefined): Promise<Publisher> {
  const module = new URL('./publisher-process.js', import.meta.url);
  const child = startChild<PublisherReport>(module, [JSON.stringify(plan)], core);
  await child.next();
  const ask = (order: PublisherOrder) => {
    child.send({ order });
    return child.next();
  };
  return {
    pid: child.pid,
    publish: async () => void (await ask('publish')),
    hold: async () => void (await ask('hold')),
    begin: async () => void (await ask('begin')),
    report: () => ask('report'),
    close: async () => {
      await ask('close');
      await child.ended;
    },
  };
}
