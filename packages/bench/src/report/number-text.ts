import type { Spread } from '../spread.ts';
import type { Cell } from './report.ts';

const NOTHING = '–';
const EXACT = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const WHOLE = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });
const BROKEN = new Intl.NumberFormat('en-GB', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const SMALLEST_WRITTEN_OUT = 1e-5;
const GREATEST_WRITTEN_OUT = 1e13;
/** Whole numbers below are counts, and exact. */
const EXACT_BELOW = 1e6;
/** Of repeats, the last digits of greater ones say nothing. */
const EXACT_SPREAD_BELOW = 1e4;
/** A number as it was published: digits, perhaps with separators and decimals. */
const WRITTEN_NUMBER = /^-?\d[\d,]*(\.\d+)?$/;

/** A number with the three digits that count: `0.0457`, `1.00`; a whole one below a million in full: `12,345`, `1,230,000`. */
export function numberText(value: number): string {
  return digits(value, Number.isInteger(value), EXACT_BELOW);
}

/**
 * A median, and the least and the greatest of the repeats in brackets where there was more than one: `12.3 [9.88–15.2]`. Whole numbers are
 * in full below 10,000.
 */
export function spreadText(spread: Spread): string {
  const range = rangeText(spread);
  return range === undefined ? medianText(spread) : `${medianText(spread)} ${range}`;
}

/** The median alone, with as many digits as beside its range. */
export function medianText(spread: Spread): string {
  return digits(spread.median, isWhole(spread), EXACT_SPREAD_BELOW);
}

/** The least and the greatest of several repeats, in brackets. */
export function rangeText(spread: Spread): string | undefined {
  if (spread.repeats < 2) return undefined;
  const [least, greatest] = [spread.min, spread.max].map((value) => digits(value, isWhole(spread), EXACT_SPREAD_BELOW));
  return `[${least}–${greatest}]`;
}

/** A cell in one line; a dash for nothing. */
export function cellText(cell: Cell): string {
  if (isNothing(cell)) return NOTHING;
  if (typeof cell === 'string') return cell;
  return typeof cell === 'number' ? numberText(cell) : spreadText(cell);
}

/** A cell of the first column, whose numbers name the row and are therefore written in full. */
export function rowNameText(cell: Cell): string {
  return typeof cell === 'number' ? cell.toLocaleString('en-GB', { maximumFractionDigits: 20 }) : cellText(cell);
}

/** Whether nothing stands in a cell: a report that was JSON has `null` there. */
export function isNothing(cell: Cell): cell is undefined {
  return (cell ?? undefined) === undefined;
}

/** Whether a column has only numbers, with or without spread or written as text: it is aligned at its right. */
export function isNumeric(cells: readonly Cell[]): boolean {
  return (
    cells.every((cell) => typeof cell !== 'string' || WRITTEN_NUMBER.test(cell)) &&
    cells.some((cell) => !isNothing(cell))
  );
}

/** @param exactBelow - from where on whole numbers have three digits that count */
function digits(value: number, whole: boolean, exactBelow: number): string {
  if (!Number.isFinite(value)) return value === Infinity ? '∞' : NOTHING;
  const size = Math.abs(value);
  if (size > 0 && (size < SMALLEST_WRITTEN_OUT || size >= GREATEST_WRITTEN_OUT)) return value.toExponential(2);
  if (!whole && value !== 0) return BROKEN.format(value);
  return (size < exactBelow ? EXACT : WHOLE).format(value);
}

function isWhole({ median, min, max }: Spread): boolean {
  return [median, min, max].every(Number.isInteger);
}
