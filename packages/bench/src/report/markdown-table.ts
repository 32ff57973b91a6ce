/**
 * A table of Markdown.
 *
 * @param isRight - of each column, whether it is aligned at its right
 */
export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  const rule = `| ${columns.map((_, index) => (isRight[index] ? '---:' : '---')).join(' | ')} |`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

/** Text that Markdown shows as it is: neither a tag nor a column of its own. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>&]/g, (character) => `\\${character}`);
}

function escapeCell(text: string): string {
  return escapeMarkdown(text)
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ');
}
