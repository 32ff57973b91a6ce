import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();
let isWatching = false;

/** Has a process end when this one does, however that comes about short of being killed. */
export function endWithThis(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (isWatching) return;
  isWatching = true;
  // A master that is killed outright would leave its workers.
  process.on('exit', () => {
    for (const one of running) one.kill('SIGTERM');
  });
}
