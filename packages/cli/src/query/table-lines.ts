import type { StyledLine } from '../terminal/styled-line.ts';
import type { ScreenSize } from '../terminal/terminal-screen.ts';
import { filled, textWidth } from '../terminal/text-width.ts';

/** An answer as a table shows it. */
export interface AnswerTable {
  readonly columns: readonly string[];
  /** A text for each column. */
  readonly rows: readonly (readonly string[])[];
  /** Which rows came with the last result, by their place. */
  readonly fresh: ReadonlySet<number>;
}

const GAP = '  ';
const LEAST_COLUMN = 6;

/**
 * A table of an answer, no larger than there is room for; what is left out is counted in its last line.
 *
 * @see specs/query.md QUERY-95
 */
export function tableLines({ columns, rows, fresh }: AnswerTable, size: ScreenSize): readonly StyledLine[] {
  const room = Math.max(size.rows - 1, 1);
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows;
  const widths = columnWidths(columns, shown, size.columns);
  const line = (texts: readonly string[]) => texts.map((text, index) => filled(text, widths[index] ?? 0)).join(GAP);
  const head: StyledLine = [{ text: line(columns), tone: 'strong' }];
  const body = shown.map(
    (row, index): StyledLine => [fresh.has(index) ? { text: line(row), tone: 'good' } : line(row)],
  );
  const rest = rows.length - shown.length;
  return [head, ...body, ...(rest > 0 ? [[{ text: `and ${rest} more`, tone: 'faint' } as const]] : [])];
}

/** What each column takes: as much as it needs, and where that is too much in all, the widest give way. */
function columnWidths(columns: readonly string[], rows: readonly (readonly string[])[], room: number): number[] {
  const widths = columns.map((name, index) =>
    Math.max(...[name, ...rows.map((row) => row[index] ?? '')].map(textWidth)),
  );
  const gaps = GAP.length * Math.max(columns.length - 1, 0);
  for (let over = widths.reduce((sum, width) => sum + width, gaps) - room; over > 0; ) {
    const widest = widths.indexOf(Math.max(...widths));
    const second = Math.max(LEAST_COLUMN, ...widths.filter((_, index) => index !== widest));
    const cut = Math.min(over, Math.max((widths[widest] ?? 0) - second, 1));
    if ((widths[widest] ?? 0) - cut < LEAST_COLUMN) break;
    widths[widest] = (widths[widest] ?? 0) - cut;
    over -= cut;
  }
  return widths;
}
