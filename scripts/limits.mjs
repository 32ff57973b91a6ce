// `npm run limits [-- --only NAME] [--repeats 3]`: measures what the worst within each limit takes, and writes specs/limits.md.
import process from 'node:process';
import { runNode } from './child.mjs';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
const hooks = new URL('../packages/test-support/src/typescript-hooks.mjs', import.meta.url).href;
const { code } = await runNode(['--import', hooks, 'tests/limits/measure.ts', ...process.argv.slice(2)]);
await runNode(['node_modules/@biomejs/biome/bin/biome', 'format', '--write', 'specs/limits.md']);
process.exitCode = code;
