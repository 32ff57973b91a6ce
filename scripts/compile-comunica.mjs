// `node scripts/compile-comunica.mjs`: writes packages/query/dist/comunica/engine.mjs, the engine of queries as one module:
// Comunica's own configuration for RDF/JS sources without what reads and writes documents, compiled by Components.js as
// Comunica compiles it, and bundled. It loads in a fraction of the time of its modules, and needs nothing of Node's.
// What is there and newer than all it is made of stays. Vitest calls this too, before the first test.
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { licensesOf } from './browser-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(root, 'packages/query/dist/comunica/engine.mjs');
const INPUTS = ['package-lock.json', 'scripts/compile-comunica.mjs'].map((path) => join(root, path));

const CONFIGURATION = 'config/config-rdfjs-lite-v5-4-0.json';
const RUNNER = 'urn:comunica:default:Runner';
const ENTRY = `
export { default as createRunner } from 'compiled-configuration';
export { ActorQueryOperationPathNps } from '@comunica/actor-query-operation-path-nps';
export { TermFunctionRegex } from '@comunica/actor-function-factory-term-regex';
export { ActionContextKey, Actor } from '@comunica/core';
export { QueryEngineBase } from '@comunica/actor-init-query';
export { KeysQuerySourceIdentify } from '@comunica/context-entries';
export { bool } from '@comunica/utils-expression-evaluator';
export { ArrayIterator, AsyncIterator, getTaskScheduler, setTaskScheduler, TransformIterator, UnionIterator } from 'asynciterator';
export { toAlgebra12Builder } from '@traqula/algebra-sparql-1-2';
// Comunica reads its iterators faster where they are of its own copy of asynciterator.
export { RdfStore, RdfStoreIndexNestedMap } from 'rdf-stores';
`;

export async function compileComunica() {
  const changedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedMs(OUTPUT) >= Math.max(...INPUTS.map(changedMs))) return;
  // Packages are found from where Comunica's engine finds them: there may be others of the same name.
  const engine = createRequire(import.meta.url).resolve('@comunica/query-sparql-rdfjs/package.json');
  const folderOf = (name) => dirname(createRequire(engine).resolve(`${name}/package.json`));
  const compiled = await compile(dirname(engine), join(folderOf('@comunica/config-query-sparql'), CONFIGURATION));
  const { metafile, outputFiles } = await bundle(dirname(engine), compiled, {
    // The part of the package that runs, without the one that reads configurations.
    '@comunica/runner': join(folderOf('@comunica/runner'), 'lib/Runner.js'),
    // One copy of each, the one that Comunica requires.
    asynciterator: createRequire(engine).resolve('asynciterator'),
    '@traqula/algebra-sparql-1-2': createRequire(engine).resolve('@traqula/algebra-sparql-1-2'),
  });
  mkdirSync(dirname(OUTPUT), { recursive: true });
  writeFileSync(join(dirname(OUTPUT), 'LICENSES.txt'), licensesOf(root, metafile));
  // Whoever interrupts this leaves no half of an engine that would pass for a whole one.
  writeFileSync(`${OUTPUT}.part`, outputFiles[0].contents);
  renameSync(`${OUTPUT}.part`, OUTPUT);
}

async function compile(folder, configuration) {
  const { compileConfig } = await import('componentsjs');
  return await compileConfig(folder, configuration, RUNNER, undefined, true, true);
}

async function bundle(resolveDir, compiled, alias) {
  const { build } = await import('esbuild');
  const plugin = {
    name: 'compiled-configuration',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^compiled-configuration$/ }, ({ path }) => ({ path, namespace: 'comunica' }));
      onLoad({ filter: /.*/, namespace: 'comunica' }, () => ({ contents: compiled, resolveDir }));
    },
  };
  return await build({
    absWorkingDir: root,
    stdin: { contents: ENTRY, resolveDir },
    plugins: [plugin],
    alias,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    outfile: OUTPUT,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    write: false,
  });
}

export { compileComunica as setup };

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileComunica();
