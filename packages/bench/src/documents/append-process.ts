// The process that is measured: it tells its parent of every tenth.
import { readFileSync } from 'node:fs';
import { residentMemory } from '../resident-memory.ts';
import { appendRun } from './append-run.ts';

const [, , folder, members, fleet] = process.argv as [string, string, string, string, string];
const memory = () => {
  const { rss } = process.memoryUsage();
  const told = process.platform === 'linux' ? residentMemory(readFileSync('/proc/self/status', 'utf8')) : undefined;
  return told ?? { ownBytes: rss, residentBytes: rss };
};
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
for await (const tenth of appendRun({ folder, members: Number(members), fleet: Number(fleet) }, memory)) {
  process.send?.(tenth);
}
process.disconnect();
