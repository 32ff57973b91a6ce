import type { Recognition } from './recognition.ts';

/** What may stand between columns, the usual first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Lines that are looked at. */
const LINES = 20;

/**
 * Whether a text is a table: the same number of columns in its first lines, more than one.
 *
 * @param charset - the label of its encoding, if it is not UTF-8
 */
export function recogniseCsv(text: string, charset: string | undefined): Recognition | undefined {
  const lines = text.split(/\r?\n/, LINES).filter((line) => line !== '');
  const [header, ...rows] = lines.length > 2 ? lines.slice(0, -1) : lines;
  if (header === undefined || rows.length === 0) return undefined;
  const [best] = DELIMITERS.map((delimiter) => ({ delimiter, columns: columns(header, delimiter) }))
    .filter(({ delimiter, columns: count }) => count > 1 && rows.every((row) => columns(row, delimiter) === count))
    .sort((left, right) => right.columns - left.columns);
  if (!best) return undefined;
  return {
    source: 'csv',
    because: `it is a table of ${best.columns} columns`,
    reading: {
      format: 'csv',
      ...(charset !== undefined && { charset }),
      ...(best.delimiter !== ',' && { delimiter: best.delimiter }),
    },
  };
}

/** How many columns a line has; delimiters within quotes do not count. */
function columns(line: string, delimiter: string): number {
  return line.replaceAll(/"(?:[^"]|"")*"/g, '').split(delimiter).length;
}
