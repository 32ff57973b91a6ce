import { blankNode, dct, ldes, literal, namedNode, prov, quad, rdf, tree, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';

type Node = Quad['subject'];

/** Members on the two full pages, and on the open one. */
const MEMBERS = { 1: 30, 2: 30, 3: 5 } as const;

const START_MS = Date.parse('2026-01-01T00:00:00Z');

/** The time of the member of a number, from 0 over all pages. */
export function timeOf(number: number): string {
  return new Date(START_MS + number * 1000).toISOString();
}

/** A literal that is an instant. */
export const instant = (time: string) => literal(time, xsd.dateTime);

/** One statement; texts are IRIs. */
export function say(subject: string | Node, predicate: string, object: string | Quad['object']): Quad {
  const node = typeof subject === 'string' ? namedNode(subject) : subject;
  return quad(node, namedNode(predicate), typeof object === 'string' ? namedNode(object) : object);
}

/** A member with its entity, its time and a value. */
export function memberOf(root: string, number: number, time = timeOf(number)): Quad[] {
  const member = `${root}/members/${number}`;
  return [
    say(`${root}#stream`, tree.member, member),
    say(member, dct.isVersionOf, `${root}/things/${number % 7}`),
    say(member, prov.generatedAtTime, instant(time)),
    say(member, 'http://example.org/value', literal(String(number), xsd.integer)),
  ];
}

/** A relation of a node with a value of `prov:generatedAtTime`, or a plain one. */
export function relationOf(
  node: string,
  label: string,
  target: string,
  type: string = tree.Relation,
  time?: string,
): Quad[] {
  const relation = blankNode(label);
  return [
    say(node, tree.relation, relation),
    say(relation, rdf.type, type),
    say(relation, tree.node, target),
    ...(time === undefined
      ? []
      : [say(relation, tree.path, prov.generatedAtTime), say(relation, tree.value, instant(time))]),
  ];
}

/** The root: the stream, its retention, and relations to three pages. */
export function rootQuads(root: string): Quad[] {
  const stream = `${root}#stream`;
  const { GreaterThanOrEqualToRelation: from, LessThanRelation: before } = tree;
  return [
    say(stream, rdf.type, ldes.EventStream),
    say(stream, tree.view, root),
    say(stream, ldes.timestampPath, prov.generatedAtTime),
    say(stream, ldes.versionOfPath, dct.isVersionOf),
    say(stream, ldes.pollingInterval, literal('20', xsd.integer)),
    say(root, rdf.type, tree.Node),
    say(root, tree.viewDescription, `${root}#view`),
    say(`${root}#view`, ldes.retentionPolicy, `${root}#kept`),
    say(`${root}#kept`, rdf.type, ldes.RetentionPolicy),
    say(`${root}#kept`, ldes.fullLogDuration, literal('P7D', xsd.duration)),
    ...relationOf(root, 'r0', `${root}/p1`, from, timeOf(0)),
    ...relationOf(root, 'r1', `${root}/p1`, before, timeOf(30)),
    ...relationOf(root, 'r2', `${root}/p2`, from, timeOf(30)),
    ...relationOf(root, 'r3', `${root}/p2`, before, timeOf(60)),
    // The last time of the page before: the bound of a page may be lower than its first member.
    ...relationOf(root, 'r4', `${root}/p3`, from, timeOf(59)),
  ];
}

/** One of the three pages. */
export function pageQuads(root: string, page: 1 | 2 | 3): Quad[] {
  const url = `${root}/p${page}`;
  const first = (page - 1) * 30;
  return [
    say(url, rdf.type, tree.Node),
    ...(page === 3 ? [] : [say(url, ldes.immutable, literal('true', xsd.boolean))]),
    ...Array.from({ length: MEMBERS[page] }, (_, index) => memberOf(root, first + index)).flat(),
  ];
}
