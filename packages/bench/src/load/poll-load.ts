import { Histogram } from '../histogram.ts';
import { monotonicMicros } from '../timing.ts';
import { sumEfforts, sumStats } from './effort.ts';
import type { PollOrder, PollPlan, PollReport } from './poll-reader.ts';
import { startReaders } from './readers.ts';

/**
 * Starts polling clients in processes of their own, the article's or a cheap form of ours by a MAL, and resolves when all clients have had their first answer; they go on, and what they meet counts, from
 * then on.
 *
 * @throws Error - some client got none
 */
export async function startPollLoad(
  { ports, path }: Pick<PollPlan, 'ports' | 'path'>,
  plan: Pick<PollPlan, 'readers' | 'behaviour' | 'updateIntervalMs' | 'seed'>,
) {
  const processes = await startReaders<PollPlan>({ ...plan, ports, path }, {});
  const order = <Answer>(one: PollOrder) => Promise.all(processes.map((process) => process.ask<Answer>(one)));
  const load = {
    /**
     * What was met since the last report.
     *
     * @param sinceMicros - versions that were due before do not count from now on: neither as news nor as skipped
     */
    report: async (sinceMicros: number): Promise<PollReport> =>
      sumPollReports(await order<PollReport>({ order: 'report', sinceMicros })),
    stop: async (): Promise<void> => {
      // One that has died answers nothing, and keeps none of the others open.
      await order({ order: 'stop' }).catch(() => undefined);
      await Promise.all(processes.map((process) => process.close()));
    },
  };
  // What they met on their way is not a part of what is measured.
  const { failed } = await load.report(monotonicMicros());
  if (failed > 0) {
    await load.stop();
    throw new Error(`${failed} of ${plan.readers} polling clients were not answered`);
  }
  await order({ order: 'begin' });
  return load;
}

/** What several processes met, or one in several reports, as if it were one; the time is that of the longest. */
export function sumPollReports(reports: readonly PollReport[]): PollReport {
  const stats = sumStats(reports.map(({ delay: _, effort: __, ...counted }) => counted));
  const delay = new Histogram(...reports.map((report) => report.delay)).encode();
  return { ...stats, delay, effort: sumEfforts(reports.map(({ effort }) => effort)) };
}
