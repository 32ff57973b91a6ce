import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// What each package may import of the others; rdf-stream and latency are the ground.
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'rdf-stream': [],
  latency: [],
  codec: ['rdf-stream'],
  log: ['rdf-stream', 'codec'],
  sources: ['rdf-stream', 'latency'],
  server: ['rdf-stream', 'codec', 'latency', 'log'],
  client: ['rdf-stream', 'codec', 'latency'],
  query: ['rdf-stream', 'latency'],
  bench: ['rdf-stream', 'latency', 'log', 'sources', 'server', 'client', 'query', 'cli'],
  cli: ['rdf-stream', 'latency', 'codec', 'log', 'sources', 'server', 'client', 'query'],
};

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));
const read = (path: string) => readFileSync(`${packages}${path}`, 'utf8');
const ownOf = (names: Iterable<string>) => [...names].flatMap((name) => /^@ldes-live\/([^/]+)/.exec(name)?.[1] ?? []);

test('every package has its place in the table, but for the support of tests, which nobody publishes', () => {
  expect(readdirSync(packages).sort()).toEqual([...Object.keys(ALLOWED), 'test-support'].sort());
});

test.each(Object.entries(ALLOWED))(
  '%s depends on, refers to and imports only what its place allows',
  (name, allowed) => {
    const manifest = JSON.parse(read(`${name}/package.json`));
    const references: { path: string }[] = JSON.parse(read(`${name}/tsconfig.json`)).references ?? [];
    const isOptional = (peer: string) => manifest.peerDependenciesMeta?.[peer]?.optional === true;
    // What a package only loads where somebody has installed it, by a name that its types do not know, has no direction.
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter((peer) => !isOptional(peer));
    const dependencies = ownOf([...Object.keys(manifest.dependencies ?? {}), ...peers]);
    const built = references.map(({ path }) => path.slice('../'.length));
    const imported = new Set<string>();
    for (const file of readdirSync(`${packages}${name}/src`, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const source = read(`${name}/src/${file}`);
      for (const [, specifier] of source.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
        for (const own of ownOf([specifier as string])) imported.add(own);
        // Past its own folder there is only the public entry of another package.
        expect(specifier, file).not.toMatch(/\/(?:src|dist)\//);
      }
    }
    for (const found of [dependencies, built, [...imported]]) {
      expect(found.filter((own) => !allowed.includes(own))).toEqual([]);
    }
    expect([...imported].filter((own) => !dependencies.includes(own))).toEqual([]);
    expect(dependencies.filter((own) => !built.includes(own))).toEqual([]);
  },
);
