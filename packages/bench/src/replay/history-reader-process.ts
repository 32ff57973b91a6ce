// Reads a history by one client, and tells its parent how that went.
import type { ReadingPlan, ReadingReport } from './reading-messages.ts';

const plan = JSON.parse(process.argv[2] as string) as ReadingPlan;

// Each process loads what it measures, and nothing else.
async function read(): Promise<ReadingReport> {
  if (plan.reader === 'ours') return (await import('./read-by-ours.ts')).readByOurs(plan);
  return (await import('./read-by-ldes-client.ts')).readByLdesClient(plan);
}

// Nobody is left to tell.
process.on('disconnect', () => process.exit());
const report = await read();
// What a client that was stopped has left open does not keep the process.
process.send?.(report, () => process.exit());
