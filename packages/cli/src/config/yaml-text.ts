import { LineCounter, parseDocument } from 'yaml';
import type { ConfigProblem } from './config-problem.ts';
import { type ConfigPath, type Located, locate } from './yaml-locator.ts';

/** A YAML file that was read: its values, and where each of them stands. */
export interface YamlText {
  /** What it says, as plain values. */
  readonly value: unknown;
  /** Where something stands in it. */
  locate(path: ConfigPath, at: 'key' | 'value'): Located;
}

/**
 * Reads YAML, which JSON is too.
 *
 * @returns what it says, or what is wrong with it
 */
export function readYaml(text: string): YamlText | { readonly mistakes: readonly ConfigProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const mistakes = document.errors.map(({ pos, message }): ConfigProblem => {
    const { line, col } = lines.linePos(pos[0]);
    return { line, column: col, key: '', message: firstLine(message) };
  });
  if (mistakes.length > 0) return { mistakes };
  try {
    return { value: document.toJS(), locate: (path, at) => locate(document, lines, path, at) };
  } catch (error) {
    // Aliases are followed only here: one that leads nowhere, or very many, is found out late and without a place.
    return { mistakes: [{ line: 1, column: 1, key: '', message: firstLine((error as Error).message) }] };
  }
}

function firstLine(message: string): string {
  return (message.split('\n')[0] as string).replace(/ at line \d+, column \d+:?$/, '');
}
