import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Figure } from './figure.ts';
import { figureSvg } from './figure-svg.ts';
import { histogramLog } from './histogram-log.ts';
import { jsonText } from './json-text.ts';
import type { Report } from './report.ts';
import { reportHtml } from './report-html.ts';

/**
 * Writes reports to a folder, which is made where it is missing: `EXPERIMENT.json`, `EXPERIMENT.hlog` with every latency
 * in HdrHistogram's log format, `figures/EXPERIMENT-ID.svg`, and one `report.html` of them all.
 *
 * @returns paths of the files, `report.html` first
 */
export async function writeReports(folder: string, reports: readonly Report[]): Promise<readonly string[]> {
  const files = new Map([['report.html', reportHtml(reports)]]);
  for (const report of reports) {
    files.set(`${report.experiment}.json`, jsonText(report));
    if (Object.keys(report.histograms).length > 0) {
      files.set(`${report.experiment}.hlog`, await histogramLog(report));
    }
    for (const figure of report.sections.flatMap(({ figures }) => figures ?? [])) {
      files.set(join('figures', `${fileName(report, figure)}.svg`), figureSvg(figure));
    }
  }
  const paths: string[] = [];
  for (const [name, text] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    paths.push(path);
  }
  return paths;
}

/** The id of a figure after its experiment, which an id may begin with itself. */
function fileName({ experiment }: Report, { id }: Figure): string {
  return id.startsWith(`${experiment}-`) ? id : `${experiment}-${id}`;
}
