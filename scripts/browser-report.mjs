// What a bundle is made of: its weight, what it has of Node's, and the work of others in it.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { transform } from 'esbuild';

// Names that mean Node, or a bundler that pretends to be Node, where a text uses them without having declared them.
const NODE_GLOBALS = ['process', 'Buffer', 'global', 'require', 'module', '__dirname', '__filename', 'setImmediate'];

// `(disabled):` is a module that a package does without in browsers: code that asks for it would go wrong.
const SHIM =
  /^\(disabled\):|node_modules\/(?:buffer|events|process|readable-stream|setimmediate|util|[^/]+-browserify)\//;

/** Modules in the bundle that stand for one of Node's. */
export function shimsIn({ outputs }) {
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return used.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && SHIM.test(path)).map(([path]) => path);
}

/** Our own modules that the bundle was made from, used or not. */
export const ownSourcesOf = ({ inputs }) => Object.keys(inputs).filter((path) => /^packages\/[^/]+\/src\//.test(path));

/** Folders of the packages of others that the bundle has something of, one nested in another included. */
export function packageFoldersIn({ outputs }) {
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = used.flatMap((path) => {
    return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [];
  });
  return [...new Set(folders)].sort();
}

/** The name of the package in a folder. */
export const packageName = (folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The licenses of the packages of others that the bundle has something of, one after the other. */
export function licensesOf(root, metafile) {
  const texts = packageFoldersIn(metafile).map((path) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((file) => join(folder, file)).find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : ''}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Names of Node's that a text uses without having declared them. */
export async function nodeGlobalsIn(text, loader) {
  // Only names that nothing declares are replaced, which a search of the text could not tell.
  const define = Object.fromEntries(NODE_GLOBALS.map((name) => [name, `NODE_GLOBAL_${name}`]));
  const { code } = await transform(text, { loader, define });
  return [...new Set(Array.from(code.matchAll(/NODE_GLOBAL_(\w+)/g), ([, name]) => name))];
}

/** The weight of each script in bytes: alone, with all that a page loads at once, and with what it may load later. */
export function weigh(outputFiles, { outputs }) {
  const paths = Object.keys(outputs).filter((path) => path.endsWith('.js'));
  const gzipBytes = Object.fromEntries(
    paths.map((path) => {
      const { contents } = outputFiles.find((file) => file.path.replaceAll('\\', '/').endsWith(path));
      return [path, gzipSync(contents, { level: 9 }).length];
    }),
  );
  const reached = (path, kinds, seen = new Set()) => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const next of outputs[path].imports) if (kinds.includes(next.kind)) reached(next.path, kinds, seen);
    return seen;
  };
  const sum = (...args) => [...reached(...args)].reduce((total, path) => total + gzipBytes[path], 0);
  return paths.map((path) => ({
    name: basename(path),
    bytes: outputs[path].bytes,
    gzipBytes: gzipBytes[path],
    firstGzipBytes: sum(path, ['import-statement']),
    wholeGzipBytes: sum(path, ['import-statement', 'dynamic-import']),
  }));
}
