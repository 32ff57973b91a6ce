import { escapeMarkup } from './escape-markup.ts';

/** Text as HTML, in which what stands between backticks is code. */
export function proseHtml(text: string): string {
  return escapeMarkup(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
