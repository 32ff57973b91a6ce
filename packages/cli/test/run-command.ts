import { main } from '../src/index.ts';
import { fakeProcess } from './fake-process.ts';

/** Runs the command to its end; what it wrote, and its exit code. */
export async function runCommand(...args: string[]): Promise<{ code: number; output: string; errorOutput: string }> {
  const process = fakeProcess(args);
  const code = await main(process);
  return { code, output: process.stdout.text, errorOutput: process.stderr.text };
}
