import type { Quad } from '@rdfjs/types';
import { jsonLdDocument } from './json-ld-document.ts';
import { lineText } from './n-quads.ts';
import type { Format } from './protocol.ts';
import { checkQuads } from './terms.ts';
import { turtleText } from './turtle-text.ts';

/**
 * Writes quads as a document. Equal quads in equal order give equal text.
 *
 * Every format but JSON-LD keeps the order of the quads; in JSON-LD nodes come in order of first appearance.
 *
 * @param prefixes - namespaces by prefix, for Turtle, TriG and JSON-LD; the document declares those that it uses
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in Turtle or N-Triples
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - as `checkQuads`
 */
export function writeQuads(quads: readonly Quad[], format: Format, prefixes: Readonly<Record<string, string>>): string {
  checkQuads(quads, format);
  switch (format) {
    case 'jsonld':
      return JSON.stringify(jsonLdDocument(quads, prefixes));
    case 'turtle':
    case 'trig':
      return turtleText(quads, prefixes);
    case 'nquads':
    case 'ntriples':
      return lineText(quads);
  }
}
