import { readFileSync } from 'node:fs';
import { isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { parse as parseYaml, stringify } from 'yaml';
import { parseConfig } from '../../src/config/parse-config.ts';
import { helpTexts } from '../../src/help-text.ts';

const text = readFileSync(new URL('../../../../specs/configuration.md', import.meta.url), 'utf8');
/** What the reference calls NAME. */
const NAME = 'vehicles';
const environment = { AGENCY_KEY: 'secret', NODE: 'node-a' };

const inBackticks = (from: string) => [...from.matchAll(/`([^`]+)`/g)].map(([, inner]) => inner as string);
const below = (mapping: string, key: string) => (mapping === '' ? key : `${mapping}.${key}`);

/** A source of each kind, with no more than has to be there. */
const SOURCES = {
  gtfsRt: { gtfsRt: 'https://agency.example/vp.pb', every: '20s' },
  gtfs: { gtfs: 'https://agency.example/gtfs.zip' },
  json: { json: 'https://city.example/garages.json', every: '60s', mapping: {} },
  gbfs: { gbfs: 'https://bikes.example/gbfs.json', feed: 'station_status' },
  sensorThings: { sensorThings: 'https://sensors.example/v1.1/', every: '60s' },
  mqtt: { mqtt: 'mqtt://broker.example', topics: 'a', mapping: {} },
  post: { post: true, tokens: ['0'.repeat(64)] },
} as const;
type Kind = keyof typeof SOURCES;
const KINDS = Object.keys(SOURCES) as Kind[];
/** The first: what is said of no kind is looked for there. */
const FIRST = 'gtfsRt';

/** The rows of the tables below headings: the paths of the keys of each, its example in backticks, and of which kinds. */
const rows = text
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const [what = '', kinds = ''] = heading.split(' with ');
    const named = inBackticks(what).map((path) => path.replace('NAME', NAME));
    const mappings = named.length > 0 ? named : [''];
    return lines
      .filter((line) => line.startsWith('| `'))
      .map((line) => {
        const [keys = '', , , example = ''] = line.slice(1, -1).split('|');
        const paths = mappings.flatMap((mapping) => inBackticks(keys).map((key) => below(mapping, key)));
        return { paths, example: example.trim(), kinds: kinds === '' ? [FIRST] : (inBackticks(kinds) as Kind[]) };
      });
  });

/** The paths of the keys of each row that a source of this kind can have. */
const ofKind = (kind: Kind, { kinds, paths }: (typeof rows)[number]) =>
  kinds.includes(kind)
    ? paths.filter((path) => !KINDS.some((other) => other !== kind && path.includes(`.source.${other}.`)))
    : [];

/** What has to be there beside others in a mapping. */
const beside: Record<string, object> = {
  retention: { versions: 1 },
  publisher: { name: 'Us' },
  contact: { name: 'Us' },
  sites: { url: 'http://a/' },
  pages: { next: 'a' },
};
/** What mappings of names are named in the reference. */
const named: Record<string, string> = { streams: NAME, lookups: 'sites' };
/** What may be a bare value too, and the key that it stands for. */
const bare: Record<string, string> = { gtfsRt: 'url', json: 'url', topics: 'filter' };

/** A configuration with this value at this path of keys, and else what has to be there. */
function configured(path: string, value: unknown, kind: Kind): object {
  const streams = { [NAME]: { source: { ...SOURCES[kind] } }, timetable: { source: SOURCES.gtfs } };
  const store = /^(?:nats|node)\b/.test(path) && { store: 'nats://host:4222' };
  const config = { publicUrl: 'https://live.example.org/', ...store, streams };
  const keys = path.split('.');
  let mapping = config as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    const said = mapping[key];
    const inner =
      typeof said === 'string' ? { [bare[key] as string]: said } : { ...beside[key], ...(said as object | undefined) };
    mapping[key] = inner;
    mapping = inner as Record<string, unknown>;
  }
  const last = keys.at(-1) as string;
  if (last === 'preset') mapping.mapping = undefined;
  mapping[last] = value;
  return config;
}

const parse = (config: object) => parseConfig(stringify(config), 'config.yml', environment);

/** The keys that a mapping may have, told by the mistake that another one is; none where there is no such mapping. */
function knownKeys(mapping: string, kind: Kind): readonly string[] {
  const unknown = '-'.repeat(30);
  try {
    parse(configured(below(mapping, unknown), 0, kind));
  } catch (error) {
    if (!isStreamError(error, 'ERR_CONFIG_INVALID')) throw error;
    const problems = (error.details.problems as string[]).join('\n');
    return new RegExp(`${unknown}: unknown key; known here: (.*)`).exec(problems)?.[1]?.split(', ') ?? [];
  }
  return [];
}

function knownPaths(mapping: string, kind: Kind): readonly string[] {
  const paths = knownKeys(mapping, kind).map((key) => [key, below(mapping, key)] as const);
  return paths.flatMap(([key, path]) => {
    const name = named[key];
    return [path, ...knownPaths(name === undefined ? path : below(path, name), kind)];
  });
}

test.each(KINDS)('the reference has every key that is taken of a source with %s, and no other', (kind) => {
  const known = knownPaths('', kind).filter((path) => kind === FIRST || path.includes('.source.'));
  const documented = rows.flatMap((row) => ofKind(kind, row));
  expect(examples.filter(([, , of]) => of === kind).length).toBeGreaterThan(10);
  expect([...documented].sort()).toEqual([...known].sort());
});

const examples = rows.flatMap((row) =>
  inBackticks(row.example).flatMap((value) =>
    KINDS.flatMap((kind) => ofKind(kind, row).map((path) => [path, value, kind] as const)),
  ),
);

test.each(examples)('the example of %s, %s, is taken of a source with %s', (path, example, kind) => {
  expect(() => parse(configured(path, parseYaml(example), kind))).not.toThrow();
});

test('the file that the reference begins with is taken', () => {
  const [, file = ''] = /^```yaml\n([^`]+)```$/m.exec(text) ?? [];
  expect(Object.keys(parseConfig(file, 'config.yml', environment).config.streams)).toEqual(['vehicles', 'service']);
});

test('the help of serve names the reference', () => {
  expect(helpTexts.serve).toContain('specs/configuration.md');
});
