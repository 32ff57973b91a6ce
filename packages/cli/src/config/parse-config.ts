/*
 * The text of a configuration to what it says, or to all its mistakes, each at its place.
 *
 *   text -> YAML with places -> `${NAME}` filled in -> schema -> { config, yaml }
 *   live.yml:5:14 streams.a.source.every: found 20, expected a duration from 100ms to 24h with its unit
 *
 * What is shown as found is the text of the file, never the value of a variable, nor the user and password of a URL.
 */
import { nearestKey } from '@ldes-live/rdf-stream/errors';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { errors } from '../errors.ts';
import { withoutUsers } from './forms.ts';
import { type Config, configSchema } from './schema.ts';

export type ConfigPath = readonly PropertyKey[];

/** Where something stands in a file, and how it is spelt there. */
interface Located {
  readonly line: number;
  readonly column: number;
  /** The keys that exist, joined by dots. */
  readonly key: string;
  /** The value as a person may recognise it; `nothing` where there is none. */
  readonly found: string;
}

export interface ConfigProblem extends Omit<Located, 'found'> {
  readonly message: string;
}

export interface YamlText {
  readonly value: unknown;
  locate(path: ConfigPath, at: 'key' | 'value'): Located;
}

export interface ParsedConfig {
  readonly config: Config;
  readonly yaml: YamlText;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a configuration, whose mistakes ERR_CONFIG_INVALID lists; the files that it names are not looked at. */
export function parseConfig(text: string, file: string, variables: Variables): ParsedConfig {
  const yaml = readYaml(text);
  if ('mistakes' in yaml) throw invalid(file, yaml.mistakes);
  const { value, missing } = fillIn(yaml.value, variables);
  const parsed = configSchema.safeParse(value);
  if (parsed.success && missing.length === 0) return { config: parsed.data, yaml };
  // One mistake at a time: what is not set is not a value that could be wrong.
  const places = new Set(missing.map(({ path }) => JSON.stringify(path)));
  const wrong = (parsed.error?.issues ?? []).filter(({ path }) => !places.has(JSON.stringify(path)));
  const unset = missing.map(({ path, name }) => {
    const { found, ...place } = yaml.locate(path, 'value');
    return { ...place, message: `found ${found}, expected the environment variable ${name} to be set` };
  });
  const problems = [...wrong.flatMap((issue) => explain(issue, yaml)), ...unset];
  throw invalid(
    file,
    problems.sort((left, right) => left.line - right.line || left.column - right.column),
  );
}

/** One line for a person: file, line, column, key, what was found and what is expected. */
export function formatProblem(file: string, { line, column, key, message }: ConfigProblem): string {
  return `${file}:${line}:${column} ${key === '' ? '' : `${key}: `}${message}`;
}

function invalid(file: string, problems: readonly ConfigProblem[]) {
  return errors.ERR_CONFIG_INVALID({ file, problems: problems.map((problem) => formatProblem(file, problem)) });
}

type Issue = NonNullable<ReturnType<(typeof configSchema)['safeParse']>['error']>['issues'][number];

function explain(issue: Issue, yaml: YamlText): ConfigProblem[] {
  const problem = (path: ConfigPath, at: 'key' | 'value', message: (found: string) => string): ConfigProblem => {
    const { found, ...place } = yaml.locate(path, at);
    return { ...place, message: message(found) };
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
  const shown = (found: string) => (isSecret(issue.path) ? kindOf(found) : found);
  return [problem(issue.path, 'value', (found) => `found ${shown(found)}, expected ${issue.message}`)];
}

/** Whether what stands at a path may be a secret, which messages do not show. */
function isSecret(path: ConfigPath): boolean {
  return SECRETS.some((place) =>
    place.every((step, index) => index < path.length && ['*', path[index]].includes(step)),
  );
}

function kindOf(found: string): string {
  if (/^(a mapping|a list|nothing|"\$\{\w+\}")$/.test(found)) return found;
  return found.startsWith('"') ? 'a text' : 'a value that is not a text';
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Where variables are filled in, so that keys need not stand in the file; `*` stands for any key. */
const PLACES = [
  'node',
  ...['username', 'password', 'tokens.*', 'headers.*', '*.headers.*', '*.*.headers.*'].map(
    (at) => `streams.*.source.${at}`,
  ),
  'streams.*.readers.tokens.*',
].map((place) => place.split('.'));

/** Where secrets stand: there but for names of nodes, and where a token is not in a list, or a header field not in a mapping. */
const SECRETS = [
  ...PLACES.slice(1),
  ...['tokens', 'headers', 'gtfsRt.headers', 'json.headers', '*.*.headers'].map((at) =>
    `streams.*.source.${at}`.split('.'),
  ),
  ['streams', '*', 'readers', 'tokens'],
];

/** The value with its variables filled in, and those that are not set. */
function fillIn(value: unknown, variables: Variables) {
  const missing: { readonly path: ConfigPath; readonly name: string }[] = [];
  const fill = (part: unknown, place: readonly string[], path: ConfigPath): unknown => {
    if (typeof part === 'string' && place.length === 0) {
      return part.replaceAll(VARIABLE, (text, name: string) => {
        if (variables[name] === undefined) missing.push({ path, name });
        return variables[name] ?? text;
      });
    }
    const [step, ...rest] = place;
    if (step === undefined || typeof part !== 'object' || part === null) return part;
    const filled = (key: PropertyKey, inner: unknown) =>
      step === '*' || step === key ? fill(inner, rest, [...path, key]) : inner;
    // A copy: an alias stands in several places, and is filled in once in each.
    if (Array.isArray(part)) return part.map((inner, index) => filled(index, inner));
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, filled(key, inner)]));
  };
  return { value: PLACES.reduce((filled, place) => fill(filled, place, []), value), missing };
}

