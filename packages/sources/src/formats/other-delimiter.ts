/** What usually stands between the columns of CSV. */
const USUAL = [';', '\t', ',', '|'] as const;

/**
 * What seems to stand between the columns of CSV whose header is one column by the configured delimiter: a usual one that
 * is in the header, and as often in the row after it; `undefined` when there is none.
 *
 * @param text - the document
 * @see specs/mapping-values.md MAP-82
 */
export function otherDelimiter(text: string, delimiter: string): string | undefined {
  const [header = '', row = ''] = firstLines(text);
  if (count(header, delimiter) > 0) return undefined;
  return USUAL.find((other) => count(header, other) > 0 && count(header, other) === count(row, other));
}

function firstLines(text: string): readonly string[] {
  // No more of a large document than two lines are likely to take.
  return text
    .slice(0, 100_000)
    .split(/[\r\n]+/, 3)
    .filter((line) => line !== '');
}

/** How often it stands in a line; within quotes it separates nothing. */
function count(line: string, delimiter: string): number {
  return line.replaceAll(/"[^"]*"/g, '').split(delimiter).length - 1;
}
