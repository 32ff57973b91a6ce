/*
 * An experiment is a list of cells and a way to measure one. Rounds repeat all cells in turns, so that what else the machine
 * does falls on all.
 *
 *   program -> Experiment.plan(asked) -> for each round, each cell: measure(cell, plan, lab) -> Cell -> result.ts -> report/
 *   { "measurement": "sse", "subject": "ldes-live", "at": { "clients": 10000 }, "repeat": 0,
 *     "values": { "cpuMicros": 12.3, "p99Ms": 147.2, "residentBytes": 123456789, "lost": 0, "doubled": 0 },
 *     "histograms": { "delay": "HISTFAAAA..." } }
 *
 * A ratio divides two cells of one round. A figure is the median of its rounds, with the least and the greatest.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cellText, type Figure, keyOf, type Ratio, type Where } from './figures.ts';
import { commonVersions, type HostWatch, thisMachine } from './machine.ts';
import type { Cell, CellPlan, Result } from './result.ts';

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

/** An experiment that the command can run. Values and places have names that end in their unit. */
export interface Experiment<Plan extends object = object> {
  readonly name: string;
  readonly title: string;
  /** What it measures, for the help and the report: one line of at most 65 characters. */
  readonly about: string;
  /** Address of what it repeats. */
  readonly source?: string;
  /** Names by which `--only` chooses: measurements of its cells, and other names of cells. */
  readonly measurements: readonly string[];
  /** Options that it honours, beside those that all have. */
  readonly options: readonly ('clients' | 'duration' | 'repeat' | 'mal')[];
  /** Why it cannot do what it is asked for alone, for whoever asked; with others, it does what it can. */
  refusal?(asked: Asked): string | undefined;
  /** The sizes that were asked for: JSON, all of it stated in the result. */
  plan(asked: Asked): Plan;
  /** All cells of a plan, in the order of a round. Those that `--only` leaves out are not measured. */
  cells(plan: Plan): readonly PlannedCell[];
  /** Measures one cell once. What it throws is the cell's failure: the others are measured all the same. */
  measure(cell: CellPlan, plan: Plan, lab: Lab): Promise<Measured | readonly Measured[] | Missing>;
  /** Versions of what takes part, beside Node.js and ldes-live. */
  versions?(): Readonly<Record<string, string>>;
  /** What two runs are compared by: as a rule ratios, since machines differ. */
  readonly ratios: readonly Ratio[];
  /** Tables and pictures, in the order of the page. */
  readonly views: readonly View[];
}

/** A cell that is to be measured. */
export interface PlannedCell extends CellPlan {
  /** Other names by which `--only` chooses it, beside its measurement. */
  readonly names?: readonly string[];
  /** In how many rounds. @defaultValue 1 */
  readonly repeats?: number;
  /** About how long a round of it takes. */
  readonly seconds: number;
}

/** What measuring a cell gave; several where it was a search, each with where it was (`at`, beside that of the cell). */
export interface Measured extends Omit<Cell, keyof CellPlan | 'repeat' | 'failed'>, Partial<CellPlan> {}

/** What the cell needs and this machine has not: `nginx`. It is named in the report, and not tried again. */
export type Missing = Readonly<Record<'missing', string>>;

/** The world as a measurement sees it. */
export interface Lab {
  /** A folder for the files of this cell, removed after it. */
  readonly folder: string;
  readonly seed: number;
  /** Number of the round, from 0. */
  readonly repeat: number;
  /** What this round has measured before this cell, for what builds on it. */
  readonly measured: readonly Cell[];
  /** Tells the person who waits; how much of this cell is done, in [0, 1]. */
  onProgress(line: string, share?: number): void;
  /**
   * What several cells use, such as a server process: started by the first that asks, closed when the experiment ends.
   *
   * @param start - takes a folder of its own, which is removed after the end
   */
  shared<Thing extends { close(): Promise<void> }>(
    name: string,
    start: (folder: string) => Promise<Thing>,
  ): Promise<Thing>;
}

/** Published figures, as data. */
export type Published = readonly PublishedFigure[];

/** One published figure, of the cells that it stands beside; in the unit of the value, as our cells have it. */
export interface PublishedFigure {
  readonly of: Where;
  /**
   * Name of the value that it is of, in a table the column after which it stands. Without one it is of a delay as a whole:
   * it stands in a last column, and in a density. Percentiles take those of a percentile: `p99Ms`, `maxMs`.
   */
  readonly value?: string;
  /** A number; two where it was published as a range. */
  readonly figure?: number | readonly [number, number];
  /** What was published in words, or what is to be said of the number: `under 1 s`, `as printed`. */
  readonly text?: string;
}

/**
 * Keys of cells (`subject`, `measurement`, names of places) with their titles; of series, what numbers of theirs are:
 * `{ subject: '', malSeconds: 's MAL' }`.
 */
export type Titles = Readonly<Record<string, string>>;

/** A figure with its title, and its unit: `Memory, MiB`. */
interface Column extends Figure {
  readonly title: string;
}

