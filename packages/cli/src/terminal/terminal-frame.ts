import { textWidth } from './text-width.ts';

const ESCAPE = '\u001b[';
// Between frames the cursor is as it was: whatever ends the process there leaves the terminal whole.
const BEGIN = `${ESCAPE}?25l${ESCAPE}?7l`;
const END = `${ESCAPE}?7h${ESCAPE}?25h`;

/**
 * What to write so that lines take the place of those written before, with the cursor below them.
 *
 * @param lines - what to show, painted, each narrower than the terminal
 * @param rowsAbove - how many rows of the terminal the lines written before take
 */
export function terminalFrame(lines: readonly string[], rowsAbove: number): string {
  const up = rowsAbove > 0 ? `${ESCAPE}${rowsAbove}A` : '';
  return `${BEGIN}\r${up}${lines.map((line) => `${line}${ESCAPE}K\n`).join('')}${ESCAPE}J${END}`;
}

/** How many rows lines take on a terminal that may have been made narrower since, and has broken them. */
export function rowsTaken(texts: readonly string[], columns: number): number {
  return texts.reduce((rows, text) => rows + Math.max(1, Math.ceil(textWidth(text) / columns)), 0);
}
