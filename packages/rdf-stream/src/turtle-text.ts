import type { Quad, Term } from '@rdfjs/types';
import { checkQuads } from './check-quads.ts';
import { groupNodes, type Nodes, nestedAt, PrefixTable, termKey } from './graph-nodes.ts';
import { angleBrackets, termText } from './term-text.ts';
import { rdf, xsd } from './vocabulary.ts';

// The lexical forms that Turtle reads as these datatypes without quotes.
const BARE: Readonly<Record<string, RegExp>> = {
  [xsd.boolean]: /^(?:true|false)$/,
  [xsd.integer]: /^[+-]?\d+$/,
  [xsd.decimal]: /^[+-]?\d*\.\d+$/,
};

/**
 * Writes quads as TriG, which is Turtle where all are in the default graph. A document may come in pieces; its
 * prefixes are known when all of them are written.
 *
 * Statements come in the order given, those of one subject together while it lasts; blank nodes that are
 * referred to once in a piece are nested.
 */
export class TurtleWriter {
  readonly #format: 'turtle' | 'trig';
  readonly #table: PrefixTable;
  readonly #used = new Set<string>();

  /** @param prefixes - namespaces by prefix; the head declares those that are used */
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
      .map(({ graph, subjects }) => graphText(graph, subjects, nodes, (iri) => this.#iri(iri)))
      .join('');
  }

  /** What comes before the body: the prefixes that were used. */
  head(): string {
    const lines = [...this.#used].sort().map((prefix) => `@prefix ${prefix}: <${this.#table.namespace(prefix)}> .\n`);
    return lines.length > 0 ? `${lines.join('')}\n` : '';
  }

  #iri(iri: string): string {
    const { text, prefix } = this.#table.shorten(iri);
    if (prefix === undefined) return angleBrackets(iri);
    this.#used.add(prefix);
    return text;
  }
}

interface GraphRun {
  readonly graph: Term;
  readonly subjects: Quad[][];
}

// Consecutive quads of one graph, and in it of one subject, without what is nested elsewhere.
function runs(quads: readonly Quad[], nodes: Nodes): GraphRun[] {
  const graphs: GraphRun[] = [];
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
      else {
        text += previous === undefined ? '' : ` ;\n${indent}`;
        text += `${predicate === rdf.type ? 'a' : writeIri(predicate)} `;
      }
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
