/* The types of what is published, read as by somebody who installs it: with strict checks, those of our files included,
 * and with nothing there but what the packages depend on. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { ROOT } from './support/commands.ts';

const PUBLISHED = ['client', 'latency', 'log', 'query', 'rdf-stream', 'server', 'sources'];
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

test('types of the published packages hold under strict checks, with what they depend on and nothing else', async () => {
  const folder = await temporaryFolder();
  const installed = new Set<string>();
  // Where a package finds another: in its own folder, or in one above it.
  const install = (name: string, above: string) => {
    const folders = [];
    for (let at = above; at.startsWith(ROOT.slice(0, -1)); at = dirname(at))
      folders.push(join(at, 'node_modules', name));
    const found = folders.find((path) => tryManifest(path));
    if (!found || installed.has(name)) return;
    installed.add(name);
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(found, join(folder, 'node_modules', name));
    const { dependencies = {}, peerDependencies = {} } = manifestOf(found);
    for (const each of Object.keys({ ...dependencies, ...peerDependencies })) install(each, found);
  };
  for (const name of PUBLISHED) install(`@ldes-live/${name}`, ROOT);
  install('@types/node', ROOT);
  const imports = PUBLISHED.flatMap((name) => {
    const { exports } = manifestOf(join(ROOT, 'packages', name));
    const entries = Object.entries<{ types?: string }>(exports).filter(([, { types }]) => types);
    return entries.map(([entry]) => `@ldes-live/${name}${entry.slice(1)}`);
  });
  writeFileSync(join(folder, 'index.ts'), imports.map((name, at) => `export * as i${at} from '${name}';\n`).join(''));
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, noEmit: true, preserveSymlinks: true, types: ['node'] },
    ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'] },
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }));
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder];
  const run = () => execFileSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
  expect(imports.length).toBeGreaterThan(PUBLISHED.length);
  expect(outputOf(run)).toBe('');
});

function outputOf(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

function tryManifest(folder: string): object | undefined {
  try {
    return manifestOf(folder);
  } catch {
    return undefined;
  }
}
