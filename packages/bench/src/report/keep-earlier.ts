import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from './report.ts';

/**
 * Gives the files of an earlier report names with the time that it began, `e1.2026-11-22T01-26-43Z.json` and `.hlog`, so
 * that another can have theirs. No page shows it any more.
 *
 * @returns the new path of its JSON
 */
export async function keepEarlier(
  folder: string,
  { experiment, startedAt }: Pick<Report, 'experiment' | 'startedAt'>,
): Promise<string> {
  const began = startedAt.replace(/\.\d+/, '').replace(/[^\w+-]/g, '-');
  let name = `${experiment}.${began}`;
  for (let again = 2; await isThere(join(folder, `${name}.json`)); again += 1) name = `${experiment}.${began}-${again}`;
  const latencies = join(folder, `${experiment}.hlog`);
  if (await isThere(latencies)) await rename(latencies, join(folder, `${name}.hlog`));
  const kept = join(folder, `${name}.json`);
  await rename(join(folder, `${experiment}.json`), kept);
  return kept;
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
