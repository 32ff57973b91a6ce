import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageMistake } from './options.ts';
import { keepEarlier } from './report/keep-earlier.ts';
import { readEarlierReport } from './report/read-report.ts';
import type { Report } from './report/report.ts';
import { isSameWorkload, withAgreement } from './report/with-agreement.ts';
import { writeReports } from './report/write-reports.ts';

/** A folder of reports, one of each experiment. */
export interface ReportFolder {
  /** The report, with how far it agrees with that of the same workload which is there. */
  compared(report: Report): Promise<Report>;
  /**
   * Writes a report in the place of the one that is there. One of another workload is kept under another name.
   *
   * @returns the path of the page with all reports, and that of what was kept
   */
  write(report: Report): Promise<{ readonly page: string; readonly kept?: string }>;
}

const TRIAL = '.ldes-live-bench-trial';

/**
 * Opens a folder: makes it where it is missing, and sees whether it can be written to.
 *
 * @param names - of all experiments, in the order of the page
 * @throws {@link UsageMistake} - it cannot be
 */
export async function openReportFolder(path: string, names: readonly string[]): Promise<ReportFolder> {
  try {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, TRIAL), '');
    await rm(join(path, TRIAL));
  } catch (error) {
    throw new UsageMistake(`--out is "${path}", where nothing can be written: ${(error as Error).message}.`);
  }
  return {
    compared: async (report) => {
      const earlier = await readEarlierReport(path, report.experiment);
      return earlier ? withAgreement(report, earlier) : report;
    },
    write: async (report) => {
      const earlier = await readEarlierReport(path, report.experiment);
      const kept = earlier && !isSameWorkload(report, earlier) ? await keepEarlier(path, earlier) : undefined;
      const others = names.map((name) => (name === report.experiment ? report : readEarlierReport(path, name)));
      const all = (await Promise.all(others)).filter((one) => one !== undefined);
      const [page = ''] = await writeReports(path, all);
      return { page, ...(kept !== undefined && { kept }) };
    },
  };
}
