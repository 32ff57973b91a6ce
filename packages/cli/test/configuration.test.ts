import { readFileSync } from 'node:fs';
import { isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { parse as parseYaml, stringify } from 'yaml';
import { parseConfig } from '../src/config/parse-config.ts';
import { helpTexts } from '../src/help-text.ts';

const text = readFileSync(new URL('../../../specs/configuration.md', import.meta.url), 'utf8');
/** What the reference calls NAME. */
const NAME = 'vehicles';
const environment = { AGENCY_KEY: 'secret' };

const inBackticks = (from: string) => [...from.matchAll(/`([^`]+)`/g)].map(([, inner]) => inner as string);
const below = (mapping: string, key: string) => (mapping === '' ? key : `${mapping}.${key}`);

/** The rows of the tables below headings: the paths of the keys of each, and its example in backticks. */
const rows = text
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const named = inBackticks(heading).map((path) => path.replace('NAME', NAME));
    const mappings = named.length > 0 ? named : [''];
    return lines
      .filter((line) => line.startsWith('| `'))
      .map((line) => {
        const [keys = '', , , example = ''] = line.slice(1, -1).split('|');
        const paths = mappings.flatMap((mapping) => inBackticks(keys).map((key) => below(mapping, key)));
        return { paths, example: example.trim() };
      });
  });

/** What has to be there beside others in a mapping. */
const beside: Record<string, object> = { retention: { versions: 1 }, publisher: { name: 'Us' } };

/** A configuration with this value at this path of keys, and else what has to be there. */
function configured(path: string, value: unknown): object {
  const source = { gtfsRt: 'https://agency.example/vp.pb', every: '20s' };
  const config = { publicUrl: 'https://live.example.org/', streams: { [NAME]: { source } } };
  const keys = path.split('.');
  let mapping = config as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    // A lone feed may be a mapping.
    const inner =
      key === 'gtfsRt' ? { url: mapping.gtfsRt } : { ...beside[key], ...(mapping[key] as object | undefined) };
    mapping[key] = inner;
    mapping = inner as Record<string, unknown>;
  }
  mapping[keys.at(-1) as string] = value;
  return config;
}

const parse = (config: object) => parseConfig(stringify(config), 'config.yml', environment);

/** The keys that a mapping may have, told by the mistake that another one is; none where there is no such mapping. */
function knownKeys(mapping: string): readonly string[] {
  const unknown = '-'.repeat(30);
  try {
    parse(configured(below(mapping, unknown), 0));
  } catch (error) {
    if (!isStreamError(error, 'ERR_CONFIG_INVALID')) throw error;
    const problems = (error.details.problems as string[]).join('\n');
    return new RegExp(`${unknown}: unknown key; known here: (.*)`).exec(problems)?.[1]?.split(', ') ?? [];
  }
  return [];
}

function knownPaths(mapping: string): readonly string[] {
  const paths = knownKeys(mapping).map((key) => below(mapping, key));
  return paths.flatMap((path) => [path, ...knownPaths(path === 'streams' ? below(path, NAME) : path)]);
}

test('the reference has every key that is taken, and no other', () => {
  const documented = rows.flatMap(({ paths }) => paths);
  expect(documented.length).toBeGreaterThan(40);
  expect([...documented].sort()).toEqual([...knownPaths('')].sort());
});

const examples = rows.flatMap(({ paths, example }) =>
  inBackticks(example).flatMap((value) => paths.map((path) => [path, value] as const)),
);

test.each(examples)('the example of %s, %s, is taken', (path, example) => {
  expect(() => parse(configured(path, parseYaml(example)))).not.toThrow();
});

test('the file that the reference begins with is taken', () => {
  const [, file = ''] = /^```yaml\n([^`]+)```$/m.exec(text) ?? [];
  expect(Object.keys(parseConfig(file, 'config.yml', environment).streams)).toEqual(['vehicles', 'service']);
});

test('the help of serve names the reference', () => {
  expect(helpTexts.serve).toContain('specs/configuration.md');
});
