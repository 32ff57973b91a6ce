/* Rules that tests have to keep, read from their texts: what may share a thread, what may draw and wait, how much there is. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const filesIn = (folder: string, named = /\.(ts|mjs)$/) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => named.test(file) && !/(^|[\\/])(node_modules|dist)[\\/]/.test(file))
    .map((file) => join(root, folder, file));
const packages = readdirSync(join(root, 'packages'));
const testFolders = [
  'tests',
  ...packages.map((name) => `packages/${name}/${name === 'test-support' ? 'src' : 'test'}`),
];
const textOf = (path: string) => readFileSync(path, 'utf8');
const nameOf = (path: string) => relative(root, path).split(sep).join('/');
const tests = packages
  .filter((name) => name !== 'test-support')
  .flatMap((name) => filesIn(`packages/${name}/test`))
  .concat(filesIn('tests'));

// What one test of a shared thread would leave to the next, or what belongs to the process.
const ISOLATED =
  /useFakeTimers|vi\.(?:mock|doMock|stubGlobal|stubEnv)\(|spyOn\((?:globalThis|process|console|Math|Date|performance)\b|node:(?:child_process|worker_threads|cluster)|openLmdbStore|process\.chdir|process\.env\.\w+ = /;

/** A file with the other files of tests that it imports. */
function withSupport(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, specifier = ''] of textOf(path).matchAll(/from '(\.[^']+\.ts)'/g)) {
    const imported = join(dirname(path), specifier);
    if (/[\\/]test[\\/]/.test(imported)) withSupport(imported, seen);
  }
  return seen;
}

test('what has fake timers, mocks of modules, spies on globals, threads, processes or LMDB is isolated by its name', () => {
  const shared = tests.filter((path) => /^packages\/.*(?<!\.isolated)\.test\.ts$/.test(nameOf(path)));
  expect(shared.length).toBeGreaterThan(100);
  const wrong = shared.filter((path) => [...withSupport(path)].some((file) => ISOLATED.test(textOf(file))));
  expect(wrong.map(nameOf)).toEqual([]);
});

test('each file that is named as a test is one that a project of the configuration runs', () => {
  const projects = config.test?.projects as { test: { include: string[]; exclude?: string[] } }[];
  const hasMatch = (path: string, globs: string[] = []) => globs.some((glob) => matchesGlob(path, glob));
  const named = ['packages', 'tests'].flatMap((folder) => filesIn(folder, /\.(test|spec)\.[cm]?[jt]sx?$/)).map(nameOf);
  const isRun = (path: string) =>
    projects.some(({ test: { include, exclude } }) => hasMatch(path, include) && !hasMatch(path, exclude));
  expect(named.length).toBeGreaterThan(tests.length / 2);
  expect(named.filter((path) => !isRun(path))).toEqual([]);
});

test('seeds and waits come from the support of tests', () => {
  const own = /from 'fast-check'|vi\.wait(?:For|Until)\(|expect\.poll\(|Math\.random\(|\brandom(?:Bytes|UUID|Int)\(/;
  const wrong = tests.filter((path) => nameOf(path) !== 'tests/rules/tests.test.ts' && own.test(textOf(path)));
  expect(wrong.map(nameOf)).toEqual([]);
});

// Lines of tests and of what they share, and room for a test. A number falls; whoever raises one says why in the commit.
const CEILINGS: Readonly<Record<string, number>> = {
  // With the arithmetic of a soak.
  'packages/bench/test': 1680,
  // With pages, nodes of a cluster, and readers of a private stream.
  'packages/cli/test': 5865,
  // With what a node tells that is cut off.
  'packages/client/test': 8230,
  'packages/latency/test': 1300,
  // With nodes of a cluster over real NATS servers, workers, which have the place of their owner, and disks that change data.
  'packages/log/test': 4070,
  'packages/query/test': 7090,
  'packages/rdf-stream/test': 3790,
  // With pages, nodes of a cluster, workers that answer documents, private streams, HTTPS and hostile terms.
  'packages/server/test': 13_150,
  // With what takes memory or holds the event loop.
  'packages/sources/test': 10_280,
  // With NATS servers and certificates.
  'packages/test-support/src': 1070,
  'packages/web/test': 410,
  // With one query of two publishers, pages behind caches, the page in a browser, a reader of two nodes, clusters of
  // processes: their faults, their readers, and nodes behind Varnish; examples with ports of their own, and the starter of
  // Mosquitto; commits of a log as queries read them; documents, run block by block, and how they are written;
  // private streams behind caches, HTTPS, and licences; disks that are full, or change data; regular expressions. The fuzzer
  // has 2,900 of them, and what measures the limits 1,300.
  tests: 16_910,
};

test('each folder of tests has a ceiling', () => {
  expect(Object.keys(CEILINGS).sort()).toEqual([...testFolders].sort());
});

test.each(testFolders)('%s has no more lines than its ceiling', (folder) => {
  const lines = filesIn(folder).reduce((sum, path) => sum + textOf(path).split('\n').length - 1, 0);
  expect(lines, 'tighten what stands there, or raise its ceiling and say why').toBeLessThanOrEqual(
    CEILINGS[folder] as number,
  );
});
