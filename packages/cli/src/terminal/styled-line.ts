import { fitted } from './text-width.ts';

/** How a piece of a line stands out. */
type Tone = 'strong' | 'faint' | 'good' | 'bad' | 'accent';

/** A piece of a line: as it is, or standing out. */
export type Span = string | { readonly text: string; readonly tone: Tone };

/** One line of the view. */
export type StyledLine = readonly Span[];

// SGR parameters: those that dark and light terminals both show well.
const CODES: Readonly<Record<Tone, number>> = { strong: 1, faint: 2, good: 32, bad: 31, accent: 36 };

/** The text of a line, without what makes it stand out. */
export function lineText(line: StyledLine): string {
  return line.map((span) => (typeof span === 'string' ? span : span.text)).join('');
}

/**
 * A line as a terminal takes it, cut to a width.
 *
 * @param width - the most columns that it takes
 * @param hasColour - whether pieces may stand out by escape sequences
 */
export function paintLine(line: StyledLine, width: number, hasColour: boolean): string {
  let left = fitted(lineText(line), width);
  const painted: string[] = [];
  for (const span of line) {
    const [text, tone] = typeof span === 'string' ? [span] : [span.text, span.tone];
    // The cut may fall within a piece, and what follows the cut is not shown.
    const shown = left.startsWith(text) ? text : left;
    left = left.slice(shown.length);
    if (shown === '') break;
    painted.push(hasColour && tone ? `\u001b[${CODES[tone]}m${shown}\u001b[0m` : shown);
  }
  return painted.join('');
}
