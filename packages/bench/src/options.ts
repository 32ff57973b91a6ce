import type { parseArgs } from 'node:util';
import type { Asked, ExperimentOption } from './experiment.ts';

/** What is wrong with a command line, for whoever wrote it. */
export class UsageMistake extends Error {}

/** The options of the command, as `parseArgs` takes them. */
export const OPTIONS = {
  quick: { type: 'boolean' },
  clients: { type: 'string' },
  duration: { type: 'string' },
  repeat: { type: 'string' },
  mal: { type: 'string' },
  only: { type: 'string', multiple: true },
  seed: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Their values, as text. */
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

/** What was given: what all experiments have, and what only some have, by the option that gave it. */
export interface GivenOptions extends Pick<Asked, 'quick' | 'seed'> {
  readonly options: Readonly<Partial<Record<ExperimentOption, Partial<Asked>>>>;
}

/** Where nobody gives another. */
export const DEFAULT_SEED = 1;
const MOST_CLIENTS = 100_000;
const MOST_SECONDS = 86_400;
const MOST_REPEATS = 1000;
const MOST_SEED = 2 ** 32 - 1;

/**
 * Reads the values of options.
 *
 * @throws {@link UsageMistake} - one makes no sense
 */
export function givenOptions({ quick, clients, duration, repeat, mal, seed, out }: Values): GivenOptions {
  if (out === '') throw new UsageMistake('--out is empty: give a folder.');
  return {
    quick: quick ?? false,
    seed: seed === undefined ? DEFAULT_SEED : whole('--seed', seed, 0, MOST_SEED),
    options: {
      ...(clients !== undefined && {
        clients: { clients: listed(clients, (text) => whole('--clients', text, 1, MOST_CLIENTS)) },
      }),
      ...(duration !== undefined && { duration: { durationSeconds: positive('--duration', duration) } }),
      ...(repeat !== undefined && { repeat: { repeats: whole('--repeat', repeat, 1, MOST_REPEATS) } }),
      ...(mal !== undefined && { mal: { malSeconds: listed(mal, (text) => positive('--mal', text)) } }),
    },
  };
}

/** Each value once. */
function listed<Value>(text: string, read: (part: string) => Value): readonly Value[] {
  return [...new Set(text.split(',').map((part) => read(part.trim())))];
}

function whole(option: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const many = option === '--clients' ? 'whole numbers' : 'a whole number';
  const form = option === '--clients' ? ', with commas between them' : '';
  throw new UsageMistake(`${option} has "${text}": give ${many} from ${least} to ${most}${form}.`);
}

function positive(option: string, text: string): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= MOST_SECONDS) return value;
  const form = option === '--mal' ? ', with commas between several' : '';
  throw new UsageMistake(`${option} has "${text}": give seconds, above 0 and up to ${MOST_SECONDS}${form}.`);
}
