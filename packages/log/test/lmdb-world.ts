import { execFileSync } from 'node:child_process';

/** Lets this process write no file past a size, as a full disk would; gives false where that is not to be had. */
export function limitFileSize(limit: string): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:unlimited`]);
    return true;
  } catch {
    return false;
  }
}

/** Whether sizes can be limited: part of Debian's util-linux, so that in CI its absence is a fault and no skip. */
export function canLimitFileSize(): boolean {
  return process.env.CI === 'true' || limitFileSize('unlimited');
}
