import { cellText, isNumeric, rowNameText } from './number-text.ts';
import type { Table } from './report.ts';

const GAP = '  ';

/**
 * A table for a terminal, its columns aligned: numbers at their right, text at its left. A table that is too wide is cut
 * into several, each with the first column.
 *
 * @param columns - characters that a line may have
 */
export function tableText(table: Table, columns: number): string {
  const cells = table.columns.map((name, index) => columnOf(table, name, index));
  const [first = [], ...others] = cells;
  const room = columns - widthOf(first);
  const blocks: string[][][] = [[]];
  let taken = 0;
  for (const column of others) {
    const width = GAP.length + widthOf(column);
    if (taken > 0 && taken + width > room) {
      blocks.push([]);
      taken = 0;
    }
    blocks.at(-1)?.push(column);
    taken += width;
  }
  return `${table.caption}\n${blocks.map((block) => joined([first, ...block])).join('\n\n')}`;
}

/** A column with its name above, filled up to one width. */
function columnOf({ rows }: Table, name: string, index: number): string[] {
  const cells = rows.map((row) => row[index]);
  const texts = [name, ...cells.map(index === 0 ? rowNameText : cellText)];
  const width = widthOf(texts);
  const isRight = index > 0 && isNumeric(cells);
  return texts.map((text) => (isRight ? text.padStart(width) : text.padEnd(width)));
}

function joined(columns: readonly (readonly string[])[]): string {
  const lines = (columns[0] ?? []).map((_, row) =>
    columns
      .map((column) => column[row])
      .join(GAP)
      .trimEnd(),
  );
  const [head = '', ...body] = lines;
  return [head, '-'.repeat(widthOf(lines)), ...body].map((line) => `  ${line}`.trimEnd()).join('\n');
}

function widthOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}
