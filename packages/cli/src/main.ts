import { createRequire } from 'node:module';
import { isStreamError } from '@ldes-live/rdf-stream';
import { check } from './check/check.ts';
import type { CliProcess, ServeEdge } from './cli-process.ts';
import { parseCommandLine } from './command-line.ts';
import { follow } from './follow/follow.ts';
import { helpTexts } from './help-text.ts';
import { serve } from './serve/serve.ts';

/**
 * Runs the command `ldes-live`.
 *
 * The first SIGINT or SIGTERM ends it in order; the second meets no listener and ends the process at once.
 *
 * @returns the exit code: 0, or 1 when it failed, or 2 when the command line makes no sense; `check` has 3 as well
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
  const { env, stdout, stderr } = process;
  const { signal: interrupted } = interruption;
  try {
    return await run(process.argv.slice(2), {
      env,
      stdout,
      stderr,
      memoryUsage: () => process.memoryUsage(),
      cpuUsage: () => process.cpuUsage(),
      interrupted,
      clock: Date.now,
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

async function run(args: readonly string[], edge: ServeEdge): Promise<number> {
  const command = parseCommandLine(args);
  switch (command.kind) {
    case 'serve':
      await serve(command, edge);
      return 0;
    case 'follow':
      await follow(command, edge);
      return 0;
    case 'check':
      return await check(command, edge);
    case 'help':
      edge.stdout.write(helpTexts[command.topic]);
      return 0;
    case 'version':
      edge.stdout.write(`${createRequire(import.meta.url)('../package.json').version}\n`);
      return 0;
  }
}
