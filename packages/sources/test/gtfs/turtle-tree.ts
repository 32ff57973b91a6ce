import { prefixes } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { Parser } from 'n3';

/** The base URL that the tests publish under. */
export const publicUrl = 'https://live.example.org/';
export const streamUrl = `${publicUrl}vehicles`;

const header = Object.entries(prefixes)
  .map(([prefix, iri]) => `@prefix ${prefix}: <${iri}> .`)
  .join('\n');

/** What is said of the only thing that a Turtle text describes, in a form that compares. IRIs are relative to the base. */
export function turtleTree(turtle: string): unknown {
  const quads = new Parser({ baseIRI: publicUrl }).parse(`${header}\n${turtle}`);
  return describedTree(quads, quads[0]?.subject as Term);
}

/** What quads say of a subject, blank nodes within each other, in a form that compares. */
export function describedTree(quads: readonly Quad[], subject: Term): unknown {
  const said = quads.filter((quad) => quad.subject.equals(subject));
  return said
    .map(({ predicate, object }) => [predicate.value, described(quads, object)])
    .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

function described(quads: readonly Quad[], term: Term): unknown {
  if (term.termType === 'BlankNode') return describedTree(quads, term);
  return term.termType === 'Literal' ? [term.value, term.language, term.datatype.value] : term.value;
}
