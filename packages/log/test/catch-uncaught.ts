import { onTestFinished } from 'vitest';

/** What the runtime reports as uncaught, instead of the runner's own listeners. */
export function catchUncaught(): unknown[] {
  const caught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  return caught;
}
