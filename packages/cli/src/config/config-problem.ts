/** One mistake in a configuration file. */
export interface ConfigProblem {
  /** Where it is: 1 for the first line. */
  readonly line: number;
  /** 1 for the first character of the line. */
  readonly column: number;
  /** The path of keys to it, such as `streams.vehicles.source.every`; empty for the file as a whole. */
  readonly key: string;
  /** What is wrong, and what would be right. */
  readonly message: string;
}

/** One line for a person: file, line, column, key, what was found and what is expected. */
export function formatProblem(file: string, { line, column, key, message }: ConfigProblem): string {
  return `${file}:${line}:${column} ${key === '' ? '' : `${key}: `}${message}`;
}

/** The order of a file. */
export function byPlace(left: ConfigProblem, right: ConfigProblem): number {
  return left.line - right.line || left.column - right.column;
}
