import { literal } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { countRows, keyRows, rowChanges, rowsOfBag, rowsOfChanges } from '../../src/evaluate/row-bag.ts';
import type { Row } from '../../src/live-result.ts';

const rows = (values: readonly number[]): Row[] => values.map((value) => ({ x: literal(String(value)) }));
const bag = (values: readonly number[]) => countRows(keyRows(rows(values), ['x']));
const valuesOf = (found: readonly Row[]) => found.map(({ x }) => Number(x?.value)).sort();

test('QUERY-101 solutions come and go each as often as there are more or less of them', () => {
  const { added, removed } = rowsOfChanges(rowChanges(bag([1, 1, 2, 3, 3]), bag([1, 2, 2, 2, 4])));
  expect(valuesOf(added)).toEqual([2, 2, 4]);
  expect(valuesOf(removed)).toEqual([1, 3, 3]);
});

test('QUERY-101 taking away what went and adding what came gives the answer after', () => {
  const values = fc.array(fc.nat(5), { maxLength: 12 });
  check(
    fc.property(values, values, (before, after) => {
      const { added, removed } = rowsOfChanges(rowChanges(bag(before), bag(after)));
      const left = valuesOf(rows(before));
      for (const gone of valuesOf(removed)) left.splice(left.indexOf(gone), 1);
      expect([...left, ...valuesOf(added)].sort()).toEqual([...after].sort());
      expect(valuesOf(added).some((value) => valuesOf(removed).includes(value))).toBe(false);
      expect(valuesOf(rowsOfBag(bag(after)))).toEqual([...after].sort());
    }),
  );
});
