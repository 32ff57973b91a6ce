import { rmSync } from 'node:fs';

/** What shells tell of a process that Ctrl-C has ended. */
const INTERRUPTED = 130;

/**
 * Ends this process when the person at the terminal asks for it. What was measured in part is of no use, and all that was
 * started ends with it.
 *
 * @param folder - is removed
 */
export function endOnInterruption(interrupted: AbortSignal | undefined, folder: string): void {
  const end = () => {
    // A file that is still being written to does not keep it.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    process.exit(INTERRUPTED);
  };
  interrupted?.addEventListener('abort', end, { once: true });
}
