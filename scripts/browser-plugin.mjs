import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraryPath = fileURLToPath(new URL('../node_modules/jsonld/lib/jsonld.js', import.meta.url));
const resolveDir = dirname(libraryPath);

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

/** Leaves out of `jsonld` what browsers do not need. */
export const browserPlugin = {
  name: 'jsonld-for-browsers',
  setup(build) {
    build.onResolve({ filter: /^jsonld$/ }, () => ({ path: libraryPath }));
    build.onResolve({ filter: /^(\.\/|rdf-canonize$)/ }, ({ path, importer }) =>
      dirname(importer) === resolveDir && path in STAND_INS ? { path, namespace: 'left-out' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: STAND_INS[path], resolveDir }));
  },
};
