import { type Document, LineCounter, parseDocument } from 'yaml';
import { errors } from '../errors.ts';
import { type ConfigProblem, formatProblem } from './config-problem.ts';
import { configSchema } from './config-schema.ts';
import type { Environment } from './expand-environment.ts';
import { nearestKey } from './nearest-key.ts';
import { type ConfigPath, locate } from './yaml-locator.ts';

/** What a server is asked to publish. */
export type Config = ReturnType<ReturnType<typeof configSchema>['parse']>;

/**
 * Reads a configuration.
 *
 * @param text - YAML
 * @param file - its name, for messages
 * @param environment - what `${NAME}` in the value of a header field stands for
 * @throws {@link StreamError} `ERR_CONFIG_INVALID` - anything is wrong; the message lists every mistake
 */
export function parseConfig(text: string, file: string, environment: Environment): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const mistakes = document.errors.map(({ pos, message }): ConfigProblem => {
    const { line, col } = lines.linePos(pos[0]);
    return { line, column: col, key: '', message: firstLine(message) };
  });
  if (mistakes.length > 0) throw invalid(file, mistakes);
  const parsed = configSchema(environment).safeParse(plain(document, file));
  if (parsed.success) return parsed.data;
  throw invalid(file, parsed.error.issues.flatMap((issue) => explain(issue, document, lines)).sort(byPlace));
}

type Issue = NonNullable<ReturnType<ReturnType<typeof configSchema>['safeParse']>['error']>['issues'][number];

function explain(issue: Issue, document: Document, lines: LineCounter): ConfigProblem[] {
  const problem = (path: ConfigPath, at: 'key' | 'value', message: (found: string) => string): ConfigProblem => {
    const { line, column, key, found } = locate(document, lines, path, at);
    return { line, column, key, message: message(found) };
  };
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(', ');
    return issue.keys.map((key) => {
      const meant = nearestKey(key, known);
      const advice = meant === undefined ? `known here: ${issue.message}` : `did you mean ${meant}?`;
      return problem([...issue.path, key], 'key', () => `unknown key; ${advice}`);
    });
  }
  if (issue.code === 'invalid_key') {
    // What is wrong is the key, so it is the key that was found; and zod tells what it should be one level deeper.
    const expected = issue.issues[0]?.message;
    return [problem(issue.path, 'key', () => `found ${JSON.stringify(issue.path.at(-1))}, expected ${expected}`)];
  }
  return [problem(issue.path, 'value', (found) => `found ${found}, expected ${issue.message}`)];
}

/** The document as plain values. */
function plain(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // Aliases are followed only here: one that leads nowhere, or very many, is found out late and without a place.
    throw invalid(file, [{ line: 1, column: 1, key: '', message: firstLine((error as Error).message) }]);
  }
}

function invalid(file: string, problems: readonly ConfigProblem[]) {
  return errors.ERR_CONFIG_INVALID({ file, problems: problems.map((problem) => formatProblem(file, problem)) });
}

function byPlace(left: ConfigProblem, right: ConfigProblem): number {
  return left.line - right.line || left.column - right.column;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] as string).replace(/ at line \d+, column \d+:?$/, '');
}
