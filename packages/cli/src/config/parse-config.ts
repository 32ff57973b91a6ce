import { nearestKey } from '@ldes-live/rdf-stream/errors';
import { errors } from '../errors.ts';
import { byPlace, type ConfigProblem, formatProblem } from './config-problem.ts';
import { configSchema } from './config-schema.ts';
import type { Environment } from './expand-environment.ts';
import type { ConfigPath } from './yaml-locator.ts';
import { readYaml, type YamlText } from './yaml-text.ts';

/** What a server is asked to publish. */
export type Config = ReturnType<ReturnType<typeof configSchema>['parse']>;

/** A configuration, and where each thing stands in its file. */
export interface ParsedConfig {
  readonly config: Config;
  readonly yaml: YamlText;
}

/**
 * Reads a configuration; the files that it names are not looked at.
 *
 * @param text - YAML
 * @param file - its name, for messages
 * @param environment - what `${NAME}` in the value of a header field or a token stands for
 * @throws {@link StreamError} `ERR_CONFIG_INVALID` - anything is wrong; the message lists every mistake
 */
export function parseConfig(text: string, file: string, environment: Environment): ParsedConfig {
  const yaml = readYaml(text);
  if ('mistakes' in yaml) throw invalid(file, yaml.mistakes);
  const parsed = configSchema(environment).safeParse(yaml.value);
  if (parsed.success) return { config: parsed.data, yaml };
  throw invalid(file, parsed.error.issues.flatMap((issue) => explain(issue, yaml)).sort(byPlace));
}

type Issue = NonNullable<ReturnType<ReturnType<typeof configSchema>['safeParse']>['error']>['issues'][number];

function explain(issue: Issue, yaml: YamlText): ConfigProblem[] {
  const problem = (path: ConfigPath, at: 'key' | 'value', message: (found: string) => string): ConfigProblem => {
    const { line, column, key, found } = yaml.locate(path, at);
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

function invalid(file: string, problems: readonly ConfigProblem[]) {
  return errors.ERR_CONFIG_INVALID({ file, problems: problems.map((problem) => formatProblem(file, problem)) });
}
