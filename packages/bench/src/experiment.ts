import type { Report } from './report/report.ts';

/** What an experiment was asked for on the command line. */
export interface Asked {
  /** Fewer and shorter rounds: to see that it works. */
  readonly quick: boolean;
  /** Names of measurements; all when empty. */
  readonly only: readonly string[];
  /** Numbers of clients instead of those of the plan. */
  readonly clients?: readonly number[];
  /** How long each measurement lasts, instead of what the plan has, seconds. */
  readonly durationSeconds?: number;
  /** Rounds, instead of what the plan has. */
  readonly repeats?: number;
  /** MALs of the polling clients, where the experiment has such, instead of those of the plan, seconds. */
  readonly malSeconds?: readonly number[];
  /** What all random numbers come from. */
  readonly seed: number;
}

/**
 * Is told when something has been measured.
 *
 * @param line - what, and what came of it
 * @param share - how much of the experiment is done, in [0, 1]
 */
export type OnProgress = (line: string, share: number) => void;

/** The world as an experiment sees it. */
export interface ExperimentEdge {
  /** A folder for its files, which is removed after it. */
  readonly folder: string;
  readonly onProgress: OnProgress;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
}

/** An option that not every experiment has. */
export type ExperimentOption = 'clients' | 'duration' | 'repeat' | 'mal';

/** An experiment that the command can run. */
export interface Experiment {
  readonly name: string;
  /** What it measures, for the help: one line of at most 90 characters. */
  readonly about: string;
  /** Names of measurements that can be run alone. */
  readonly measurements: readonly string[];
  /** Options that it honours, beside those that all have. @defaultValue none */
  readonly options?: readonly ExperimentOption[];
  /** About how long it takes, seconds, by which `all` tells the time left. */
  readonly expectedSeconds: (asked: Asked) => number;
  /** Why it cannot do what it is asked for, for whoever wrote it; of several experiments, each does what it can. */
  readonly refusal?: (asked: Asked) => string | undefined;
  readonly run: (asked: Asked, edge: ExperimentEdge) => Promise<Report>;
}
