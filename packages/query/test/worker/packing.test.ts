import { check, fc } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import { expect, test } from 'vitest';
import {
  MembersBeingUnpacked,
  packMembers,
  packRecords,
  quadKind,
  rowKind,
  unpackRecords,
} from '../../src/thread/packing.ts';
import { commit, saying } from '../views/sample-members.ts';

const said = (count: number) => Array.from({ length: count }, (_, index) => saying(String(index)));

test('members cross in slices of so many quads, and are put together as they were', () => {
  const { members } = commit(
    { sequence: 1, quads: said(5), versionMs: 7 },
    { sequence: 2, kind: 'delete', quads: [] },
    { sequence: 3, quads: said(3) },
    { sequence: 4, quads: said(4) },
  );
  for (const sliceQuads of [1, 2, 3, 4, 11, 12, 13]) {
    const slices = [...packMembers(members, sliceQuads)];
    expect(slices.filter(({ quads }) => quads.count === sliceQuads)).toHaveLength(Math.floor(12 / sliceQuads));
    for (const { quads, heads } of slices) {
      expect(quads.count).toBeLessThanOrEqual(sliceQuads);
      expect(heads.length).toBeLessThanOrEqual(sliceQuads);
    }
    const crossed = new MembersBeingUnpacked();
    for (const slice of structuredClone(slices)) crossed.add(slice);
    const together = crossed.take();
    expect(together.map(({ quads: _, ...head }) => head)).toEqual(members.map(({ quads: _, ...head }) => head));
    for (const [index, { quads }] of members.entries()) {
      expect(together[index]!.quads.map((quad) => quad.object.value)).toEqual(quads.map((quad) => quad.object.value));
    }
    expect(crossed.take()).toEqual([]);
  }
});

test('an event without members crosses too', () => {
  const crossed = new MembersBeingUnpacked();
  for (const slice of packMembers([])) crossed.add(slice);
  expect(crossed.take()).toEqual([]);
});

const factory: DataFactory<Quad> = new DataFactory<Quad>();
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'a', '1 b', '"x"@en', '\n', '12', '>>', 'é\u{1F600}'),
);
const { term } = fc.letrec<{ term: Term; plain: Term }>((tie) => ({
  plain: fc.oneof(
    text.map((value) => factory.namedNode(value)),
    text.filter((label) => label !== '').map((label) => factory.blankNode(label)),
    text.map((value) => factory.literal(value)),
    fc.tuple(text, text).map(([value, type]) => factory.literal(value, factory.namedNode(type))),
    fc.tuple(text, fc.constantFrom('en', 'nl-BE', 'de-1996')).map(([value, tag]) => factory.literal(value, tag)),
    fc
      .tuple(text, fc.constantFrom('ltr', 'rtl'))
      .map(([value, direction]) => factory.literal(value, { language: 'ar', direction: direction as 'ltr' | 'rtl' })),
    text.map((name) => factory.variable(name)),
    fc.constant(factory.defaultGraph()),
  ) as fc.Arbitrary<Term>,
  term: fc.oneof(
    { weight: 5, arbitrary: tie('plain') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('plain'), tie('plain'), tie('term'))
        .map(([s, p, o]) => factory.quad(s as never, p as never, o as never)) as fc.Arbitrary<Term>,
    },
  ),
}));

test('quads of any terms cross to another thread as they are', () => {
  const quads = fc.array(
    fc
      .tuple(term, term, term, term)
      .map(([s, p, o, g]) => factory.quad(s as never, p as never, o as never, g as never)),
  );
  check(
    fc.property(quads, (given) => {
      const packed = structuredClone(packRecords(given, quadKind));
      const crossed = unpackRecords(packed, quadKind);
      expect(crossed).toHaveLength(given.length);
      for (const [index, quad] of given.entries()) expect(crossed[index]!.equals(quad)).toBe(true);
    }),
  );
});

test('rows cross with what they bind', () => {
  const variables = ['a', 'b', 'constructor'];
  const kind = rowKind(variables);
  const rows = fc.array(fc.dictionary(fc.constantFrom(...variables), term, { noNullPrototype: true }));
  check(
    fc.property(rows, (given) => {
      const crossed = unpackRecords(structuredClone(packRecords(given, kind)), kind);
      for (const [index, row] of given.entries()) {
        const record = crossed[index]!;
        expect(Object.keys(record).sort()).toEqual(Object.keys(row).sort());
        for (const [name, value] of Object.entries(row)) expect(record[name]!.equals(value)).toBe(true);
      }
    }),
  );
});

test('as many rows cross where nothing is bound', () => {
  const kind = rowKind([]);
  expect(unpackRecords(packRecords([{}, {}], kind), kind)).toEqual([{}, {}]);
});
