// A process of Node's that a script starts and waits for. Who ends the script ends it too.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const HAS_GROUPS = process.platform !== 'win32';

/** Runs a script with its output shown; `hidden`: its output is what the promise resolves to, beside its exit code. */
export async function runNode(args, { env = process.env, hidden = false } = {}) {
  const shown = hidden ? 'pipe' : 'inherit';
  // A group of its own, so that what it started is ended with it: vitest leaves the programs of its tests running.
  const child = spawn(process.execPath, args, { stdio: ['ignore', shown, shown], env, detached: HAS_GROUPS });
  let endedBy;
  const end = (signal) => {
    // Whoever asks twice does not wait.
    const sent = endedBy ? 'SIGKILL' : signal;
    endedBy = signal;
    try {
      process.kill(HAS_GROUPS ? -child.pid : child.pid, sent);
    } catch {
      // It has ended by itself.
    }
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  for (const signal of SIGNALS) process.off(signal, end);
  if (endedBy) process.exit(128 + constants.signals[endedBy]);
  return { code: code ?? 1, output: Buffer.concat(chunks).toString() };
}

/** Runs vitest with the settings that are given: those that happen to be set beside them change nothing. */
export function runVitest(args, settings, options) {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LDES_LIVE_') || name === 'LDES_LIVE_FIXTURES',
  );
  const env = { ...Object.fromEntries(own), ...settings };
  return runNode(['node_modules/vitest/vitest.mjs', 'run', ...args], { ...options, env });
}
