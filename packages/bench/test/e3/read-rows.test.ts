import { expect, test } from 'vitest';
import { memberRows, plainRows } from '../../src/e3/read-rows.ts';
import { makeBatch, ROW_FIELDS } from '../../src/e3/row.ts';
import { ROW_NAMESPACE } from '../../src/e3/row-terms.ts';

const rows = makeBatch(5, 3, 123_456, 1);

test('plain rows are what was sent', () => {
  expect(plainRows(JSON.stringify(rows))).toEqual(rows);
});

test('members become the same rows, numbers that are written as text too', () => {
  const members = rows.map((row) =>
    Object.fromEntries(
      ROW_FIELDS.map((field, index) => [ROW_NAMESPACE + field, index === 5 ? String(row[index]) : row[index]]),
    ),
  );
  expect(memberRows(JSON.stringify({ 'tree:member': members }))).toEqual(rows);
});
