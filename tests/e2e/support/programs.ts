import process from 'node:process';
import { programPath } from '@ldes-live/bench/programs';
import { beforeEach } from 'vitest';

/** Whether a program is installed. With CI=true each has to be: a missing one fails where it is started. */
export function isThere(program: string | undefined): boolean {
  return program === undefined || process.env.CI === 'true' || programPath(program) !== program;
}

/** Skips, and so reports, the tests of a group or a file whose programs are not installed. */
export function need(...programs: readonly (string | undefined)[]): void {
  const missing = programs.filter((program) => !isThere(program));
  beforeEach(({ skip }) => skip(missing.length > 0, `not installed: ${missing.join(', ')}`));
}
