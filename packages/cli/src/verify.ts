import { verifyStore } from '@ldes-live/log';
import type { Environment } from './environment.ts';
import { plural, printText } from './terminal.ts';

export interface VerifyOptions {
  /** The data folder. */
  readonly path: string;
  readonly repair?: boolean;
  readonly restored?: boolean;
}

/** Reads all of a data folder and lists what is damaged; the exit code is 0 when nothing is, or all of it was repaired. */
export async function verify(options: VerifyOptions, { stdout, clock, random }: Environment): Promise<number> {
  const reports = await verifyStore({ ...options, clock, random });
  const lines = reports.flatMap(({ stream, members, unchecked, entities, findings }) => [
    `${stream}: ${plural(members, 'member')}, ${plural(entities, 'living entity', 'living entities')}, ${findings.length} damaged`,
    ...(unchecked > 0 ? [`  ${plural(unchecked, 'member')} of an earlier release, without a checksum`] : []),
    ...findings.map(({ what, sequence, file, isRepaired }) => {
      const which = [NAMES[what], sequence, file].filter((part) => part !== undefined).join(' ');
      return `  ${which}: damaged${isRepaired ? `, ${REPAIRS[what]}` : ''}`;
    }),
  ]);
  const findings = reports.flatMap((report) => report.findings);
  const left = findings.filter(({ isRepaired }) => !isRepaired).length;
  if (findings.length === 0) lines.push('Nothing is damaged.');
  else if (left === 0) lines.push('All of it is repaired.');
  else lines.push(options.repair ? ADVICE_UNREPAIRED : ADVICE);
  if (options.restored) lines.push(EPOCHS);
  await printText(stdout, `${lines.join('\n')}\n`);
  return left > 0 ? 1 : 0;
}

const NAMES = {
  head: 'the head of the log',
  removals: 'the removed pages',
  member: 'member',
  latest: 'the latest state, member',
  versions: 'the IRIs of versions',
  document: 'the cached document',
};

const REPAIRS = {
  head: '',
  removals: '',
  member: 'dropped',
  latest: 'corrected',
  versions: 'corrected',
  document: 'deleted',
};

const EPOCHS = 'The logs have new epochs, but for those of a cluster. Readers who know of later members get a gap.';
const ADVICE = 'Restore the folder from a backup, or drop what is damaged with --repair.';
const ADVICE_UNREPAIRED =
  'The rest cannot be repaired. Restore the folder from a backup. Give a node of a cluster an empty folder.';
