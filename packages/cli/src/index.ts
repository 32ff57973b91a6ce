import { isStreamError } from '@ldes-live/rdf-stream/errors';
import type { CliProcess } from './environment.ts';
import { runProgram } from './program.ts';

export type { CliInput, CliOutput, CliProcess } from './environment.ts';

/**
 * Runs the command `ldes-live`.
 *
 * The first SIGINT or SIGTERM ends it in order; the second meets no listener and ends the process at once.
 *
 * @returns the exit code: 0, or 1 when it failed, or 2 when the command line makes no sense; `check` and `map` have 3 as well
 */
export async function main(process: CliProcess): Promise<number> {
  const interruption = new AbortController();
  const interrupt = () => {
    stopListening();
    interruption.abort();
  };
  const stopListening = () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const { env, stdin, stdout, stderr } = process;
  const { signal: interrupted } = interruption;
  try {
    return await runProgram(process.argv.slice(2), {
      env,
      ...(stdin && { stdin }),
      stdout,
      stderr,
      cpuUsage: () => process.cpuUsage(),
      interrupted,
      clock: Date.now,
      onReload: (listener) => {
        process.on('SIGHUP', listener);
        return () => void process.off('SIGHUP', listener);
      },
      random: Math.random,
    });
  } catch (error) {
    // Anything else is a defect, and its stack is what helps.
    if (!isStreamError(error)) throw error;
    stderr.write(`${error.code}: ${error.message}\n`);
    return error.code === 'ERR_USAGE' ? 2 : 1;
  } finally {
    stopListening();
  }
}
