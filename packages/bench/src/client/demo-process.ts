// `ldes-live serve --demo` as users run it, but that it tells its parent of its CPU time, and nothing to the terminal.
import { Writable } from 'node:stream';
import { main } from 'ldes-live';

const port = process.argv[2] as string;
const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
// Nobody is left to tell.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.exitCode = await main({
  argv: [process.execPath, 'ldes-live', 'serve', '--demo', '--port', port],
  env: process.env,
  stdout,
  stderr: process.stderr,
  cpuUsage: () => process.cpuUsage(),
  on: (event: 'SIGINT' | 'SIGTERM', listener: () => void) => process.on(event, listener),
  off: (event: 'SIGINT' | 'SIGTERM', listener: () => void) => process.off(event, listener),
});
process.exit();
