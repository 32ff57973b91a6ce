// Quads to documents: the five formats, and the writer of Turtle and TriG, which nests blank nodes and declares the
// prefixes that are used, and no others.
//
//   writeQuads([quad(<http://e/s>, <http://e/p>, "5"^^xsd:integer)], 'turtle', { e: 'http://e/' })
//   -> @prefix e: <http://e/> .
//
//      e:s e:p 5 .
//
// Why the Turtle writer is our own: specs/dependencies.md.

import type { Quad, Term } from '@rdfjs/types';
import { groupNodes, type Nodes, nestedAt, PrefixTable } from './graph-nodes.ts';
import { jsonLdDocument } from './json-ld-writer.ts';
import { angleBrackets, lineText, termText } from './n-quads.ts';
import type { Format } from './protocol.ts';
import { checkQuads, termKey } from './terms.ts';
import { rdf, xsd } from './vocabulary.ts';

/**
 * Writes quads as a document, in their order; in JSON-LD nodes come in order of first appearance. Equal quads in equal
 * order give equal text.
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

/**
 * The N-Quads of what is about to be published, as {@link writeQuads} writes them.
 *
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - as `checkQuads`
 */
export function writeNewQuads(quads: readonly Quad[]): string {
  checkQuads(quads, 'nquads', true);
  return lineText(quads);
}

/**
 * Writes Turtle or TriG. A document may come in pieces; its prefixes are known when all of them are written. Statements
 * come in the order given; blank nodes that are referred to once in a piece are nested.
 */
export class TurtleWriter {
  readonly #format: 'turtle' | 'trig';
  readonly #table: PrefixTable;
  readonly #used = new Set<string>();

  /** With namespaces by prefix; the head declares those that are used. */
  constructor(format: 'turtle' | 'trig', prefixes: Readonly<Record<string, string>>) {
    this.#format = format;
    this.#table = new PrefixTable(prefixes);
  }

  /**
   * A piece of the body: a blank node of it may be in no other piece.
   *
   * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED`, `ERR_TERM_UNSUPPORTED` - as {@link writeQuads}
   */
  body(quads: readonly Quad[]): string {
    checkQuads(quads, this.#format);
    const nodes = groupNodes(quads, new Set());
    return runs(quads, nodes)
      .map(({ graph, subjects }) => graphText(graph, subjects, nodes, this.#iri))
      .join('');
  }

  /** What comes before the body: the prefixes that were used. */
  head(): string {
    const lines = [...this.#used].sort().map((prefix) => `@prefix ${prefix}: <${this.#table.namespace(prefix)}> .\n`);
    return lines.length > 0 ? `${lines.join('')}\n` : '';
  }

  readonly #iri = (iri: string): string => {
    const { text, prefix } = this.#table.shorten(iri);
    if (prefix === undefined) return angleBrackets(iri);
    this.#used.add(prefix);
    return text;
  };
}

// The lexical forms that Turtle reads as these datatypes without quotes.
const BARE: Readonly<Record<string, RegExp>> = {
  [xsd.boolean]: /^(?:true|false)$/,
  [xsd.integer]: /^[+-]?\d+$/,
  [xsd.decimal]: /^[+-]?\d*\.\d+$/,
};

// Consecutive quads of one graph, and in it of one subject, without what is nested elsewhere.
function runs(quads: readonly Quad[], nodes: Nodes): { readonly graph: Term; readonly subjects: Quad[][] }[] {
  const graphs: ReturnType<typeof runs> = [];
  for (const quad of quads) {
    if (nodes.get(termKey(quad.graph))?.get(termKey(quad.subject))?.reference) continue;
    let run = graphs.at(-1);
    if (!run?.graph.equals(quad.graph)) {
      run = { graph: quad.graph, subjects: [] };
      graphs.push(run);
    }
    const last = run.subjects.at(-1);
    if (last?.[0]?.subject.equals(quad.subject)) last.push(quad);
    else run.subjects.push([quad]);
  }
  return graphs;
}

function graphText(graph: Term, subjects: readonly Quad[][], nodes: Nodes, writeIri: (iri: string) => string): string {
  const objectText = (quad: Quad, indent: string): string => {
    const { object } = quad;
    const nested = nestedAt(nodes, quad);
    if (nested) return `[\n${indent}  ${propertiesText(nested.quads, `${indent}  `)}\n${indent}]`;
    const bare = object.termType === 'Literal' && BARE[object.datatype.value]?.test(object.value);
    return bare ? object.value : termText(object, writeIri);
  };
  const propertiesText = (quads: readonly Quad[], indent: string): string => {
    let text = '';
    let previous: string | undefined;
    for (const quad of quads) {
      const predicate = quad.predicate.value;
      if (previous === predicate) text += ', ';
      else text += `${text && ` ;\n${indent}`}${predicate === rdf.type ? 'a' : writeIri(predicate)} `;
      text += objectText(quad, indent);
      previous = predicate;
    }
    return text;
  };
  const named = graph.termType !== 'DefaultGraph';
  const indent = named ? '  ' : '';
  const body = subjects.map((quads) => {
    const subject = termText((quads[0] as Quad).subject, writeIri);
    return `${indent}${subject} ${propertiesText(quads, `${indent}  `)} .\n`;
  });
  return named ? `${termText(graph, writeIri)} {\n${body.join('')}}\n` : body.join('');
}
