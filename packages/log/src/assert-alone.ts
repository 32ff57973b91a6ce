import type { RootDatabase } from 'lmdb';
import { errors } from './errors.ts';

/**
 * Two owners would give out the same sequence numbers. LMDB lists who has read, and each of its entries is backed by
 * a lock of the operating system that dies with its process. As everyone enters before looking, no two find
 * themselves alone. An entry lasts until the next `openDB`, so this comes last.
 *
 * @throws {@link StreamError} `ERR_STORE_LOCKED` - there is another one
 */
export function assertAlone(root: RootDatabase, path: string): void {
  root.get('');
  root.readerCheck();
  const pids = Array.from(root.readerList().matchAll(/^\s*(\d+) /gm), (line) => line[1]);
  if (pids.length > 1) throw errors.ERR_STORE_LOCKED({ path, pids: pids.join(', ') });
}
