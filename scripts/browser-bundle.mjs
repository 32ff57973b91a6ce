// `node scripts/browser-bundle.mjs`: bundles the client for browsers, from its sources, and prints what it weighs.
// `--out FOLDER` puts it elsewhere; `--json` writes nothing and prints all that is known of it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { browserPlugin } from './browser-plugin.mjs';
import {
  licensesOf,
  nodeGlobalsIn,
  ownSourcesOf,
  packageFoldersIn,
  packageName,
  shimsIn,
  weigh,
} from './browser-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const settings = {
  absWorkingDir: root,
  outdir: 'out',
  bundle: true,
  platform: 'browser',
  write: false,
  metafile: true,
  plugins: [browserPlugin],
};

// A module of Node's own is an error here: in browsers there is nothing that it could be.
const { outputFiles, metafile } = await build({
  ...settings,
  entryPoints: {
    'ldes-live-client': 'packages/client/src/index.ts',
    'ldes-live-client-json': 'packages/client/src/json.ts',
  },
  conditions: ['@ldes-live/source'],
  format: 'esm',
  target: 'es2022',
  minify: true,
  // What reads JSON-LD is more than half of all, and most who pull never meet it.
  splitting: true,
  chunkNames: '[name]-[hash]',
  sourcemap: true,
  legalComments: 'none',
  banner: { js: '/*! @ldes-live/client, MIT; for the work of others in it see LICENSES.txt */' },
});

/** `file: name` of each name of Node's that the bundle or one of our own modules in it uses. */
async function nodeGlobals() {
  const own = ownSourcesOf(metafile).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
    loader: 'ts',
  }));
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js')).map(({ path, text }) => ({ path, text }));
  const found = await Promise.all(
    [...own, ...scripts].map(async ({ path, text, loader = 'js' }) =>
      (await nodeGlobalsIn(text, loader)).map((name) => `${basename(path)}: ${name}`),
    ),
  );
  return found.flat();
}

const { out, json } = parseArgs({ options: { out: { type: 'string' }, json: { type: 'boolean' } } }).values;
const report = {
  files: weigh(outputFiles, metafile),
  ownSources: ownSourcesOf(metafile),
  packages: packageFoldersIn(metafile).map(packageName).sort(),
  problems: [...shimsIn(metafile), ...(await nodeGlobals())],
};
if (json) console.log(JSON.stringify(report));
else {
  const folder = out ?? join(root, 'packages/client/dist/browser');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents);
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(root, metafile));
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  for (const { name, bytes, gzipBytes } of report.files) {
    console.log(`${name}: ${kilobytes(bytes)} minified, ${kilobytes(gzipBytes)} gzipped`);
  }
  if (report.problems.length > 0) {
    console.error(`The bundle needs what browsers do not have:\n${report.problems.join('\n')}`);
    process.exitCode = 1;
  }
}
