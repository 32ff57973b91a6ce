// Preloaded into a process of the command: how long its event loop does not come to a timer, in time and in CPU time of the
// main thread. A machine that others use holds a thread for longer than it works.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const TICK_MS = 10;
const NANOS_IN_MS = 1e6;
const THREAD = `/proc/self/task/${process.pid}/schedstat`;
const cpuMs = () => Number(readFileSync(THREAD, 'utf8').split(' ')[0]) / NANOS_IN_MS;

let [lastMs, lastCpuMs] = [performance.now(), cpuMs()];
let longest = { holdMs: 0, holdCpuMs: 0 };
function look() {
  const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
  longest = {
    holdMs: Math.max(longest.holdMs, nowMs - lastMs - TICK_MS),
    holdCpuMs: Math.max(longest.holdCpuMs, nowCpuMs - lastCpuMs),
  };
  [lastMs, lastCpuMs] = [nowMs, nowCpuMs];
}
setInterval(look, TICK_MS).unref();

process.on('message', (order) => {
  look();
  if (order === 'begin') longest = { holdMs: 0, holdCpuMs: 0 };
  else process.send(longest);
});
// Nothing is to be sent where the process has come to its end by itself.
process.channel?.unref();
process.on('exit', () => {
  look();
  process.send?.(longest);
});
