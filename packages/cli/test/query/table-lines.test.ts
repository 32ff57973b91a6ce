import { expect, test } from 'vitest';
import { tableLines } from '../../src/query/table-lines.ts';
import { lineText } from '../../src/terminal/styled-line.ts';

const none: ReadonlySet<number> = new Set();
const texts = (lines: ReturnType<typeof tableLines>) => lines.map((line) => lineText(line).trimEnd());

test('QUERY-95 columns are as wide as what stands in them', () => {
  const table = {
    columns: ['line', 'late'],
    rows: [
      ['4', '120'],
      ['12 Flagey', '60'],
    ],
    fresh: none,
  };
  expect(texts(tableLines(table, { columns: 80, rows: 10 }))).toEqual([
    'line       late',
    '4          120',
    '12 Flagey  60',
  ]);
});

test('QUERY-95 where there is too little room the widest columns give way', () => {
  const table = { columns: ['a', 'b'], rows: [['x'.repeat(50), 'short']], fresh: none };
  const lines = texts(tableLines(table, { columns: 20, rows: 10 }));
  expect(lines[1]).toBe(`${'x'.repeat(12)}…  short`);
  expect(lines.every((line) => line.length <= 20)).toBe(true);
});

test.each([
  [4, '3'],
  [3, 'and 2 more'],
])('QUERY-95 of a head and three rows, in %i lines the last is "%s"', (rows, last) => {
  const table = { columns: ['n'], rows: [['1'], ['2'], ['3']], fresh: none };
  expect(texts(tableLines(table, { columns: 20, rows })).at(-1)).toBe(last);
});

test('QUERY-95 rows that came with the last result stand out', () => {
  const lines = tableLines({ columns: ['n'], rows: [['1'], ['2']], fresh: new Set([1]) }, { columns: 9, rows: 9 });
  expect(lines[1]).toEqual(['1']);
  expect(lines[2]).toEqual([{ text: '2', tone: 'good' }]);
});
