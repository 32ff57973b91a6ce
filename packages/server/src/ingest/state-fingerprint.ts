import { createHash } from 'node:crypto';
import { blankNode, quad as makeQuad, writeQuads } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';

/** Characters of base64: 128 bits. */
const CHARACTERS = 22;

/** How far nodes are looked into that refer to one another in a tangle. */
const ROUNDS = 16;

/**
 * A hash of what is said that is equal for equal statements, in whatever order and with whatever labels of blank nodes.
 *
 * Blank nodes are told apart by what is said of them and of those that they refer to, which is exact for nested ones. Where
 * they refer to one another in a way that leaves several alike, the order in which they appear counts too: such statements
 * in another order have another hash, and never do others have the same.
 *
 * @param given - in the default graph; every blank node in it is reached from the one IRI that it is said of
 * @see specs/ingest.md ING-21
 */
export function stateFingerprint(given: readonly Quad[]): string {
  const quads = saidOnce(given);
  const labels = blankLabels(quads);
  if (labels.length === 0) return hashOf(quads, new Map());
  const referred = quads.flatMap(({ object }) => (object.termType === 'BlankNode' ? [object.value] : []));
  const isTree = new Set(referred).size === referred.length;
  return hashOf(quads, isTree ? namesInTree(quads, labels) : namesInTangle(quads, labels));
}

/** Names of nodes of which each is referred to once: those that are alike can be exchanged. */
function namesInTree(quads: readonly Quad[], labels: readonly string[]): Map<string, string> {
  const said = byNode(quads, ({ subject }) => [subject]);
  const names = new Map<string, string>();
  for (const root of labels) {
    const open = [root];
    for (let label = open.at(-1); label !== undefined; label = open.at(-1)) {
      const about = said.get(label) ?? [];
      const unnamed = names.has(label) ? [] : about.flatMap(({ object }) => unnamedIn(object, names));
      if (unnamed.length > 0) {
        open.push(...unnamed);
        continue;
      }
      if (!names.has(label)) names.set(label, nameOf(about, label, names));
      open.pop();
    }
  }
  return names;
}

function unnamedIn(object: Term, names: ReadonlyMap<string, string>): string[] {
  return object.termType === 'BlankNode' && !names.has(object.value) ? [object.value] : [];
}

function namesInTangle(quads: readonly Quad[], labels: readonly string[]): Map<string, string> {
  const said = byNode(quads, ({ subject, object }) => [subject, object]);
  let names = new Map(labels.map((label) => [label, 'b']));
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = names;
    names = new Map(labels.map((label) => [label, nameOf(said.get(label) ?? [], label, before)]));
  }
  if (new Set(names.values()).size === labels.length) return names;
  return new Map(labels.map((label, index) => [label, `${names.get(label)}x${index}`]));
}

/** A name that follows from what is said of a node, and of it. */
function nameOf(about: readonly Quad[], label: string, names: ReadonlyMap<string, string>): string {
  const nameFor = (other: string) => (other === label ? 'self' : (names.get(other) as string));
  return `b${createHash('sha256')
    .update(sortedLines(renamed(about, nameFor)))
    .digest('hex')
    .slice(0, 32)}`;
}

function byNode(quads: readonly Quad[], nodesOf: (quad: Quad) => readonly Term[]): Map<string, Quad[]> {
  const said = new Map<string, Quad[]>();
  for (const quad of quads) {
    for (const label of new Set(nodesOf(quad).flatMap((term) => (term.termType === 'BlankNode' ? [term.value] : [])))) {
      const list = said.get(label);
      if (list) list.push(quad);
      else said.set(label, [quad]);
    }
  }
  return said;
}

function saidOnce(quads: readonly Quad[]): readonly Quad[] {
  const lines = linesOf(quads);
  return new Set(lines).size === lines.length
    ? quads
    : quads.filter((_, index) => lines.indexOf(lines[index] as string) === index);
}

function blankLabels(quads: readonly Quad[]): string[] {
  const labels = new Set<string>();
  for (const { subject, object } of quads) {
    if (subject.termType === 'BlankNode') labels.add(subject.value);
    if (object.termType === 'BlankNode') labels.add(object.value);
  }
  return [...labels];
}

function renamed(quads: readonly Quad[], nameFor: (label: string) => string): Quad[] {
  const rename = <Kind extends Term>(term: Kind): Kind =>
    term.termType === 'BlankNode' ? (blankNode(nameFor(term.value)) as Term as Kind) : term;
  return quads.map(({ subject, predicate, object }) =>
    makeQuad(rename(subject), predicate as Parameters<typeof makeQuad>[1], rename(object)),
  );
}

function hashOf(quads: readonly Quad[], names: ReadonlyMap<string, string>): string {
  const text = sortedLines(names.size === 0 ? quads : renamed(quads, (label) => names.get(label) as string));
  return createHash('sha256').update(text).digest('base64').slice(0, CHARACTERS);
}

function sortedLines(quads: readonly Quad[]): string {
  return linesOf(quads).sort().join('\n');
}

function linesOf(quads: readonly Quad[]): string[] {
  return writeQuads(quads, 'nquads', {}).trimEnd().split('\n');
}
