// `node scripts/web-bundle.mjs`: bundles the page of packages/web into files that never change, named by their content, with
// a copy of each in gzip and in Brotli; prints what each view loads. `--json` writes nothing and prints all that is known.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { geoEquirectangular } from 'd3-geo';
import { geoProject } from 'd3-geo-projection';
import { build } from 'esbuild';
import { feature, mesh } from 'topojson-client';
import { browserPlugin } from './browser-plugin.mjs';
import { licensesOf, weigh } from './browser-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const app = 'packages/web/app';

// What is loaded as a file of its own, by its address, and is no part of a script.
const byAddress = {
  name: 'files-by-address',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /\?url$/ }, async ({ path, importer, resolveDir, kind }) => {
      const [file, part] = path.slice(0, -'?url'.length).split('#');
      const { path: found } = await resolve(file, { importer, resolveDir, kind });
      // Named by what it becomes: two parts of a file are two files.
      const named = part ? found.replace(/\.json$/, `-${part}.json`) : found;
      return { path: named, namespace: 'by-address', pluginData: { file: found, part } };
    });
    onLoad({ filter: /.*/, namespace: 'by-address' }, ({ pluginData: { file, part } }) => {
      return { contents: part ? geometryOf(file, part) : readFileSync(file), loader: 'file' };
    });
  },
};

/** A part of an atlas as GeoJSON, which the map's worker reads by itself; two decimals are a kilometre, three a hundred metres. */
function geometryOf(file, part) {
  const atlas = JSON.parse(readFileSync(file, 'utf8'));
  const { land, countries } = atlas.objects;
  const inner = (a, b) => a !== b;
  const made = part === 'land' ? feature(atlas, land) : mesh(atlas, countries, inner);
  const decimals = file.includes('10m') ? 3 : 2;
  // Rings that go on beyond 180 degrees are cut there: a flat map would draw them back across the whole of it.
  const degrees = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .reflectY(true)
    .precision(0);
  return JSON.stringify(geoProject(made, degrees), (_key, value) =>
    typeof value === 'number' ? Number(value.toFixed(decimals)) : value,
  );
}

const { outputFiles, metafile: made } = await build({
  absWorkingDir: root,
  entryPoints: [`${app}/main.tsx`, `${app}/style.css`, `${app}/icon.svg`],
  outdir: 'out',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  conditions: ['@ldes-live/source'],
  minify: true,
  write: false,
  metafile: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  legalComments: 'none',
  plugins: [browserPlugin, byAddress],
});

// Files by their address are somebody's work too.
const metafile = JSON.parse(JSON.stringify(made).replaceAll(/by-address:[^"]*?(?=node_modules\/)/g, ''));
const written = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
const entry = (pattern) => [...written.keys()].find((name) => pattern.test(name));
const page = readFileSync(join(root, app, 'index.html'), 'utf8')
  .replace('MAIN', entry(/^main-.*\.js$/))
  .replace('STYLE', entry(/^style-.*\.css$/))
  .replace('ICON', entry(/^icon-.*\.svg$/));

const scripts = weigh(outputFiles, metafile);
// What a script is named by: the first of our own modules in it.
const viewOf = (name) => {
  const { entryPoint } = metafile.outputs[`out/${name}`];
  return entryPoint ? basename(entryPoint).replace(/\.tsx?$/, '') : undefined;
};
const main = scripts.find(({ name }) => viewOf(name) === 'main');
const views = scripts.flatMap((script) => {
  const view = viewOf(script.name);
  return view === undefined ? [] : [{ view, ...script }];
});

if (parseArgs({ options: { json: { type: 'boolean' } } }).values.json) {
  console.log(JSON.stringify({ firstGzipBytes: main.firstGzipBytes, views, files: [...written.keys()] }));
} else {
  const folder = join(root, 'packages/web/dist/app');
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(join(part, 'assets'), { recursive: true });
  for (const [name, contents] of written) {
    writeFileSync(join(part, 'assets', name), contents);
    const gzipped = gzipSync(contents, { level: 9 });
    writeFileSync(join(part, 'assets', `${name}.gz`), gzipped);
    const params = { [constants.BROTLI_PARAM_QUALITY]: contents.length > 500_000 ? 9 : 11 };
    const brotli = brotliCompressSync(contents, { params });
    // Of long lists of numbers it is no smaller: everybody who installs the page is spared two megabytes.
    if (brotli.length < 0.95 * gzipped.length) writeFileSync(join(part, 'assets', `${name}.br`), brotli);
  }
  writeFileSync(join(part, 'index.html'), page);
  writeFileSync(join(part, 'LICENSES.txt'), licensesOf(root, metafile));
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  console.log(`page, first view: ${kilobytes(main.firstGzipBytes)} of JavaScript, gzipped`);
  for (const { view, firstGzipBytes, name } of views) {
    if (name !== main.name)
      console.log(`page, ${view}: ${kilobytes(firstGzipBytes)} with what it shares with others, gzipped`);
  }
}
