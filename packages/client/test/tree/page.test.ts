import { blankNode, literal, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { endsBefore, type Interval, intersection, mayHold, orderSpan, relationInterval } from '../../src/tree/order.ts';
import { MOST_LOOKS, PageIndex } from '../../src/tree/page.ts';
import { evaluatePath, MOST_PATH_NODES, type PropertyPath, readPath } from '../../src/tree/property-path.ts';
import { BASE } from './model-publisher.ts';
import { ROOT, runOf } from './scripted-pages.ts';

const node = namedNode('http://example.org/n');
const URL = 'http://example.org/page';
const SH = 'http://www.w3.org/ns/shacl#';
const relationType = (kind: string) => `https://w3id.org/tree#${kind}Relation`;

test.each([0, 1, 7])('READ-36 the %i quads of a page are looked at as often as they may be', async (quads) => {
  const said = Array.from({ length: quads }, (_, at) => quad(node, node, literal(`${at}`)));
  const index = await PageIndex.of(said, URL);
  const looks = MOST_LOOKS.perQuad * quads + MOST_LOOKS.besides;
  const each = 1 + quads;
  for (let at = 0; at < Math.floor(looks / each); at += 1) index.star(node.value);
  for (let at = 0; at < looks % each; at += 1) index.graph(node.value);
  for (const look of [() => index.star(node.value), () => index.graph('x'), () => index.incoming('x')]) {
    expect(look).toThrow(expect.objectContaining({ code: 'ERR_TREE_PAGE_TANGLED', details: { url: URL, quads } }));
  }
});

/** A root whose members all have one blank node. */
function sharing(members: number, quads: number): string {
  const lines = Array.from({ length: members }, (_, at) => `<s> tree:member <m${at}> . <m${at}> ex:part _:shared .`);
  return ROOT + lines.join('\n') + Array.from({ length: quads }, (_, at) => `_:shared ex:value ${at} .`).join('\n');
}

test('READ-36 members may share much, but those that would make a page much more than it is are refused', async () => {
  const { members } = await runOf(sharing(250, 1000));
  expect(members.map(({ quads }) => quads.length)).toEqual(Array.from({ length: 250 }, () => 1001));
  await expect(runOf(sharing(1300, 1300))).rejects.toMatchObject({
    code: 'ERR_TREE_PAGE_TANGLED',
    details: { url: `${BASE}/root` },
  });
});

const iri = (name: string) => namedNode(`http://example.org/${name}`);
const said = (subject: Term, property: string, object: Term) =>
  quad(subject as Quad['subject'], namedNode(property), object as Quad['object']);
const indexOf = (quads: readonly Quad[]) => PageIndex.of(quads, 'http://example.org/page');

/** A list of terms at a blank node. */
function list(name: string, items: readonly Term[]): Quad[] {
  return items.flatMap((item, at) => {
    const rest = at + 1 < items.length ? blankNode(`${name}${at + 1}`) : namedNode(rdf.nil);
    return [said(blankNode(`${name}${at}`), rdf.first, item), said(blankNode(`${name}${at}`), rdf.rest, rest)];
  });
}

test.each([
  [MOST_PATH_NODES, true],
  [MOST_PATH_NODES + 1, false],
])('READ-4 a path of %i nodes, in a list or as operators in each other, is one: %s', async (nodes, isPath) => {
  // The list itself is one.
  const steps = Array.from({ length: nodes - 1 }, (_, step) => iri(`p${step}`));
  expect(readPath(blankNode('l0'), await indexOf(list('l', steps)))).toEqual(
    isPath ? { kind: 'sequence', paths: steps.map(({ value }) => ({ kind: 'predicate', iri: value })) } : undefined,
  );
  const node = (at: number) => (at + 1 < nodes ? blankNode(`n${at}`) : iri('p'));
  const quads = Array.from({ length: nodes - 1 }, (_, at) => said(node(at), `${SH}inversePath`, node(at + 1)));
  expect(readPath(node(0), await indexOf(quads)) !== undefined).toBe(isPath);
});

// The first is `a`, each other has a number and a dot.
const DOUBLING = Array.from({ length: 60 }, (_, at) => blankNode(`${at + 1}.0`)).flatMap((next, at) =>
  list(at === 0 ? 'a' : `${at}.`, [next, next]),
);

test.each([
  ['lists that hold themselves', list('a', [blankNode('a0'), blankNode('a0')])],
  ['a list without end', [...list('a', [iri('p')]), said(blankNode('a0'), rdf.rest, blankNode('a0'))].toReversed()],
  [
    'alternatives of themselves',
    [said(blankNode('a0'), `${SH}alternativePath`, blankNode('b0')), ...list('b', [blankNode('a0'), blankNode('a0')])],
  ],
  ['lists that hold the next twice', DOUBLING],
])('READ-4 %s are no path, and are found out at once', async (_name, quads) => {
  expect(readPath(blankNode('a0'), await indexOf(quads))).toBeUndefined();
});

const step: PropertyPath = { kind: 'predicate', iri: iri('p').value };

test('READ-4 the inverse of a sequence is gone from its end', async () => {
  const index = await indexOf([said(iri('x'), iri('p').value, iri('y')), said(iri('y'), iri('q').value, iri('z'))]);
  const path: PropertyPath = { kind: 'sequence', paths: [step, { kind: 'predicate', iri: iri('q').value }] };
  expect(evaluatePath({ kind: 'inverse', path }, [iri('z')], index)).toEqual([iri('x')]);
});

test('a literal leads nowhere', async () => {
  expect(evaluatePath(step, [literal('n0')], await indexOf([]))).toEqual([]);
  expect(readPath(literal('n0'), await indexOf([]))).toBeUndefined();
});

const HOUR = 3_600_000;
const span = (value: string, datatype: string = xsd.dateTime) => orderSpan(literal(value, datatype));
const type = (name: string) => xsd.dateTime.replace('dateTime', name);

test.each([
  ['2026-01-01T00:00:00Z', 'dateTime', Date.UTC(2026, 0), 0, false],
  ['2026-01-01T00:00:00.1234567Z', 'dateTime', Date.UTC(2026, 0) + 123.4567, 0, false],
  ['2026-01-01T02:00:00+02:00', 'dateTime', Date.UTC(2026, 0), 0, false],
  ['2025-12-31T18:30:00-05:30', 'dateTime', Date.UTC(2026, 0), 0, false],
  ['2026-01-01T00:00:00', 'dateTime', Date.UTC(2026, 0), 0, true],
  ['2026-01-01', 'date', Date.UTC(2026, 0), 24 * HOUR, true],
  ['2026-01-01Z', 'date', Date.UTC(2026, 0), 24 * HOUR, false],
  ['2026-02', 'gYearMonth', Date.UTC(2026, 1), 28 * 24 * HOUR, true],
  ['2026', 'gYear', Date.UTC(2026, 0), 365 * 24 * HOUR, true],
  ['2026', 'integer', 2026, 0, false],
  ['-1.5', 'decimal', -1.5, 0, false],
])('READ-12 %s as xsd:%s has its place', (value, name, start, length, isZoneless) => {
  const found = span(value, type(name));
  expect(found?.start).toBeCloseTo(start, 2);
  expect((found?.end ?? 0) - (found?.start ?? 0)).toBe(length);
  expect(found?.isZoneless).toBe(isZoneless);
});

test.each(['', 'yesterday', '2026', '2026-13-45', '12:00:00', 'P1D'])('READ-12 "%s" has no place', (value) => {
  expect(span(value, xsd.string)?.start ?? Number.NaN).toBeOneOf([Number.NaN, Date.UTC(2026, 12, 45)]);
  expect(orderSpan(undefined)).toBeUndefined();
});

const KINDS = {
  GreaterThan: (value: number, bound: number) => value > bound,
  GreaterThanOrEqualTo: (value: number, bound: number) => value >= bound,
  LessThan: (value: number, bound: number) => value < bound,
  LessThanOrEqualTo: (value: number, bound: number) => value <= bound,
  EqualTo: (value: number, bound: number) => value === bound,
};
const instants = fc.integer({ min: -5, max: 5 });
const at = (value: number) => ({ start: value, end: value, isZoneless: false });

test('READ-12 no page is left out that may hold a member which is asked for', () => {
  const met = new Floors({ 'ends later': 25, held: 8 });
  const relations = fc.array(fc.tuple(fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])), instants), {
    maxLength: 3,
  });
  check(
    fc.property(relations, instants, instants, instants, (stated, value, after, before) => {
      const intervals = stated.map(([kind, bound]) => relationInterval(relationType(kind), [at(bound)]));
      const all = intervals.reduce<Interval>(intersection, relationInterval('none', []));
      const isHeld = stated.every(([kind, bound]) => KINDS[kind](value, bound));
      if (!isHeld || value < after) return;
      met.count('ends later');
      expect(endsBefore(all, after)).toBe(false);
      if (value >= before) return;
      met.count('held');
      expect(mayHold(all, after, before)).toBe(true);
    }),
    { numRuns: 600, met },
  );
});

