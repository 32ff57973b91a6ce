import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from './report.ts';

/** What an earlier run of an experiment found, from the folder it wrote to; undefined where there is none, or nothing readable. */
export async function readEarlierReport(folder: string, experiment: string): Promise<Report | undefined> {
  try {
    const report = parseReport(await readFile(join(folder, `${experiment}.json`), 'utf8'));
    return report.experiment === experiment ? report : undefined;
  } catch {
    return undefined;
  }
}

/**
 * All reports, or what was kept of them, of a folder that runs wrote to: of its files `EXPERIMENT.json`, in the order of
 * their names. Earlier ones that were kept beside them (`EXPERIMENT.TIME.json`) are not read.
 *
 * @throws Error - where the folder or one of them cannot be read, or is no report
 */
export async function readReports(folder: string): Promise<readonly Report[]> {
  const names = (await readdir(folder)).filter((name) => /^[^.]+\.json$/.test(name)).sort();
  return await Promise.all(names.map(async (name) => parseReport(await readFile(join(folder, name), 'utf8'))));
}

/**
 * A report out of its JSON.
 *
 * @throws SyntaxError - where the text is no JSON, or no report
 */
function parseReport(text: string): Report {
  const value: unknown = JSON.parse(text);
  if (!isReport(value)) throw new SyntaxError('This is JSON, but not the report of an experiment');
  return value;
}

function isReport(value: unknown): value is Report {
  const { experiment, startedAt, machine, workload, ratios, sections } = (value ?? {}) as Partial<
    Record<keyof Report, unknown>
  >;
  return (
    typeof experiment === 'string' &&
    typeof startedAt === 'string' &&
    [machine, workload, ratios].every((part) => typeof part === 'object' && part !== null) &&
    Array.isArray(sections)
  );
}