/** Columns by the names of their values; with `isTotal`, the sum of all rounds instead of their spread. */
export function columns(titles: Titles, isTotal = false): readonly Column[] {
  return Object.entries(titles).map(([value, title]) => ({ value, title, isTotal }));
}

/** The places of cells by a key. */
interface Axis {
  readonly key: string;
  readonly title: string;
  readonly isLog?: boolean;
}

/** What of all cells a table or a picture shows. */
interface Shown {
  readonly title: string;
  readonly of: Where;
  /** Shown beside ours: in tables in a column after that of its value, in pictures as points with a label. */
  readonly published?: Published;
}

/** A table or a picture, by names of values: no text about results. */
export type View = TableView | DensityView | PercentilesView | XYView;

/** A row for all rounds of each cell; its first columns are those of the keys. */
export interface TableView extends Shown {
  readonly kind: 'table';
  readonly rows: Titles;
  readonly columns: readonly Column[];
}

/** Densities of a delay in rows, such as one for each number of clients; `x` is the title of the axis, with `ms`. */
export interface DensityView extends Shown {
  readonly kind: 'density';
  readonly histogram: string;
  readonly x: string;
  readonly rows: Axis;
  readonly series: Titles;
}

/** Delays by percentile, the axis stretched towards 100 %. */
export interface PercentilesView extends Shown {
  readonly kind: 'percentiles';
  readonly histogram: string;
  readonly y: string;
  readonly series: Titles;
}

/** Lines or bars of a figure by a place, with the least and the greatest of its rounds. */
export interface XYView extends Shown {
  readonly kind: 'lines' | 'bars';
  readonly x: Axis;
  readonly y: Column & { readonly isLog?: boolean };
  readonly series: Titles;
}

/** The world as a run sees it. */
export interface RunEnvironment {
  readonly folder: string;
  /** The command line, for whoever repeats it. */
  readonly command: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly watchHost: () => Promise<HostWatch>;
  /** Told what was measured, and how much of the experiment is done, in [0, 1]. */
  readonly onProgress: (line: string, share: number) => void;
  /** Is given what there is after each round, so that what was measured outlives an interruption. */
  readonly onRound: (result: Result) => Promise<void>;
}

/** The cells that are asked for. */
export function askedCells(experiment: Experiment, asked: Asked): readonly PlannedCell[] {
  return experiment.cells(experiment.plan(asked)).filter(({ measurement, names = [] }) => {
    return asked.only.length === 0 || [measurement, ...names].some((name) => asked.only.includes(name));
  });
}

/** About how long some cells take in all their rounds. */
export function secondsOf(cells: readonly PlannedCell[]): number {
  return cells.reduce((sum, { seconds, repeats = 1 }) => sum + seconds * repeats, 0);
}

/** Runs an experiment: all cells of a round in turns, as many rounds as are planned. */
export async function runExperiment(
  experiment: Experiment,
  asked: Asked,
  environment: RunEnvironment,
): Promise<Result> {
  const { name, title, source } = experiment;
  const { quick, seed } = asked;
  const startedAtMs = environment.clock();
  const plan = experiment.plan(asked);
  const planned = askedCells(experiment, asked);
  const rounds = Math.max(0, ...planned.map(({ repeats = 1 }) => repeats));
  const host = await environment.watchHost();
  const [things, missing, cells] = [sharedThings(environment.folder), new Map<string, string>(), [] as Cell[]];
  const resultAfter = (wholeRounds: number): Result => {
    const lacking = [...new Set(missing.values())];
    return {
      ...{ format: 1, experiment: name, title, ...(source !== undefined && { source }), command: environment.command },
      startedAt: new Date(startedAtMs).toISOString(),
      tookSeconds: (environment.clock() - startedAtMs) / 1000,
      ...{ quick, seed, machine: thisMachine() },
      versions: { ...commonVersions(), ...experiment.versions?.() },
      plan: { ...(asked.only.length > 0 && { only: [...new Set(asked.only)].sort() }), ...plan },
      cells: [...cells],
      missing: lacking,
      warnings: [
        ...(quick ? ['Quick run: too few and too short rounds to quote a figure.'] : fewRepeats(planned)),
        ...(wholeRounds < rounds ? [`Interrupted: ${wholeRounds} rounds are whole.`] : []),
        ...hostWarnings(host),
        ...lacking.map((thing) => `Skipped, because it is not on this machine: ${thing}.`),
        ...cells.flatMap(cellWarnings),
      ],
    };
  };
  const allSeconds = secondsOf(planned);
  let doneSeconds = 0;
  try {
    for (let repeat = 0; repeat < rounds; repeat += 1) {
      const measured: Cell[] = [];
      for (const { seconds, measurement, subject, at } of planned.filter(({ repeats = 1 }) => repeat < repeats)) {
        const cell = { measurement, subject, at };
        const onProgress = (line: string, share = 0) =>
          environment.onProgress(line, (doneSeconds + Math.min(1, share) * seconds) / allSeconds);
        if (!missing.has(keyOf(cell))) {
          const folder = await mkdtemp(join(environment.folder, 'cell-'));
          const lab: Lab = { folder, seed, repeat, measured, shared: things.shared, onProgress };
          const found = await measuredCells(() => experiment.measure(cell, plan, lab), cell, repeat);
          await rm(folder, { recursive: true, force: true, maxRetries: 5 });
          if ('missing' in found) missing.set(keyOf(cell), found.missing);
          else measured.push(...found);
          onProgress(foundText(cell, found), 1);
        }
        doneSeconds += seconds;
      }
      cells.push(...measured);
      await environment.onRound(resultAfter(repeat + 1));
    }
  } finally {
    await things.close();
  }
  return resultAfter(rounds);
}

