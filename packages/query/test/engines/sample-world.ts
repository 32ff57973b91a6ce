import type { Quad, Term } from '@rdfjs/types';
import { Parser } from 'n3';
import type { EngineStore } from '../../src/engines/engine.ts';

export const EX = 'http://example.org/';
export const PREFIXES = `PREFIX ex: <${EX}> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>`;

/** A small transit network: vehicles, lines that follow one another, notes by blank nodes, and two named graphs. */
export const SAMPLE = `
  ex:bus1 a ex:Bus ; ex:line ex:l1 ; ex:delay 60 ; ex:name "Bus one"@en, "Bus een"@nl .
  ex:bus2 a ex:Bus ; ex:line ex:l1 ; ex:delay 120 .
  ex:bus3 a ex:Bus ; ex:line ex:l2 .
  ex:tram1 a ex:Tram ; ex:line ex:l2 ; ex:delay 30 .
  ex:l1 ex:next ex:l2 . ex:l2 ex:next ex:l3 . ex:l3 ex:next ex:l1 .
  _:m1b0 ex:about ex:bus1 ; ex:says "late" .
  _:m2b0 ex:about _:m1b0 ; ex:says "really" .
  ex:g1 { ex:bus1 ex:load 5 } ex:g2 { ex:bus2 ex:load 7 . ex:bus1 ex:load 6 }
`;

/** Quads of TriG, blank nodes by the labels that they have there. */
export function quadsOf(trig: string): Quad[] {
  return new Parser({ format: 'application/trig', blankNodePrefix: '' }).parse(`${PREFIXES} ${trig}`);
}

/** Adds what TriG says. */
export function fill(store: EngineStore, trig: string): void {
  for (const quad of quadsOf(trig)) store.add(quad);
}

const NUMBER = /#(?:integer|decimal|double|float)$/;

/** A term as text; numbers by their value, IRIs of the sample without what they begin by. */
export function shown(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return term.value.replace(EX, '');
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal':
      if (NUMBER.test(term.datatype.value)) return String(Number(term.value));
      if (term.datatype.value.endsWith('#boolean')) return term.value;
      return JSON.stringify(term.value) + (term.language && `@${term.language}`);
    case 'Quad':
      return `<<${shown(term.subject)} ${shown(term.predicate)} ${shown(term.object)}>>`;
    default:
      return term.termType;
  }
}

/** A row as text, variables in the order of their names. */
export function shownRow(row: Readonly<Record<string, Term>>): string {
  const names = Object.keys(row).sort();
  return names.map((name) => `${name}=${shown(row[name] as Term)}`).join(' ');
}
