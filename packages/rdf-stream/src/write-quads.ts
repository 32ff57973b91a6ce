import type { Quad } from '@rdfjs/types';
import { checkQuads } from './check-quads.ts';
import type { Format } from './format.ts';
import { PrefixTable } from './graph-nodes.ts';
import { jsonLdDocument } from './json-ld-writer.ts';
import { lineText } from './line-text.ts';
import { TurtleWriter } from './turtle-text.ts';

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
  if (format === 'turtle' || format === 'trig') {
    const writer = new TurtleWriter(format, prefixes);
    const body = writer.body(quads);
    return writer.head() + body;
  }
  checkQuads(quads, format);
  return format === 'jsonld' ? JSON.stringify(jsonLdDocument(quads, new PrefixTable(prefixes))) : lineText(quads);
}
