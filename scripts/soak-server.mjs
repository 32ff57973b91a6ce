// `npm run soak:server -- [--hours 1 | --minutes 15] [--out FOLDER] [--seed 1]`: a server with feeds that fail, readers that come
// and go, posts, queries and restarts, for so long. It fails when a figure grows, or when a reader lacks something.
import process from 'node:process';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
const { soak } = await import('../packages/bench/dist/index.js');
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
process.exit(await soak(process.argv.slice(2), console.log));
