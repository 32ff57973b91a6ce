/* Rules of this repository, read from its texts: directions of packages, codes of errors, figures, the client's README. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchmarksMarkdown } from '@ldes-live/bench';
import { DEFAULT_LIMITS } from '@ldes-live/client';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

// What each package may import of the others; rdf-stream and latency are the ground.
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'rdf-stream': [],
  latency: [],
  log: ['rdf-stream'],
  sources: ['rdf-stream', 'latency'],
  server: ['rdf-stream', 'latency', 'log'],
  client: ['rdf-stream', 'latency'],
  query: ['rdf-stream', 'latency'],
  web: ['client', 'rdf-stream', 'latency'],
  bench: ['rdf-stream', 'latency', 'log', 'sources', 'server', 'client', 'query', 'web', 'cli'],
  cli: ['rdf-stream', 'latency', 'log', 'sources', 'server', 'client', 'query', 'web'],
};

// The command is installed as `ldes-live`, and lives in `cli`.
const folderOf = (name: string) =>
  /^ldes-live(?:\/|$)/.test(name) ? 'cli' : (/^@ldes-live\/([^/]+)/.exec(name)?.[1] ?? []);
const ownOf = (names: Iterable<string>) => [...names].flatMap(folderOf);

/** The packages that the modules of a folder import. */
function importsOf(folder: string): Set<string> {
  const imported = new Set<string>();
  for (const file of readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const [, specifier] of read(`${folder}/${file}`).matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
      for (const own of ownOf([specifier as string])) imported.add(own);
      // Past its own folder there is only the public entry of another package.
      expect(specifier, file).not.toMatch(/^(?:\.|@ldes-live\/).*\/(?:src|dist)\//);
    }
  }
  return imported;
}

test('every package has its place in the table, but for the support of tests, which nobody publishes', () => {
  expect(readdirSync(`${root}packages`).sort()).toEqual([...Object.keys(ALLOWED), 'test-support'].sort());
});

test.each(Object.entries(ALLOWED))(
  '%s depends on, refers to and imports only what its place allows',
  (name, allowed) => {
    const manifest = JSON.parse(read(`packages/${name}/package.json`));
    const references: { path: string }[] = JSON.parse(read(`packages/${name}/tsconfig.json`)).references ?? [];
    const isOptional = (peer: string) => manifest.peerDependenciesMeta?.[peer]?.optional === true;
    // What a package only loads where somebody has installed it, by a name that its types do not know, has no direction.
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter((peer) => !isOptional(peer));
    const dependencies = ownOf([...Object.keys(manifest.dependencies ?? {}), ...peers]);
    const choices = ownOf(Object.keys(manifest.peerDependencies ?? {}).filter(isOptional));
    const built = references.map(({ path }) => path.slice('../'.length));
    const imported = importsOf(`packages/${name}/src`);
    // What is bundled is installed by nobody.
    const bundled = existsSync(`${root}packages/${name}/app`) ? importsOf(`packages/${name}/app`) : [];
    for (const found of [dependencies, built, [...imported, ...bundled]]) {
      expect(found.filter((own) => !allowed.includes(own))).toEqual([]);
    }
    expect([...imported].filter((own) => ![...dependencies, ...choices].includes(own))).toEqual([]);
    expect(dependencies.filter((own) => !built.includes(own))).toEqual([]);
  },
);

const documented = [...read('specs/errors.md').matchAll(/^#+ (ERR_[A-Z0-9_]+)$/gm)].map(([, code]) => code as string);
const thrown = readdirSync(`${root}packages`).flatMap((name) =>
  readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)errors\.ts$/.test(file))
    .flatMap((file) => [...read(`packages/${name}/src/${file}`).matchAll(/^\s+(ERR_[A-Z0-9_]+):/gm)])
    .map(([, code]) => code as string),
);

test('every code that can be thrown has a section, and every section a code', () => {
  expect(thrown.filter((code) => !documented.includes(code))).toEqual([]);
  expect(documented.filter((code) => !thrown.includes(code))).toEqual([]);
});

test('no two errors share a code', () => {
  expect(thrown.length).toBeGreaterThan(20);
  expect(thrown.filter((code, index) => thrown.indexOf(code) !== index)).toEqual([]);
  expect(documented.filter((code, index) => documented.indexOf(code) !== index)).toEqual([]);
});

const PUBLISHED = ['e1', 'e2', 'e3', 'e4'];
/** A median of fewer says nothing about spread. */
const LEAST_REPEATS = 3;

type KeptResult = Readonly<{ experiment: string; quick: boolean; cells: { repeat: number }[] }>;

const kept = readdirSync(`${root}benchmarks`)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(read(`benchmarks/${name}`)) as KeptResult);

test('BENCHMARKS.md is made from the figures that are kept, and from nothing else', async () => {
  expect(read('BENCHMARKS.md')).toBe(await benchmarksMarkdown(`${root}benchmarks`));
});

test('the figures that are kept are of full runs, and those of published experiments have repeats', () => {
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.filter(({ quick }) => quick)).toEqual([]);
  for (const { experiment, cells } of kept.filter((one) => PUBLISHED.includes(one.experiment))) {
    const repeats = 1 + Math.max(...cells.map(({ repeat }) => repeat));
    expect(repeats, experiment).toBeGreaterThanOrEqual(LEAST_REPEATS);
  }
});

test('the figures of all published experiments are kept', () => {
  expect(kept.map(({ experiment }) => experiment)).toEqual(expect.arrayContaining(PUBLISHED));
});

const readme = read('packages/client/README.md');

test('the README of the client has each limit with its default', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\| [^|]+\| (\d+) +\|$/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]);
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIMITS);
});

test('the errors that the README of the client names are in the specification', () => {
  const codes = new Set(readme.match(/ERR_[A-Z_]+/g));
  const sections = read('specs/errors.md');
  expect(codes.size).toBeGreaterThan(10);
  expect([...codes].filter((code) => !sections.includes(`### ${code}\n`))).toEqual([]);
});

test('the folders of the server import one way, types included', () => {
  const base = `${root}packages/server/src`;
  const imports = new Map<string, Set<string>>();
  const nodeOf = (path: string) => path.split('/', 1)[0] as string;
  for (const file of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, specifier] of read(`packages/server/src/${file}`).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const from = nodeOf(file);
      const to = nodeOf(posix.join(posix.dirname(file), specifier as string));
      if (to !== from) imports.set(from, new Set([...(imports.get(from) ?? []), to]));
    }
  }
  // What nothing is left below of is taken away: a knot stays.
  for (let isDone = false; !isDone; ) {
    const ground = [...imports].filter(([, targets]) => ![...targets].some((target) => imports.has(target)));
    for (const [node] of ground) imports.delete(node);
    isDone = ground.length === 0;
  }
  expect(
    Object.fromEntries([...imports].map(([node, targets]) => [node, [...targets].filter((to) => imports.has(to))])),
  ).toEqual({});
});
