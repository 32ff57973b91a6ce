import { describe, expect, test } from 'vitest';
import { makeBatch, makeRow, ROW_FIELDS } from '../../src/e3/row.ts';

describe('rows', () => {
  test('have 12 fields and about 130 bytes', () => {
    const rows = makeBatch(100_000, 1000, 85_130_296_095, 1);
    const bytes = Buffer.byteLength(JSON.stringify(rows)) / rows.length;
    expect(rows.every((row) => row.length === ROW_FIELDS.length && row.length === 12)).toBe(true);
    expect(bytes).toBeGreaterThan(125);
    expect(bytes).toBeLessThan(135);
  });

  test('are the same for the same seed, and others for another', () => {
    expect(makeRow(7, 1, 3, 5)).toEqual(makeRow(7, 1, 3, 5));
    expect(makeRow(7, 1, 3, 5)).not.toEqual(makeRow(7, 1, 3, 6));
  });

  test('are numbered on from batch to batch', () => {
    expect(makeBatch(20, 3, 0, 1).map(([n]) => n)).toEqual([20, 21, 22]);
  });
});
