import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Before all tests: those that run the command as a process run it as it is built. */
export function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build'], { cwd: root, stdio: 'inherit' });
}