/** What measuring gave as cells; what it threw is the failure of its cell. */
async function measuredCells(
  measure: () => ReturnType<Experiment['measure']>,
  cell: CellPlan,
  repeat: number,
): Promise<readonly Cell[] | Missing> {
  try {
    const found = await measure();
    if ('missing' in found) return found;
    return [found].flat().map((one) => ({ ...cell, ...one, at: { ...cell.at, ...one.at }, repeat }));
  } catch (error) {
    return [{ ...cell, repeat, values: {}, failed: error instanceof Error ? error.message : String(error) }];
  }
}

/** What cells share: started once, closed in the opposite order. */
function sharedThings(folder: string) {
  const things = new Map<string, Promise<{ close(): Promise<void> }>>();
  return {
    shared: <Thing extends { close(): Promise<void> }>(name: string, start: (folder: string) => Promise<Thing>) => {
      const thing = things.get(name) ?? mkdtemp(join(folder, 'shared-')).then(start);
      things.set(name, thing);
      return thing as Promise<Thing>;
    },
    close: async () => {
      // One that did not start has told so to the cells that asked for it.
      for (const thing of [...things.values()].reverse()) await (await thing.catch(() => undefined))?.close();
    },
  };
}

const VALUES_TOLD = 3;

/** The first values of the last cell, or why there are none. */
function foundText(cell: CellPlan, found: readonly Cell[] | Missing): string {
  if ('missing' in found) return `${cellText(cell)}: ${found.missing} is not on this machine`;
  const { values = {}, failed, refused } = found.at(-1) ?? {};
  const told = Object.entries(values).slice(0, VALUES_TOLD);
  const text = told.map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`).join(', ');
  return `${cellText(cell)}: ${failed === undefined ? (refused ?? text) : `failed, ${failed}`}`;
}

const ENOUGH_REPEATS = 3;

function fewRepeats(planned: readonly PlannedCell[]): readonly string[] {
  const few = planned.filter(({ repeats = 1 }) => repeats < ENOUGH_REPEATS);
  const byMeasurement = new Map(few.map(({ measurement, repeats = 1 }) => [measurement, repeats]));
  return [...byMeasurement].map(([of, repeats]) => `Repeats of ${of}: ${repeats}; fewer than 3 show no spread.`);
}

/** How many cores other programs may keep busy without a word about it. */
const BUSY_CORES = 0.5;
/** Which share of the CPU time that was wanted the host may take without a word about it. */
const STOLEN_SHARE = 0.02;

function hostWarnings({ busyCores, stolenShare }: HostWatch): readonly string[] {
  const stolen = stolenShare();
  const percent = `${(stolen * 100).toFixed(1)} %`;
  return [
    ...(thisMachine().pinned ? [] : ['Server and load shared cores.']),
    ...(busyCores > BUSY_CORES ? [`Other programs kept ${busyCores.toFixed(1)} cores busy when it began.`] : []),
    ...(stolen > STOLEN_SHARE ? [`The host took ${percent} of the CPU time that programs wanted.`] : []),
  ];
}

function cellWarnings(cell: Cell): readonly string[] {
  const name = `${cellText(cell)}, round ${cell.repeat + 1}`;
  return [
    ...(cell.failed === undefined ? [] : [`Failed: ${name}: ${cell.failed}.`]),
    ...(cell.refused === undefined ? [] : [`Refused: ${name}: ${cell.refused}.`]),
  ];
}

/**
 * The highest of so many ascending levels that holds: goes up, or down, until one fails above one that holds, and halves what
 * is between.
 *
 * @param start.at - index of the first level that is tried
 * @param start.stride - how many levels it goes up or down until the limit is between two: 1 or more
 * @param start.attempts - how often a level is tried before it counts as failed: one hiccup is not a limit
 * @returns its index; -1 where none holds
 */
export async function searchMaximum(
  levels: number,
  { at, stride, attempts }: Readonly<Record<'at' | 'stride' | 'attempts', number>>,
  holds: (index: number) => Promise<boolean>,
): Promise<number> {
  let [low, high, index] = [-1, levels, Math.min(Math.max(at, 0), levels - 1)];
  while (high - low > 1) {
    let isHeld = false;
    for (let attempt = 0; attempt < attempts && !isHeld; attempt += 1) isHeld = await holds(index);
    if (isHeld) low = index;
    else high = index;
    if (high === levels) index = Math.min(low + stride, levels - 1);
    else index = low < 0 ? Math.max(high - stride, 0) : Math.floor((low + high) / 2);
  }
  return low;
}
