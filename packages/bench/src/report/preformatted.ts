import type { Section } from './report.ts';

/** A section of lines of fixed width that come as they are. */
export function preformatted(title: string, lines: readonly string[]): Section {
  return { title, text: [], preformatted: lines.join('\n').trim() };
}
