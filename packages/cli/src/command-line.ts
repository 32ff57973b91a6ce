import { parseArgs } from 'node:util';
import { isStreamError, parseCursor } from '@ldes-live/rdf-stream';
import { DEFAULT_CHECK_LIMITS } from './check/check-limits.ts';
import { errors } from './errors.ts';

/** How `follow` prints what it reads. */
type FollowFormat = 'summary' | 'jsonld' | 'nq';

/** How `check` prints what it finds. */
type CheckFormat = 'text' | 'json';

/** What `serve` was asked for. */
export interface ServeCommand {
  readonly kind: 'serve';
  /** Path of the configuration; the demonstration when absent. */
  readonly configFile?: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly host: string;
  /** How many processes hold the push connections; the one that has the logs when absent. */
  readonly workers?: number;
}

/** What `follow` was asked for. */
export interface FollowCommand {
  readonly kind: 'follow';
  readonly url: string;
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  /** `latest`, `start`, `now` or a cursor; absent when not said. */
  readonly from?: string;
  readonly format: FollowFormat;
  /** After how many changes to end; never when absent. */
  readonly count?: number;
  /** Path of the file that keeps the position. */
  readonly stateFile?: string;
}

/** What `check` was asked for. */
export interface CheckCommand {
  readonly kind: 'check';
  /** Of the stream, the root, or an overview. */
  readonly url: string;
  /** The most pages to read. */
  readonly pages: number;
  readonly format: CheckFormat;
}

/** What the command line asks for. */
export type Command =
  | ServeCommand
  | FollowCommand
  | CheckCommand
  | { readonly kind: 'help'; readonly topic: 'ldes-live' | 'serve' | 'follow' | 'check' }
  | { readonly kind: 'version' };

const FORMATS: readonly FollowFormat[] = ['summary', 'jsonld', 'nq'];
const CHECK_FORMATS: readonly CheckFormat[] = ['text', 'json'];

/** More processes than any machine has processors for. */
const MOST_WORKERS = 256;

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/**
 * Reads the arguments of `ldes-live`.
 *
 * @param args - without the names of the interpreter and the script
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseCommandLine(args: readonly string[]): Command {
  const [command, ...rest] = args;
  if (command === 'serve') return parseServe(rest);
  if (command === 'follow') return parseFollow(rest);
  if (command === 'check') return parseCheck(rest);
  if (command === undefined || command === '--help' || command === '-h') return { kind: 'help', topic: 'ldes-live' };
  if (command === '--version') return { kind: 'version' };
  throw usage('ldes-live', `"${command}" is no command: the commands are serve, follow and check.`);
}

function parseServe(args: string[]): Command {
  const command = 'ldes-live serve';
  const text = { type: 'string' } as const;
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: { ...HELP, demo: { type: 'boolean' }, port: text, host: text, workers: text },
    }),
  );
  if (values.help) return { kind: 'help', topic: 'serve' };
  const [configFile] = positionals;
  if (positionals.length > 1) throw usage(command, `One configuration can be served, not ${positionals.length}.`);
  if (values.demo === true && configFile !== undefined) {
    throw usage(command, `Both ${configFile} and --demo were given: choose one.`);
  }
  if (!values.demo && configFile === undefined) throw usage(command, 'Give a configuration file, or --demo.');
  return {
    kind: 'serve',
    ...(configFile !== undefined && { configFile }),
    port: integer(command, '--port', values.port ?? '3000', 0, 65_535),
    host: values.host ?? '127.0.0.1',
    ...(values.workers !== undefined && { workers: integer(command, '--workers', values.workers, 1, MOST_WORKERS) }),
  };
}

function parseFollow(args: string[]): Command {
  const command = 'ldes-live follow';
  const text = { type: 'string' } as const;
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: { ...HELP, mal: text, from: text, format: text, count: text, state: text },
    }),
  );
  if (values.help) return { kind: 'help', topic: 'follow' };
  const [url] = positionals;
  if (url === undefined || positionals.length > 1) throw usage(command, 'Give the URL of one stream.');
  if (values.mal === undefined) throw usage(command, 'Give --mal: how late an update may be, in seconds.');
  return {
    kind: 'follow',
    url,
    mal: seconds(command, values.mal),
    ...(values.from !== undefined && { from: start(command, values.from) }),
    format: oneOf(command, values.format ?? 'summary', FORMATS),
    ...(values.count !== undefined && {
      count: integer(command, '--count', values.count, 1, Number.MAX_SAFE_INTEGER),
    }),
    ...(values.state !== undefined && { stateFile: values.state }),
  };
}

function parseCheck(args: string[]): Command {
  const command = 'ldes-live check';
  const text = { type: 'string' } as const;
  const { values, positionals } = parsed(command, () =>
    parseArgs({ args, allowPositionals: true, options: { ...HELP, pages: text, format: text } }),
  );
  if (values.help) return { kind: 'help', topic: 'check' };
  const [url] = positionals;
  if (url === undefined || positionals.length > 1) throw usage(command, 'Give the URL of one stream.');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw usage(command, `"${url}" is no URL of HTTP: give one such as http://localhost:3000/vehicles.`);
  }
  return {
    kind: 'check',
    url,
    pages: integer(command, '--pages', values.pages ?? String(DEFAULT_CHECK_LIMITS.pages), 1, 100_000),
    format: oneOf(command, values.format ?? 'text', CHECK_FORMATS),
  };
}

/** What `parseArgs` finds wrong, in our words: its advice for arguments that start with "-" is left out. */
function parsed<Result>(command: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw usage(command, `${(error as Error).message.split('. ')[0]}.`);
  }
}

function integer(command: string, option: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw usage(command, `${option} is "${text}": give an integer from ${least} to ${most}.`);
}

function seconds(command: string, text: string): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw usage(command, `--mal is "${text}": give seconds, a number above 0 such as 10 or 0.5.`);
}

function oneOf<Choice extends string>(command: string, text: string, choices: readonly Choice[]): Choice {
  const known = choices.find((candidate) => candidate === text);
  if (known === undefined) throw usage(command, `--format is "${text}": give one of ${choices.join(', ')}.`);
  return known;
}

function start(command: string, text: string): string {
  if (text === 'latest' || text === 'start' || text === 'now') return text;
  try {
    parseCursor(text);
    return text;
  } catch (error) {
    if (!isStreamError(error)) throw error;
    throw usage(command, `--from is "${text}": give latest, start, now, or a cursor such as "k3x9a-42".`);
  }
}

function usage(command: string, problem: string) {
  return errors.ERR_USAGE({ command, problem });
}
