import type { CliOutput } from '../environment.ts';
import { lineText, paintLine, type StyledLine } from './styled-line.ts';
import { rowsTaken, terminalFrame } from './terminal-frame.ts';
import type { TextOutput } from './text-output.ts';

// Of a terminal that does not tell.
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** How much a terminal has room for. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Shows lines on a terminal in place: what it shows now takes the place of what it showed. */
export class TerminalScreen {
  readonly #terminal: CliOutput;
  readonly #output: TextOutput;
  readonly #hasColour: boolean;
  #shown: readonly string[] = [];
  #frame = '';
  #isDrawing = false;

  /** @param options.output - of the same terminal */
  constructor(options: { readonly terminal: CliOutput; readonly output: TextOutput; readonly hasColour: boolean }) {
    this.#terminal = options.terminal;
    this.#output = options.output;
    this.#hasColour = options.hasColour;
  }

  /**
   * Draws lines, where they differ from what is shown and the terminal keeps up.
   *
   * @param linesFor - makes them, for a size
   */
  async draw(linesFor: (size: ScreenSize) => readonly StyledLine[]): Promise<void> {
    if (this.#isDrawing) return;
    // Some that do not tell say 0.
    const columns = this.#terminal.columns || DEFAULT_COLUMNS;
    const rows = this.#terminal.rows || DEFAULT_ROWS;
    // The last column stays free, and so does the last row, for the cursor: a terminal breaks or scrolls there.
    const size = { columns: Math.max(columns - 1, 1), rows: Math.max(rows - 1, 1) };
    const lines = linesFor(size);
    const painted = lines.map((line) => paintLine(line, size.columns, this.#hasColour));
    const frame = painted.join('\n');
    if (frame === this.#frame) return;
    const above = Math.min(rowsTaken(this.#shown, columns), Math.max(rows - 1, 0));
    this.#frame = frame;
    this.#shown = lines.map((line) => paintLine([lineText(line)], size.columns, false));
    this.#isDrawing = true;
    try {
      await this.#output.write(terminalFrame(painted, above));
    } finally {
      this.#isDrawing = false;
    }
  }
}
