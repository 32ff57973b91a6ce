// `npm run bench -- EXPERIMENT`: installs and builds what is missing, then measures.
import process from 'node:process';
import { ensureBuilt, ensureLdesClient } from './ensure-built.mjs';

await ensureBuilt();
if (process.argv.some((word) => word === 'all' || word === 'replay')) await ensureLdesClient();
const { bench } = await import('../packages/bench/dist/index.js');
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
const { stdout, stderr } = process;
process.exitCode = await bench(process.argv.slice(2), { stdout, stderr, interrupted: interruption.signal });
