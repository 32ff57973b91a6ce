import type { ParseArgsConfig } from 'node:util';
import { errors } from '../errors.ts';

/** The option that every command has. */
export const HELP = { help: { type: 'boolean', short: 'h' } } as const satisfies ParseArgsConfig['options'];

/** An option with a value. */
export const TEXT = { type: 'string' } as const;

/** An option with a value that may be given again and again. */
export const TEXTS = { type: 'string', multiple: true } as const;

/** What `parseArgs` finds wrong, in our words: its advice for arguments that start with "-" is left out. */
export function parsed<Result>(command: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw usage(command, `${(error as Error).message.split('. ')[0]}.`);
  }
}

/** An integer of a range, both ends included. */
export function integer(command: string, option: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw usage(command, `${option} is "${text}": give an integer from ${least} to ${most}.`);
}

/** A MAL, or another time; an option named other than --mal is named by `option`. */
export function seconds(command: string, text: string, option = '--mal'): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw usage(command, `${option} is "${text}": give seconds, a number above 0 such as 10 or 0.5.`);
}

/** One of several words; an option named other than --format is named by `option`. */
export function oneOf<Choice extends string>(
  command: string,
  text: string,
  choices: readonly Choice[],
  option = '--format',
): Choice {
  const known = choices.find((candidate) => candidate === text);
  if (known === undefined) throw usage(command, `${option} is "${text}": give one of ${choices.join(', ')}.`);
  return known;
}

/** The mistake of a command line. */
export function usage(command: string, problem: string) {
  return errors.ERR_USAGE({ command, problem });
}

/** Whether a text is the URL of something that HTTP serves. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
