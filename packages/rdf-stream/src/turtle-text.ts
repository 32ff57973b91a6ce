import type { Quad, Term } from '@rdfjs/types';
import { type IriCompactor, iriCompactor } from './iri-compactor.ts';
import { angleBrackets, termText } from './n-quads.ts';
import { groupNodes, type Nodes, nestedAt, termKey } from './nodes.ts';
import { rdf, xsd } from './vocabulary.ts';

// The lexical forms that Turtle reads as these datatypes without quotes.
const BARE: Readonly<Record<string, RegExp>> = {
  [xsd.boolean]: /^(?:true|false)$/,
  [xsd.integer]: /^[+-]?\d+$/,
  [xsd.decimal]: /^[+-]?\d*\.\d+$/,
};

/**
 * Writes checked quads as TriG, which is Turtle where all are in the default graph.
 *
 * Statements come in the order given, those of one subject together while it lasts; blank nodes that are
 * referred to once are nested.
 */
export function turtleText(quads: readonly Quad[], prefixes: Readonly<Record<string, string>>): string {
  const compactor = iriCompactor(quads, prefixes);
  const nodes = groupNodes(quads, new Set());
  const body = runs(quads, nodes)
    .map(({ graph, subjects }) => graphText(graph, subjects, nodes, compactor))
    .join('');
  const head = compactor.used().map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .\n`);
  return [...head, head.length > 0 ? '\n' : '', body].join('');
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

function graphText(graph: Term, subjects: readonly Quad[][], nodes: Nodes, compactor: IriCompactor): string {
  const writeIri = (iri: string) => compactor.compact(iri) ?? angleBrackets(iri);
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
