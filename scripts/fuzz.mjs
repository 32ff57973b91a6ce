// `npm run fuzz -- [--minutes 10] [--target NAME ...] [--seed N] [--input FILE]`: hostile inputs to what reads those of others.
import process from 'node:process';
import { runNode } from './child.mjs';
import { ensureInstalled } from './ensure-built.mjs';

await ensureInstalled();
// What sources need that is none: the engine of queries.
await runNode(['scripts/compile-comunica.mjs'], { hidden: true });
const sources = ['--conditions=@ldes-live/source', '--import', './packages/test-support/src/typescript-hooks.mjs'];
process.exitCode = (await runNode([...sources, 'tests/fuzz/fuzz.ts', ...process.argv.slice(2)])).code;
