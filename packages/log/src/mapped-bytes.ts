import { readFileSync } from 'node:fs';

const KIB = 1024;

/**
 * How much of mapped files is resident in this process, bytes, by Linux's `/proc/self/status`; `undefined` elsewhere.
 */
export function mappedBytes(): number | undefined {
  try {
    return mappedBytesOf(readFileSync('/proc/self/status', 'utf8'));
  } catch {
    return undefined;
  }
}

/** What of mapped files is resident by the text of `/proc/PID/status`, bytes: of those in memory (tmpfs) too. */
export function mappedBytesOf(status: string): number | undefined {
  const kib = Array.from(status.matchAll(/^Rss(?:File|Shmem):\s+(\d+) kB$/gm), (match) => Number(match[1]));
  return kib.length === 0 ? undefined : kib.reduce((sum, value) => sum + value, 0) * KIB;
}
