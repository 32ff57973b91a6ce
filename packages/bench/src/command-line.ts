import { parseArgs } from 'node:util';
import type { Asked, Experiment, ExperimentOption } from './experiment.ts';
import { givenOptions, OPTIONS, UsageMistake, type Values } from './options.ts';

/** What the command line asks for. */
export type BenchCommand =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'run';
      /** In their order, each with what it is asked for. */
      readonly runs: readonly ExperimentRun[];
      /** Where to write reports. */
      readonly out?: string;
    };

/** An experiment, and what it is asked for. */
export interface ExperimentRun {
  readonly experiment: Experiment;
  readonly asked: Asked;
}

/** The experiments that there are. */
export interface Catalogue {
  readonly experiments: readonly Experiment[];
  /** Names of those that `all` leaves out. */
  readonly beyondAll: readonly string[];
}

const ALL = 'all';

/**
 * Reads the arguments of the benchmark command.
 *
 * @param args - without the names of the interpreter and the script
 * @throws {@link UsageMistake} - they make no command
 */
export function parseBench(args: readonly string[], catalogue: Catalogue): BenchCommand {
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: 'help' };
  const experiments = chosen(positionals, catalogue);
  const given = givenOptions(values);
  const only = values.only ?? [];
  checkOnly(only, positionals[0] as string, experiments);
  for (const option of Object.keys(given.options) as ExperimentOption[]) {
    if (experiments.every((experiment) => !has(experiment, option))) {
      throw new UsageMistake(`${positionals[0]} has no option --${option}.`);
    }
  }
  const runs = experiments.map((experiment) => ({ experiment, asked: askedOf(experiment, given, only) }));
  if (positionals[0] !== ALL) checkRefusal(runs[0] as ExperimentRun);
  return { kind: 'run', runs, ...(values.out !== undefined && { out: values.out }) };
}

function parsed(args: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // Its advice for arguments that begin with "-" is of no use here.
    throw new UsageMistake(`${(error as Error).message.split('. ')[0]}.`.replace(/\.+$/, '.'));
  }
}

function chosen([name, ...others]: readonly string[], { experiments, beyondAll }: Catalogue): readonly Experiment[] {
  const names = `${experiments.map((experiment) => experiment.name).join(', ')}, or ${ALL}`;
  if (name === undefined) throw new UsageMistake(`Give an experiment: ${names}.`);
  if (others.length > 0) throw new UsageMistake(`Give one experiment, or ${ALL}, not ${others.length + 1}.`);
  if (name === ALL) return experiments.filter((experiment) => !beyondAll.includes(experiment.name));
  const experiment = experiments.find((candidate) => candidate.name === name);
  if (!experiment) throw new UsageMistake(`"${name}" is no experiment: give one of ${names}.`);
  return [experiment];
}

function checkOnly(only: readonly string[], name: string, experiments: readonly Experiment[]): void {
  if (only.length === 0) return;
  if (name === ALL) throw new UsageMistake('--only goes with one experiment, not with all.');
  const measurements = experiments.flatMap((experiment) => experiment.measurements);
  if (measurements.length === 0) throw new UsageMistake(`${name} has no measurements to choose from by --only.`);
  const unknown = only.find((measurement) => !measurements.includes(measurement));
  if (unknown !== undefined) {
    throw new UsageMistake(`--only is "${unknown}": the measurements of ${name} are ${measurements.join(', ')}.`);
  }
}

function checkRefusal({ experiment, asked }: ExperimentRun): void {
  const refusal = experiment.refusal?.(asked);
  if (refusal !== undefined) throw new UsageMistake(refusal);
}

/** What an experiment that is one of several is asked for: without the options that it does not have. */
function askedOf(experiment: Experiment, given: ReturnType<typeof givenOptions>, only: readonly string[]): Asked {
  const options = Object.entries(given.options).filter(([option]) => has(experiment, option as ExperimentOption));
  const fields: Partial<Asked> = Object.assign({}, ...options.map(([, field]) => field));
  return { quick: given.quick, seed: given.seed, only, ...fields };
}

function has(experiment: Experiment, option: ExperimentOption): boolean {
  return experiment.options?.includes(option) ?? false;
}
