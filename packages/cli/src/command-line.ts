import { type BenchCommand, parseBench } from './command-line/bench-command.ts';
import { type CapacityCommand, parseCapacity } from './command-line/capacity-command.ts';
import { type CheckCommand, parseCheck } from './command-line/check-command.ts';
import { type FollowCommand, parseFollow } from './command-line/follow-command.ts';
import { type InitCommand, parseInit } from './command-line/init-command.ts';
import { type MapCommand, parseMap } from './command-line/map-command.ts';
import { usage } from './command-line/option-values.ts';
import { parseQuery, type QueryCommand } from './command-line/query-command.ts';
import { parseServe, type ServeCommand } from './command-line/serve-command.ts';
import { parseToken, type TokenCommand } from './command-line/token-command.ts';

type RunCommand =
  | ServeCommand
  | FollowCommand
  | QueryCommand
  | CheckCommand
  | MapCommand
  | InitCommand
  | TokenCommand
  | CapacityCommand
  | BenchCommand;

/** What the command line asks for. */
export type Command =
  | RunCommand
  | { readonly kind: 'help'; readonly topic: 'ldes-live' | CommandName }
  | { readonly kind: 'version' };

type CommandName = keyof typeof PARSERS;

/** The commands, as messages name them. */
const PARSERS = {
  serve: parseServe,
  follow: parseFollow,
  query: parseQuery,
  check: parseCheck,
  init: parseInit,
  map: parseMap,
  token: parseToken,
  capacity: parseCapacity,
  bench: parseBench,
} as const satisfies Record<string, (args: string[]) => RunCommand | 'help'>;

/**
 * Reads the arguments of `ldes-live`.
 *
 * @param args - without the names of the interpreter and the script
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseCommandLine(args: readonly string[]): Command {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') return { kind: 'help', topic: 'ldes-live' };
  if (name === '--version') return { kind: 'version' };
  if (!isCommand(name)) {
    throw usage(
      'ldes-live',
      `"${name}" is no command: the commands are serve, follow, query, check, init, map, token, capacity and bench.`,
    );
  }
  const command = PARSERS[name](rest);
  return command === 'help' ? { kind: 'help', topic: name } : command;
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(PARSERS, name);
}
