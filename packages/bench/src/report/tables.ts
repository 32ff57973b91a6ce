/*
 * Tables as text, for the page and for Markdown: a row for all rounds of a cell, figures with three digits that count and
 * their spread, and what was published in a column of its own beside ours.
 *
 *   { rows: { clients: 'Clients' }, columns: [{ title: 'p99, ms', value: 'p99Ms' }], published: [...] }
 *   -> columns Clients | p99, ms | p99, ms, published      row 5,000 | 147 [140–163] | under 1 s
 */
import type { PublishedFigure, TableView, View } from '../experiment.ts';
import { type Figure, fieldOf, figureOf, isMeant, rowsOf, type Spread } from '../figures.ts';
import type { Cell, Result } from '../result.ts';

/** A table whose cells are text. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NOTHING = '–';

const NUMBER = /^[\d–]|^(refused|failed)$/;

/** Of each column of a table, whether it has words: it stands on the left. */
export function areWords({ columns, rows }: Table): readonly boolean[] {
  return columns.map((_, index) => rows.some((row) => !NUMBER.test(row[index] ?? '')));
}

/** The tables of all views of which something was measured. */
export function tablesOf(views: readonly View[], cells: readonly Cell[]): readonly Table[] {
  return views.flatMap((view) => (view.kind === 'table' ? (tableOf(view, cells) ?? []) : []));
}

/** The table of a view; `undefined` where nothing of it was measured. */
function tableOf({ title, of, rows, columns, published = [] }: TableView, cells: readonly Cell[]): Table | undefined {
  const groups = rowsOf(cells, of, Object.keys(rows));
  if (groups.length === 0) return undefined;
  const shown = published.filter((one) => groups.some(([cell]) => cell && isMeant(cell, one.of)));
  const besideOf = (beside: string, value?: string, per?: number) => {
    const those = shown.filter((one) => one.value === value);
    const text = ([cell]: readonly Cell[]) => {
      const meant = those.filter((one) => cell && isMeant(cell, one.of));
      return meant.map((one) => publishedText(one, per)).join('; ') || NOTHING;
    };
    return those.length === 0 ? [] : [{ title: beside, text }];
  };
  const all = [
    ...Object.entries(rows).map(([key, name]) => {
      return { title: name, text: ([cell]: readonly Cell[]) => nameText(cell && fieldOf(cell, key)) };
    }),
    ...columns.flatMap((column) => [
      { title: column.title, text: (rounds: readonly Cell[]) => figureCell(rounds, column, cells) },
      ...(column.over ? [] : besideOf(`${column.title}, published`, column.value, column.per)),
    ]),
    ...besideOf('Published'),
  ];
  return {
    title,
    columns: all.map((one) => one.title),
    rows: groups.map((rounds) => all.map(({ text }) => text(rounds))),
  };
}

function figureCell(rounds: readonly Cell[], figure: Figure, cells: readonly Cell[]): string {
  const found = figureOf(rounds, figure, cells);
  if (found) return spreadText(found);
  if (rounds.some(({ refused }) => refused !== undefined)) return 'refused';
  return rounds.some(({ failed }) => failed !== undefined) ? 'failed' : NOTHING;
}

/** A number that names a row or a place is written in full. */
export function nameText(name: number | string | undefined): string {
  return typeof name === 'number' ? name.toLocaleString('en-GB', { maximumFractionDigits: 20 }) : (name ?? NOTHING);
}

/** A published figure in the unit that is shown: `13.8 (as printed)`. A range with words is shown by its words. */
export function publishedText({ figure, text }: Pick<PublishedFigure, 'figure' | 'text'>, per = 1): string {
  if (figure === undefined || (typeof figure === 'object' && text !== undefined)) return text ?? NOTHING;
  const number = [figure]
    .flat()
    .map((one) => plainText(one / per))
    .join(' to ');
  return text === undefined ? number : `${number} (${text})`;
}

/** A number without digits that it does not need: `13.8`, `12,600`. */
export function plainText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en-GB', { maximumFractionDigits: 6 });
}

const WHOLE = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const ROUNDED = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });
const BROKEN = new Intl.NumberFormat('en-GB', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
/** Whole numbers below are counts, and exact. */
const EXACT_BELOW = 10_000;
const SMALLEST_WRITTEN_OUT = 1e-5;

/** A number with the three digits that count: `0.0457`, `1.00`, `12,300`; a whole one below 10,000 in full. */
export function numberText(value: number, isWhole = Number.isInteger(value)): string {
  if (!Number.isFinite(value)) return NOTHING;
  const size = Math.abs(value);
  if (size > 0 && size < SMALLEST_WRITTEN_OUT) return value.toExponential(2);
  if (isWhole) return (size < EXACT_BELOW ? WHOLE : ROUNDED).format(value);
  return BROKEN.format(value);
}

/** A median, with the least and the greatest of several rounds: `12.3 [9.88–15.2]`. */
export function spreadText({ median, min, max, repeats }: Spread): string {
  const isWhole = [median, min, max].every(Number.isInteger);
  const [middle, least, greatest] = [median, min, max].map((value) => numberText(value, isWhole));
  return repeats < 2 || least === greatest ? `${middle}` : `${middle} [${least}–${greatest}]`;
}

/** What is to be known of a run besides its figures: names and values. */
export function factsOf({ source, command, startedAt, tookSeconds, machine, versions, plan, cells, seed }: Result) {
  const { cpu, cores, memoryGib, platform, node, pinned } = machine;
  const rounds = 1 + Math.max(0, ...cells.map(({ repeat }) => repeat));
  return [
    ...(source === undefined ? [] : [['Source', source] as const]),
    ['Command', command],
    ['Begun', `${startedAt}, took ${durationText(tookSeconds)}`],
    [
      'Machine',
      `${cpu}, ${cores} cores, ${memoryGib} GiB, ${platform}, Node.js ${node}; ${pinned ? 'server and load on a core each' : 'no cores of their own'}`,
    ],
    ['Versions', pairsText(versions)],
    ['Workload', pairsText(plan)],
    ['Rounds', String(rounds)],
    ['Seed', String(seed)],
  ] as const satisfies readonly (readonly [name: string, value: string])[];
}

function pairsText(pairs: object): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} ${plainValue(value)}`)
    .join('; ');
}

function plainValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainValue).join(', ') || 'none';
  if (typeof value === 'number') return plainText(value);
  if (typeof value === 'object' && value !== null) return `(${pairsText(value)})`;
  return String(value);
}

/** A time as people say it: `45 s`, `12 min`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Text that HTML and SVG show as it is. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
