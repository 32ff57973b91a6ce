import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { cpuMicrosOf, processTree, residentBytesOf } from '../src/process-usage.ts';

const isLinux = process.platform === 'linux';

test.runIf(isLinux)('a process counts with its children, and its threads with it', async () => {
  // A shell with a child of its own, which spins for a while and then waits to be ended.
  const spin =
    'const { Worker } = require("node:worker_threads");' +
    'const spin = "for (const end = Date.now() + 200; Date.now() < end;);";' +
    'new Worker(spin, { eval: true }).on("exit", () => { console.log("done"); setInterval(() => {}, 1000); });';
  const shell = spawn('sh', ['-c', `'${process.execPath}' -e '${spin}' & wait`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(shell.stdout, 'data');
  const pids = processTree(shell.pid ?? 0);
  expect(pids).toHaveLength(2);
  const [own, child] = pids as [number, number];
  // The thread that took the time has ended.
  expect(cpuMicrosOf([child])).toBeGreaterThan(cpuMicrosOf([own]));
  expect(cpuMicrosOf(pids)).toBeGreaterThan(100_000);
  expect(residentBytesOf(pids)).toBeGreaterThan(residentBytesOf([own]) ?? 0);
  process.kill(child, 'SIGTERM');
  await once(shell, 'exit');
  expect(residentBytesOf(pids)).toBeUndefined();
  expect(cpuMicrosOf(pids)).toBe(0);
});
