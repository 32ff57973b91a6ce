import {
  blankNode,
  type Draft,
  type Format,
  formatOf,
  formats,
  languageLiteral,
  literal,
  type Member,
  namedNode,
  parseQuads,
  quad,
  readMembers,
  readStreamContext,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { expect } from 'vitest';
import { entityOf, type TestServer } from './test-server.ts';

/** The names of the five formats. */
export const FORMATS = Object.keys(formats) as Format[];

// A name that no document may hold: an IRI below it was relative.
const BASE = 'http://relative.invalid/';

/** What a server says at a path in a format, every IRI in it absolute. */
export async function published(server: TestServer, path: string, format: Format = 'nquads'): Promise<Quad[]> {
  const response = await server.get(path, { accept: formats[format].mediaType });
  expect(response.statusCode, path).toBe(200);
  expect(formatOf(response.headers['content-type'] as string)).toBe(format);
  expect(response.headers.vary).toBe('Accept, Accept-Encoding');
  const quads = await parseQuads(response.body, format, BASE);
  expect(quads.length).toBeGreaterThan(0);
  for (const iri of quads.flatMap(irisOf)) expect(iri).toMatch(/^(?:mailto:|https?:\/\/(?!relative\.invalid))/);
  return quads;
}

/** The members that a document of the stream has. */
export async function membersOf(server: TestServer, path: string): Promise<Member[]> {
  const context = readStreamContext(await published(server, '/vehicles'), server.description.url);
  return readMembers(await published(server, path), context);
}

/** Expects the same triples in the five formats: datatypes, languages and all, blank nodes up to their labels. */
export async function expectSameTriples(server: TestServer, path: string): Promise<void> {
  const expected = await canonical(await published(server, path));
  for (const format of FORMATS) {
    expect(await canonical(await published(server, path, format)), `${path} as ${format}`).toBe(expected);
  }
}

/** The objects of what is said of a subject by a predicate. */
export function objectsOf(quads: readonly Quad[], subject: string, predicate: string): string[] {
  return quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .map((quad) => quad.object.value);
}

/** The relations of a node as [target, type, bound]. */
export function relationsOf(quads: readonly Quad[], node: string): [string, string, string | undefined][] {
  return objectsOf(quads, node, tree.relation).map((relation) => [
    objectsOf(quads, relation, tree.node)[0] as string,
    quads
      .find(({ subject, predicate }) => subject.value === relation && predicate.value.endsWith('#type'))
      ?.object.value.slice('https://w3id.org/tree#'.length) as string,
    objectsOf(quads, relation, tree.value)[0],
  ]);
}

/** A draft that has what formats may lose: datatypes, languages, odd characters, blank nodes that are shared. */
export function varied(number: number): Draft {
  const entity = entityOf(number);
  const [subject, place, point] = [namedNode(entity), blankNode('place'), blankNode('point')];
  const say = (about: Quad['subject'], name: string, object: Quad['object']) =>
    quad(about, namedNode(`http://example.org/${name}`), object);
  const quads = [
    say(subject, 'label', languageLiteral('Línea "1"\n\\ tab\t 🚋', 'es-MX')),
    say(subject, 'label', literal('Línea "1"\n\\ tab\t 🚋')),
    say(subject, 'speed', literal('05.50', xsd.decimal)),
    say(subject, 'count', literal(String(number), xsd.integer)),
    say(subject, 'late', literal('1', `${xsd.integer.split('#')[0]}#boolean`)),
    say(subject, 'at', literal('2026-01-01T00:00:00Z', xsd.dateTime)),
    say(subject, 'place', place),
    say(subject, 'start', point),
    say(place, 'point', point),
    say(place, 'name', languageLiteral('Gent', 'nl')),
    say(point, 'lat', literal('51.050', xsd.decimal)),
  ];
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(number), quads };
}

function irisOf({ subject, predicate, object, graph }: Quad): string[] {
  const datatypes = object.termType === 'Literal' ? [object.datatype] : [];
  return [subject, predicate, object, graph, ...datatypes].flatMap((term) =>
    term.termType === 'NamedNode' ? [term.value] : [],
  );
}
