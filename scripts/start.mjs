// `npm start`: the demonstration on port 3000, from a clone as it is.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt({ production: true });
const args = ['packages/cli/bin/ldes-live.js', 'serve', '--demo', ...process.argv.slice(2)];
const server = spawn(process.execPath, args, { stdio: 'inherit' });
// The terminal sends its signals to both; whoever signals this process alone means the server.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
// npm that is told to stop ends its shell and not what the shell runs: without a parent the server ends too.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) server.kill('SIGTERM');
}, 1000).unref();
server.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal ? 1 : 0);
});
