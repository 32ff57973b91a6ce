/* The command line. Options, checks and help of a command stand together, and the help is made of them.
 *
 *   ['follow', 'http://a/s', '--mal', '10'] -> commander -> { url: 'http://a/s', mal: 10, format: 'summary', filter: {} }
 *     -> commands.follow(options, environment) -> the exit code
 *
 * An action imports its command when it runs, so that `follow` loads no server and `--help` next to nothing. Whatever makes
 * no sense is ERR_USAGE, with exit code 2. Packages that people may leave out are named where they are missing. */
import { createRequire } from 'node:module';
import { Command, type CommanderError, type Option } from 'commander';
import type { CapacityOptions } from './capacity/capacity.ts';
import type { CheckOptions } from './check/check.ts';
import { addCommands, after } from './commands.ts';
import type { Environment } from './environment.ts';
import { errors } from './errors.ts';
import type { FollowOptions } from './follow/follow.ts';
import type { InitOptions } from './init/init.ts';
import type { MapOptions } from './map.ts';
import type { QueryOptions } from './query/query.ts';
import type { ServeOptions } from './serve/serve.ts';

type Run<Options> = (options: Options, environment: Environment) => Promise<number | undefined> | Promise<void>;

/** What runs a command once its options are known; resolves to the exit code, 0 where that is left out. */
export interface Commands {
  serve: Run<ServeOptions>;
  follow: Run<FollowOptions>;
  query: Run<QueryOptions>;
  check: Run<CheckOptions>;
  init: Run<InitOptions>;
  map: Run<MapOptions>;
  printPreset: Run<{ readonly preset: string }>;
  listPresets: Run<unknown>;
  token: Run<unknown>;
  schema: Run<unknown>;
  capacity: Run<CapacityOptions>;
  bench: Run<readonly string[]>;
}

// By a name that is no literal: the benchmarks depend on this package, so that it cannot depend on them.
const BENCH: string = '@ldes-live/bench';
const QUERY = '@ldes-live/query';

const COMMANDS: Commands = {
  serve: async (options, environment) => (await import('./serve/serve.ts')).serve(options, environment),
  follow: async (options, environment) => (await import('./follow/follow.ts')).follow(options, environment),
  query: async (options, environment) => (await import('./query/query.ts')).query(options, environment),
  check: async (options, environment) => (await import('./check/check.ts')).check(options, environment),
  init: async (options, environment) => (await import('./init/init.ts')).init(options, environment),
  map: async (options, environment) => (await import('./map.ts')).map(options, environment),
  printPreset: async (options, environment) => (await import('./map.ts')).printPreset(options, environment),
  listPresets: async (_, environment) => (await import('./map.ts')).listPresets(environment),
  token: async (_, environment) => (await import('./token.ts')).printToken(environment),
  schema: async (_, { stdout }) => {
    const [{ configJsonSchema }, { TextOutput }] = await Promise.all([
      import('./config/schema.ts'),
      import('./terminal.ts'),
    ]);
    // A reader that has enough, such as `head`, is no error.
    const output = new TextOutput(stdout);
    await output.write(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
    output.close();
  },
  capacity: async (options, environment) => (await import('./capacity/capacity.ts')).capacity(options, environment),
  bench: async (args, { stdout, stderr, interrupted }) =>
    (await import(BENCH)).bench(args, { stdout, stderr, interrupted }),
};

/**
 * Runs what the arguments ask for.
 *
 * @param args - without the names of the interpreter and the script
 * @returns the exit code
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 * @throws {@link StreamError} `ERR_BENCH_MISSING`, `ERR_QUERY_MISSING` - a package is not installed that the command needs
 * @throws {@link StreamError} what the command throws
 */
export async function runProgram(
  args: readonly string[],
  environment: Environment,
  commands: Commands = COMMANDS,
): Promise<number> {
  let exitCode = 0;
  const program = programOf(environment, async (name, options) => {
    exitCode = (await (commands[name] as Run<unknown>)(options, environment)) ?? 0;
  });
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
  } catch (error) {
    if (isMissing(BENCH, error)) throw errors.ERR_BENCH_MISSING({ package: BENCH }, error);
    if (isMissing(QUERY, error)) throw errors.ERR_QUERY_MISSING({ package: QUERY }, error);
    // Help and the version end a command by an error as well.
    if ((error as Partial<CommanderError>).exitCode !== 0) throw error;
  }
  return exitCode;
}

/** Whether a package itself is not there, rather than something that it needs. */
function isMissing(name: string, error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${name}'`);
}

/** Has a command run with its options. */
export type RunCommand = <Name extends keyof Commands>(
  name: Name,
  options: Parameters<Commands[Name]>[0],
) => Promise<void>;

function programOf({ stdout }: Environment, run: RunCommand): Command {
  const program = new Command('ldes-live')
    .description('Publishes live data as linked data, follows it, asks it, and checks it.')
    .version(createRequire(import.meta.url)('../package.json').version, '--version', 'print the version')
    .helpOption('-h, --help', 'print what the options mean')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name(), optionDescription })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // A mistake is thrown, and printed once.
      writeErr: () => {},
      getOutHelpWidth: () => 80,
      getOutHasColors: () => false,
    });
  throwUsage(program, 'ldes-live');
  after(program, [
    'ldes-live COMMAND --help has the options of a command, and an example.',
    'Example: ldes-live serve --demo',
  ]);
  const command = (name: string, summary: string, usageText?: string) => {
    const made = program.command(name).description(summary);
    if (usageText !== undefined) made.usage(usageText);
    throwUsage(made, `ldes-live ${name}`);
    return made;
  };
  addCommands(command, run);
  return program;
}

// Shorter than commander's own, so that an option takes a line.
function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const preset = typeof defaultValue === 'boolean' ? undefined : defaultValue;
  const notes = [argChoices?.join(', '), preset !== undefined && `default ${preset}`].filter(Boolean);
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** Has what commander finds wrong thrown as `ERR_USAGE`, in its words: "error: unknown option '--prot'\n(Did you ...?)". */
function throwUsage(command: Command, name: string): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    const [first = '', ...hints] = error.message.replace(/^error: /, '').split('\n');
    const problem = [first[0]?.toUpperCase() + first.slice(1), ...hints].join(' ');
    throw errors.ERR_USAGE({ command: name, problem: /[.?)]$/.test(problem) ? problem : `${problem}.` });
  });
}
