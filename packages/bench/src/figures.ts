/*
 * Figures out of cells: which cells are meant, the spread of their rounds, and ratios.
 *
 *   cells of all rounds -> rowsOf (one row for all rounds of a cell) -> figureOf (median, least and greatest of the rounds)
 *   { value: 'cpuMicros', over: { subject: 'Express' } }   // CPU time, divided by that of Express at the same place
 *
 * A ratio divides two cells of one round, so that what else the machine did fell on both. Percentiles are never averaged:
 * the histograms of rounds are added.
 */
import type { Cell, CellPlan } from './result.ts';

/** What repeats of one measurement gave. */
export type Spread = Readonly<Record<'median' | 'min' | 'max' | 'repeats', number>>;

type Match = number | string | readonly (number | string)[] | { readonly from?: number; readonly to?: number };

/** Which cells are meant: what is left out may be anything. */
export interface Where {
  readonly measurement?: string | readonly string[];
  readonly subject?: string | readonly string[];
  readonly at?: Readonly<Record<string, Match>>;
}

/** A figure of a cell. */
export interface Figure {
  /** Name of a value, which ends in its unit: `p99Ms`. */
  readonly value: string;
  /** How many of its unit make one of what is shown: 1024 for bytes in KiB. @defaultValue 1 */
  readonly per?: number;
  /** Divides it by the value of another cell of the same round: where that differs from this one. */
  readonly over?: Partial<CellPlan>;
  /** Name of the other cell's value where it is another one. */
  readonly overValue?: string;
  /** The sum of all rounds instead of their spread: for counts of what went wrong. */
  readonly isTotal?: boolean;
}

/** A figure by which runs are compared. */
export interface Ratio extends Figure {
  readonly of: Where;
}

/** The spread of at least one measurement. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  // Of two it is the upper one: a mean of percentiles is not a percentile.
  const median = sorted[Math.floor(sorted.length / 2)] as number;
  return { median, min: sorted[0] as number, max: sorted.at(-1) as number, repeats: sorted.length };
}

/** Whether a cell is one of those that are meant. */
export function isMeant(cell: CellPlan, { at, ...where }: Where): boolean {
  return Object.entries<Match | undefined>({ ...where, ...at }).every(([key, match]) =>
    fits(fieldOf(cell, key), match),
  );
}

function fits(value: number | string | undefined, match: Match | undefined): boolean {
  if (match === undefined) return true;
  if (typeof match !== 'object') return value === match;
  if ('includes' in match) return value !== undefined && match.includes(value);
  const { from = -Infinity, to = Infinity } = match;
  return typeof value === 'number' && value >= from && value <= to;
}

/** What a cell says by a key: `subject`, `measurement`, or one of where it was measured. */
export function fieldOf({ measurement, subject, at }: CellPlan, key: string): number | string | undefined {
  return { ...at, measurement, subject }[key];
}

/**
 * The cells that are meant, in rows: those together that say the same by all keys. In their order.
 *
 * @param keys - without them a row has all rounds of one cell
 */
export function rowsOf(cells: readonly Cell[], where: Where, keys?: readonly string[]): readonly (readonly Cell[])[] {
  const rows = new Map<string, Cell[]>();
  for (const cell of cells.filter((one) => isMeant(one, where))) {
    const key = keys ? JSON.stringify(keys.map((one) => fieldOf(cell, one))) : keyOf(cell);
    rows.set(key, [...(rows.get(key) ?? []), cell]);
  }
  return [...rows.values()];
}

/**
 * A figure of some cells, as a rule all rounds of one.
 *
 * @param all - where cells to divide by are looked for
 * @returns undefined where no round has it, and for a percentile where a round lost so much that it has none
 */
export function figureOf(cells: readonly Cell[], figure: Figure, all: readonly Cell[]): Spread | undefined {
  const values = cells.flatMap((cell) => figureOfRound(cell, figure, all) ?? []);
  if (values.length === 0 || cells.some((cell) => hasLostPercentile(cell, figure, cells))) return undefined;
  if (!figure.isTotal) return spread(values);
  const sum = values.reduce((total, value) => total + value, 0);
  return { median: sum, min: sum, max: sum, repeats: values.length };
}

/** Whether a round was measured, and has not the percentile that others of its cell have. */
function hasLostPercentile(cell: Cell, { value }: Figure, cells: readonly Cell[]): boolean {
  const isMeasured = cell.refused === undefined && cell.failed === undefined;
  if (!isMeasured || !/^p\d+Ms$/.test(value) || cell.values[value] !== undefined) return false;
  return cells.some((other) => keyOf(other) === keyOf(cell) && other.values[value] !== undefined);
}

function figureOfRound(cell: Cell, { value, per = 1, over, overValue }: Figure, all: readonly Cell[]) {
  const of = cell.values[value];
  // What is not finite, since nothing came, is nothing in JSON.
  if (of === undefined || !Number.isFinite(of)) return undefined;
  if (over === undefined && overValue === undefined) return of / per;
  const key = keyOf({ ...cell, ...over, at: { ...cell.at, ...over?.at } });
  const by = all.find((other) => other.repeat === cell.repeat && keyOf(other) === key)?.values[overValue ?? value];
  return by === undefined || !Number.isFinite(of / by) ? undefined : of / by;
}

/** A text that is equal for all rounds of a cell. */
export function keyOf({ measurement, subject, at }: CellPlan): string {
  return JSON.stringify([measurement, subject, Object.entries(at).sort()]);
}

/** A cell in one line: `sse, ldes-live, clients 10000`. */
export function cellText(cell: CellPlan): string {
  return fieldTexts(cell).join(', ');
}

function fieldTexts({ measurement, subject, at = {} }: Partial<CellPlan>): readonly (string | undefined)[] {
  const places = Object.entries(at).map(([key, value]) => (typeof value === 'number' ? `${key} ${value}` : value));
  return [measurement, subject, ...places];
}

/** A figure of a cell in one line: `requestsPerSecond ÷ bare Fastify, serving, ldes-live, latest`. */
export function figureText({ value, over = {}, overValue }: Figure, cell: CellPlan): string {
  const by = [overValue, ...fieldTexts(over)].filter((text) => text !== undefined);
  return `${value}${by.length === 0 ? '' : ` ÷ ${by.join(' ')}`}, ${cellText(cell)}`;
}
