// `npm run build`: compiles the packages, bundles the pages, and the client for browsers but `--without-bundle`. TypeScript
// compiles where it is installed. Elsewhere esbuild takes the types out, file by file, which production dependencies are
// enough for.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runNode } from './child.mjs';
import { compileComunica } from './compile-comunica.mjs';
import { ensureInstalled } from './ensure-built.mjs';
import { showProgress } from './progress.mjs';
import { removeStale } from './remove-stale.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const TSC = 'node_modules/typescript/bin/tsc';

// The projects that TypeScript builds: the support of tests is none of them.
const { references } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
const modules = references.flatMap(({ path }) =>
  readdirSync(join(path, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => ({
      source: join(path, 'src', file),
      output: join(path, 'dist', file.replace(/\.ts$/, '.js')),
      typeScriptState: join(path, 'dist/.tsbuildinfo'),
    })),
);
const changedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isCompiled = ({ source, output }, sinceMs = 0) => changedMs(output) >= Math.max(changedMs(source), sinceMs);

async function compile() {
  const startedMs = Date.now();
  const withTypeScript = existsSync(TSC);
  // TypeScript compiles anew what it did not compile itself.
  const sinceMs = ({ typeScriptState }) => (withTypeScript && !existsSync(typeScriptState) ? startedMs : 0);
  const countDone = () => modules.filter((module) => isCompiled(module, sinceMs(module))).length;
  const end = showProgress('Build', 'modules', modules.length, countDone);
  if (withTypeScript) await runScript(TSC, '--build');
  else await removeTypes();
  end();
}

async function runScript(...args) {
  const { code } = await runNode(args);
  if (code !== 0) process.exit(code);
}

async function removeTypes() {
  const { transform } = await import('esbuild');
  // Another esbuild, or another way to use it, makes all of it anew.
  const sinceMs = Math.max(...['package-lock.json', 'scripts/build.mjs'].map(changedMs));
  const changed = modules.filter((module) => !isCompiled(module, sinceMs));
  // TypeScript would take what is made here for its own.
  for (const { typeScriptState } of changed) rmSync(typeScriptState, { force: true });
  const settings = { loader: 'ts', target: 'node20', tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } } };
  const removing = changed.map(async ({ source, output }) => {
    const { code } = await transform(readFileSync(source, 'utf8'), { ...settings, sourcefile: source });
    mkdirSync(dirname(output), { recursive: true });
    // Whoever interrupts this leaves no half of a module that would pass for a whole one.
    writeFileSync(`${output}.part`, withPathsOfOutputs(code));
    renameSync(`${output}.part`, output);
  });
  await Promise.all(removing);
}

// esbuild writes each import and export in one form, at the beginning of a line; `import()` stands anywhere.
function withPathsOfOutputs(code) {
  return code
    .replace(/^((?:import|export) (?:[^"'`;]* from )?"\.{1,2}\/[^"]*)\.ts";$/gm, '$1.js";')
    .replace(/\bimport\("(\.{1,2}\/[^"]*)\.ts"\)/g, 'import("$1.js")');
}

/** Whether the pages are of what they are bundled of. */
function arePagesBundled() {
  const bundledMs = changedMs('packages/web/dist/app/index.html');
  const folders = ['web/app', 'client/src', 'latency/src', 'rdf-stream/src'].map((name) => join('packages', name));
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => join(folder, file)),
  );
  return ['package-lock.json', 'scripts/web-bundle.mjs', ...sources].every((path) => changedMs(path) <= bundledMs);
}

await ensureInstalled({ production: true });
await compile();
removeStale();
await compileComunica();
if (!arePagesBundled()) await runScript('scripts/web-bundle.mjs');
if (!process.argv.includes('--without-bundle')) await runScript('scripts/browser-bundle.mjs');