/** Reads YAML, which JSON is too. */
export function readYaml(text: string): YamlText | { readonly mistakes: readonly ConfigProblem[] } {
  const lines = new LineCounter();
  // Its warnings would show keys that are lists or mappings on standard error.
  // Its pretty errors show the text around each of them: of thousands, that takes long.
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error', prettyErrors: false });
  const mistakes = document.errors.map(({ pos, message }): ConfigProblem => {
    const { line, col } = lines.linePos(pos[0]);
    return { line, column: col, key: '', message: firstLine(message) };
  });
  if (mistakes.length > 0) return { mistakes };
  try {
    // A key that is a list or a mapping would be written as a text: of one within the other, that takes very long.
    visit(document, {
      Pair: (_place, { key }) => {
        if (!isMap(key) && !isSeq(key)) return undefined;
        const { line, col } = lines.linePos(key.range?.[0] ?? 0);
        mistakes.push({ line, column: col, key: '', message: 'a key is a list or a mapping, expected a text' });
        return visit.BREAK;
      },
    });
    if (mistakes.length > 0) return { mistakes };
    return { value: document.toJS(), locate: (path, at) => locate(document, lines, path, at) };
  } catch (error) {
    // Aliases are followed only here: one that leads nowhere, or very many, is found out late and without a place.
    // What follows the colon is the name of the alias, which may be a secret that lacks quotes.
    const message = firstLine((error as Error).message).split(': ', 1)[0] as string;
    return { mistakes: [{ line: 1, column: 1, key: '', message }] };
  }
}

function firstLine(message: string): string {
  return (message.split('\n')[0] as string).replace(/ at line \d+, column \d+:?$/, '');
}

/**
 * Finds what a path leads to: the value, or its key where `at` says so; for what is missing, the nearest
 * thing around it.
 *
 * A lone feed is read as a list of one, and a bare URL as a feed with nothing else: an index into what is not a
 * list is passed over, and what is said of a bare URL is looked for beside it. A path ends at a value that holds no others.
 */
function locate(document: Document, lines: LineCounter, path: ConfigPath, at: 'key' | 'value'): Located {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  let found = node;
  let around = node;
  const keys: string[] = [];
  for (const [index, step] of path.entries()) {
    if (typeof step === 'number' && !isSeq(node)) continue;
    if (isScalar(node)) {
      if (!isMap(around) || !around.has(step)) break;
      keys.pop();
      node = around;
    }
    keys.push(String(step));
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
    const next = isSeq(node)
      ? (node.items[Number(step)] as Node | undefined)
      : (pair?.value as Node | null | undefined);
    found = next ?? null;
    if (!next && !pair) break;
    const keyOffset = (pair?.key as Node | undefined)?.range?.[0];
    const isLast = index === path.length - 1;
    const isValue = !(isLast && at === 'key') && found !== null && !isEmpty(found);
    offset = (isValue ? found?.range?.[0] : undefined) ?? keyOffset ?? offset;
    around = node;
    node = next ?? null;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col, key: keys.join('.'), found: describe(found) };
}

/** Whether a value is the nothing after a key and its colon. */
function isEmpty({ range }: Node): boolean {
  return range !== null && range !== undefined && range[0] === range[1];
}

const FOUND_CHARACTERS = 60;

function describe(node: Node | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null || node.value === undefined) return 'nothing';
  // Before it is cut, which may leave a password without what tells it.
  const text = withoutUsers(typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value));
  return text.length > FOUND_CHARACTERS ? `${text.slice(0, FOUND_CHARACTERS)}...` : text;
}
