import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraryPath = fileURLToPath(new URL('../node_modules/jsonld/lib/jsonld.js', import.meta.url));
const resolveDir = dirname(libraryPath);

/**
 * Modules of `jsonld` that its `expand` never reaches, which is all of it that rdf-stream calls: the bundle leaves them
 * out where rdf-stream loads it. A test holds this against the library that is installed.
 */
export const BEYOND_EXPAND = ['./compact', './flatten', './frame', './fromRdf', './nodeMap', './toRdf'];

// What no bundle needs. A call of what is missing throws, it does not go wrong in silence.
const STAND_INS = {
  // Canonicalization sets globals and asks for Node's crypto; of it all only the issuer of labels is in use.
  'rdf-canonize': 'exports.IdentifierIssuer = require("rdf-canonize/lib/IdentifierIssuer.js"); exports.NQuads = {};',
  // It would set a global, and a loader of remote contexts, which are never loaded.
  './platform': 'exports.setupGlobals = exports.setupDocumentLoaders = () => {};',
  './JsonLdProcessor': 'module.exports = () => undefined;',
  './RequestQueue': 'module.exports = {};',
  './NQuads': 'module.exports = {};',
};

/** Leaves out of `jsonld` what browsers do not need, and all but `expand` where it is rdf-stream that loads it. */
export const browserPlugin = {
  name: 'jsonld-for-browsers',
  setup(build) {
    build.onResolve({ filter: /^jsonld$/ }, ({ importer }) =>
      /[\\/]rdf-stream[\\/]/.test(importer)
        ? { path: 'jsonld/lib/jsonld.js', namespace: 'expand-only' }
        : { path: libraryPath },
    );
    build.onResolve({ filter: /^(\.\/|rdf-canonize$)/ }, ({ path, importer, namespace }) => {
      const isExpandOnly = namespace === 'expand-only';
      if (!isExpandOnly && dirname(importer) !== resolveDir) return undefined;
      const isLeftOut = path in STAND_INS || (isExpandOnly && BEYOND_EXPAND.includes(path));
      return isLeftOut ? { path, namespace: 'left-out' } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'expand-only' }, () => ({
      contents: readFileSync(libraryPath, 'utf8'),
      resolveDir,
    }));
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: STAND_INS[path] ?? 'module.exports = {};',
      resolveDir,
    }));
  },
};
