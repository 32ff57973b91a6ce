/* The command line. Options, checks and help of a command stand together, and the help is made of them.
 *
 *   ['follow', 'http://a/s', '--mal', '10'] -> commander -> { url: 'http://a/s', mal: 10, format: 'summary', filter: {} }
 *     -> follow(options, environment) -> the exit code
 *
 * An action imports its command when it runs, so that `follow` loads no server and `--help` next to nothing. Whatever makes
 * no sense is ERR_USAGE, with exit code 2. Packages that people may leave out are named where they are missing. */
import { createRequire } from 'node:module';
import { Command, type CommanderError, InvalidArgumentError, type Option } from 'commander';
import { addCommands, after } from './commands.ts';
import { withoutUsers } from './config/forms.ts';
import type { Environment } from './environment.ts';
import { errors, isNotInstalled } from './errors.ts';
import { printText, TextOutput } from './terminal.ts';

// By a name that is no literal: the benchmarks depend on this package, so that it cannot depend on them.
const BENCH: string = '@ldes-live/bench';
const QUERY = '@ldes-live/query';

/** What loads each command: a function of its options and the environment, to the exit code, 0 where that is left out. */
const COMMANDS = {
  serve: async () => (await import('./serve/serve.ts')).serve,
  follow: async () => (await import('./follow/follow.ts')).follow,
  query: async () => (await import('./query/query.ts')).query,
  check: async () => (await import('./check/check.ts')).check,
  init: async () => (await import('./init/init.ts')).init,
  map: async () => (await import('./map.ts')).map,
  printPreset: async () => (await import('./map.ts')).printPreset,
  listPresets: async () => (await import('./map.ts')).listPresets,
  token: async () => (await import('./token.ts')).printToken,
  verify: async () => (await import('./verify.ts')).verify,
  schema: async () => (await import('./config/schema.ts')).printSchema,
  capacity: async () => (await import('./capacity/capacity.ts')).capacity,
  bench: async () => {
    const { bench } = await import(BENCH);
    return async (args: readonly string[], { stdout, stderr, interrupted }: Environment): Promise<number> => {
      const output = new TextOutput(stdout);
      let written = Promise.resolve();
      const write = (text: string): void => {
        written = output.write(text);
      };
      const exitCode = await bench(args, { stdout: { write }, stderr, interrupted });
      await written;
      output.close();
      return exitCode;
    };
  },
};

export type Commands = typeof COMMANDS;
type Run = (options: unknown, environment: Environment) => Promise<number | undefined>;

export type RunCommand = <Name extends keyof Commands>(
  name: Name,
  options: Parameters<Awaited<ReturnType<Commands[Name]>>>[0],
) => Promise<void>;

/**
 * Runs what the arguments ask for, to its exit code. ERR_USAGE: they make no command; ERR_BENCH_MISSING, ERR_QUERY_MISSING:
 * it needs a package.
 */
export async function runProgram(
  args: readonly string[],
  environment: Environment,
  commands = COMMANDS,
): Promise<number> {
  let exitCode = 0;
  let help = '';
  const run: RunCommand = async (name, options) => {
    const runLoaded = (await commands[name]()) as Run;
    exitCode = (await runLoaded(options, environment)) ?? 0;
  };
  const program = programOf(run, (text) => {
    help += text;
  });
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
  } catch (error) {
    if (isNotInstalled(`${BENCH}'`, error)) throw errors.ERR_BENCH_MISSING({ package: BENCH }, error);
    if (isNotInstalled(`${QUERY}'`, error)) throw errors.ERR_QUERY_MISSING({ package: QUERY }, error);
    // Help and the version end a command by an error as well.
    if ((error as Partial<CommanderError>).exitCode !== 0) throw error;
    await printText(environment.stdout, help);
  }
  return exitCode;
}

function programOf(run: RunCommand, writeOut: (text: string) => void): Command {
  const program = new Command('ldes-live')
    .description('Publishes live data as linked data, and follows, queries and checks it.')
    .version(createRequire(import.meta.url)('../package.json').version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name(), optionDescription })
    .configureOutput({
      writeOut,
      // A mistake is thrown, and printed once.
      writeErr: () => {},
      getOutHelpWidth: () => 80,
      getOutHasColors: () => false,
    });
  throwUsage(program, 'ldes-live');
  after(program, [
    'ldes-live COMMAND --help prints the options of a command and an example.',
    'Example: ldes-live serve --demo',
  ]);
  const command = (name: string, summary: string, usageText?: string) => {
    const made = program.command(name).description(summary);
    if (usageText !== undefined) made.usage(usageText);
    throwUsage(made, `ldes-live ${name}`);
    return made;
  };
  addCommands(command, run);
  for (const { options } of program.commands)
    for (const option of options) if (option.required) refuseForgotten(option);
  return program;
}

/** Has an option refuse a value that is empty, or an option itself: the one that it should have had was forgotten. */
function refuseForgotten(option: Option): void {
  const read = option.parseArg ?? ((text: string) => text);
  option.argParser((text: string, earlier: unknown) => {
    if (text === '') throw new InvalidArgumentError('The value is empty. Give a value.');
    if (text.startsWith('--')) throw new InvalidArgumentError('The next argument is another option. Give a value.');
    return read(text, earlier);
  });
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
    // Its own text for help that was not asked for is "(outputHelp)".
    const message = error.code === 'commander.help' ? 'give a command' : error.message;
    const [first = '', ...hints] = withoutUsers(message)
      .replace(/^error: /, '')
      .split('\n');
    const problem = [first[0]?.toUpperCase() + first.slice(1), ...hints].join(' ');
    throw errors.ERR_USAGE({ command: name, problem: /[.?)]$/.test(problem) ? problem : `${problem}.` });
  });
}