test('READ-12 a page between two values is left out beyond them', () => {
  const between = relationInterval(relationType('InBetween'), [at(3), at(1)]);
  const spans = [
    [1, 2],
    [3, 9],
    [4, 9],
    [0, 1],
  ] as const;
  expect(spans.map(([after, before]) => mayHold(between, after, before))).toEqual([true, true, false, false]);
  // One instant between which something lies says nothing.
  expect(mayHold(relationInterval(relationType('InBetween'), [at(3)]), 8, 9)).toBe(true);
});

test('READ-12 a day reaches to its end', () => {
  const day = [span('2026-01-02Z', type('date'))!];
  const noon = Date.UTC(2026, 0, 2, 12);
  const hold = (kind: string) => mayHold(relationInterval(relationType(kind), day), noon, noon + 1);
  const kinds = ['LessThanOrEqualTo', 'LessThan', 'EqualTo', 'GreaterThan'];
  expect(kinds.map(hold)).toEqual([true, false, true, true]);
  expect(endsBefore(relationInterval(relationType('LessThanOrEqualTo'), day), Date.UTC(2026, 0, 3))).toBe(true);
});

test('READ-12 a time without zone leaves out only what is out in every zone', () => {
  const upTo = relationInterval(relationType('LessThan'), [span('2026-01-01T00:00:00')!]);
  const midnight = Date.UTC(2026, 0);
  expect(mayHold(upTo, midnight + 13 * HOUR, Number.POSITIVE_INFINITY)).toBe(true);
  expect(mayHold(upTo, midnight + 14 * HOUR, Number.POSITIVE_INFINITY)).toBe(false);
});
