/*
 * A view on a terminal, drawn in place: what it shows now takes the place of what it showed.
 *
 *   ['MAL 1 s', '\x1b[32mnew\x1b[39m  Tram 101'] -> cut to the terminal -> '\r\x1b[2AMAL 1 s\x1b[K\n...\x1b[J'
 *
 * It is loaded only where there is a terminal: what measures and cuts text takes a while to load.
 */
import { stripVTControlCharacters, styleText } from 'node:util';
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import type { CliOutput, Environment } from './environment.ts';
import type { TextOutput } from './terminal.ts';

// Of a terminal that does not tell.
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

const ESCAPE = '\u001b[';
// Between frames the cursor is as it was: whatever ends the process there leaves the terminal whole.
const BEGIN = `${ESCAPE}?25l${ESCAPE}?7l`;
const END = `${ESCAPE}?7h${ESCAPE}?25h`;

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export class TerminalScreen {
  readonly #terminal: CliOutput;
  readonly #output: TextOutput;
  readonly #hasColour: boolean;
  #shown: readonly string[] = [];
  #isDrawing = false;

  /** @param output - standard output too */
  constructor({ stdout, env }: Environment, output: TextOutput) {
    this.#terminal = stdout;
    this.#output = output;
    this.#hasColour = !env.NO_COLOR;
  }

  /** Draws lines for a size, where they differ from what is shown and the terminal keeps up; what is wider is cut. */
  async draw(linesFor: (size: ScreenSize) => readonly string[]): Promise<void> {
    if (this.#isDrawing) return;
    // Some that do not tell say 0.
    const columns = this.#terminal.columns || DEFAULT_COLUMNS;
    const rows = this.#terminal.rows || DEFAULT_ROWS;
    // The last column stays free, and so does the last row, for the cursor: a terminal breaks or scrolls there.
    const size = { columns: Math.max(columns - 1, 1), rows: Math.max(rows - 1, 1) };
    const lines = linesFor(size)
      .slice(0, size.rows)
      .map((line) => cut(this.#hasColour ? line : stripVTControlCharacters(line), size.columns));
    if (lines.join('\n') === this.#shown.join('\n')) return;
    // A terminal that was made narrower since has broken what it showed.
    const shownRows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0);
    const above = Math.min(shownRows, rows - 1);
    const up = above > 0 ? `${ESCAPE}${above}A` : '';
    this.#shown = lines;
    this.#isDrawing = true;
    try {
      const text = lines.map((line) => `${line}${ESCAPE}K\n`).join('');
      await this.#output.write(`${BEGIN}\r${up}${text}${ESCAPE}J${END}`);
    } finally {
      this.#isDrawing = false;
    }
  }
}

/** A text that stands out, in a way that dark and light terminals both show well. */
export function styled(style: 'bold' | 'dim' | 'green' | 'red' | 'cyan', text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** A text that takes exactly so many columns: cut, or filled up with spaces. */
export function fit(text: string, columns: number): string {
  const kept = cut(text, columns);
  return kept + ' '.repeat(Math.max(columns - stringWidth(kept), 0));
}

function cut(text: string, columns: number): string {
  const kept = cliTruncate(text, columns);
  // A wide character that begins before the cut is kept whole.
  return stringWidth(kept) > columns ? cliTruncate(text, columns - 1) : kept;
}
