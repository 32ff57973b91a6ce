import type { HostLocks } from './host.ts';

/**
 * Takes the first free one of some Web Locks, and holds it until it is given back or the page is gone.
 *
 * @returns gives the lock back; `undefined` where all are taken
 * @throws what the browser throws where a page may not have locks, such as one in a sandboxed frame
 */
export async function takeLock(locks: HostLocks, names: readonly string[]): Promise<(() => void) | undefined> {
  for (const name of names) {
    const release = await tryLock(locks, name);
    if (release) return release;
  }
  return undefined;
}

function tryLock(locks: HostLocks, name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const request = locks.request(name, { ifAvailable: true }, (lock) => {
      // A lock is held for as long as this promise is pending.
      if (lock) return new Promise<void>((release) => resolve(release));
      resolve(undefined);
      return undefined;
    });
    request.catch(reject);
  });
}
