import { createRequire } from 'node:module';
import { isStreamError } from '@ldes-live/rdf-stream';
import { bench } from './bench/bench.ts';
import { capacity } from './capacity/capacity.ts';
import { check } from './check/check.ts';
import { parseCommandLine } from './command-line.ts';
import type { CliProcess, Environment } from './environment.ts';
import { follow } from './follow/follow.ts';
import { helpTexts } from './help-text.ts';
import { init } from './init/init.ts';
import { map } from './map/map.ts';
import { query } from './query/query.ts';
import { serve } from './serve/serve.ts';
import { printToken } from './token/token.ts';

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
    return await run(process.argv.slice(2), {
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

async function run(args: readonly string[], edge: Environment): Promise<number> {
  const command = parseCommandLine(args);
  switch (command.kind) {
    case 'serve':
      await serve(command, edge);
      return 0;
    case 'follow':
      await follow(command, edge);
      return 0;
    case 'query':
      await query(command, edge);
      return 0;
    case 'check':
      return await check(command, edge);
    case 'map':
    case 'printPreset':
    case 'listPresets':
      return await map(command, edge);
    case 'init':
      await init(command, edge);
      return 0;
    case 'token':
      printToken(edge);
      return 0;
    case 'capacity':
      await capacity(command, edge);
      return 0;
    case 'bench':
      return await bench(command, edge);
    case 'help':
      edge.stdout.write(helpTexts[command.topic]);
      return 0;
    case 'version':
      edge.stdout.write(`${createRequire(import.meta.url)('../package.json').version}\n`);
      return 0;
  }
}
