/*
 * Clients that poll a document in processes of their own, on the second core: the article's, or a cheap form of ours by a MAL.
 *
 *   const load = await startPollLoad({ ports, path: '/latest' }, { readers: 5000, behaviour, updateIntervalMs: 5000, seed })
 *   await load.report(sinceMicros)     // from now on, only versions that are due after that instant count
 *   ...                                // updates
 *   await load.report(sinceMicros)     // { requests, statuses, news, skipped, older, delay, effort }
 */
import { Histogram } from '../histogram.ts';
import { allOrNone, type Child, loadCore, nextAddress, processesFor, startChild } from '../processes.ts';
import { monotonicMicros } from '../timing.ts';
import { sumEfforts, sumStats } from './effort.ts';
import type { PollOrder, PollPlan, PollReport } from './poll-reader.ts';

/** What a load is, over all its processes; see {@link PollPlan}. */
export interface PollOptions extends Pick<PollPlan, 'readers' | 'behaviour' | 'updateIntervalMs' | 'seed'> {
  /** @defaultValue as many as so many connections need */
  readonly processes?: number;
  /** Of all processes; `undefined` for any. @defaultValue the core of loads */
  readonly core?: number | undefined;
}

/** The polling clients of a measurement. */
export interface PollLoad {
  /**
   * What was met since the last report.
   *
   * @param sinceMicros - versions that were due before do not count from now on: neither as news nor as skipped
   */
  report(sinceMicros: number): Promise<PollReport>;
  stop(): Promise<void>;
}

/** Clients that may be under way to their first answer at a time. */
const OPENING = 200;

/**
 * Starts the processes, and resolves when all clients have had their first answer; they go on, and what they meet counts, from
 * then on.
 *
 * @throws Error - some client got none
 */
export async function startPollLoad(target: Pick<PollPlan, 'ports' | 'path'>, options: PollOptions): Promise<PollLoad> {
  const { readers, processes = processesFor(readers), ...plan } = options;
  const core = loadCore(options);
  const share = Math.ceil(readers / processes);
  const children = await allOrNone(
    Array.from({ length: Math.ceil(readers / share) }, (_, index) => {
      const own = { firstReader: index * share, readers: Math.min(share, readers - index * share) };
      const whole: PollPlan = { ...plan, ...target, ...own, opening: OPENING, localAddress: nextAddress() };
      return startChild<{ opened: number }>(new URL('./poll-process.js', import.meta.url), whole, core);
    }),
  );
  const order = <Answer>(one: PollOrder) => Promise.all(children.map((child) => child.ask<Answer>(one)));
  const report = async (sinceMicros: number) =>
    sumPollReports(await order<PollReport>({ order: 'report', sinceMicros }));
  const stop = async () => {
    await order({ order: 'stop' });
    await Promise.all(children.map((child: Child<unknown>) => child.close()));
  };
  const opened = children.reduce((sum, { started }) => sum + started.opened, 0);
  if (opened < readers) {
    await stop();
    throw new Error(`${opened} of ${readers} polling clients were answered`);
  }
  // What they met on their way is not a part of what is measured.
  await report(monotonicMicros());
  await order({ order: 'begin' });
  return { report, stop };
}

/** What several processes met, or one in several reports, as if it were one; the time is that of the longest. */
export function sumPollReports(reports: readonly PollReport[]): PollReport {
  const statuses: Record<string, number> = {};
  for (const report of reports) {
    for (const [status, count] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  const stats = sumStats(reports.map(({ statuses: _, delay: __, effort: ___, ...counted }) => counted));
  const delay = new Histogram(...reports.map((report) => report.delay)).encode();
  return { ...stats, statuses, delay, effort: sumEfforts(reports.map(({ effort }) => effort)) };
}
