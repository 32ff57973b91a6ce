import { describe, expect, test } from 'vitest';
import { makeBatch } from '../../src/e3/row.ts';
import { RowSequence } from '../../src/e3/row-sequence.ts';
import { RowTally } from '../../src/e3/row-tally.ts';

const batch = (first: number, rows = 2) => makeBatch(first, rows, 1000, 1);

describe('RowSequence', () => {
  test('has nothing to say of rows that come once and in order', () => {
    const sequence = new RowSequence();
    for (const first of [0, 2, 4]) sequence.take(batch(first));
    expect([sequence.rows, sequence.lost, sequence.doubled, sequence.next]).toEqual([6, 0, 0, 6]);
  });

  test('counts rows that are passed over, and rows that come again', () => {
    const sequence = new RowSequence();
    for (const first of [0, 4, 4, 6]) sequence.take(batch(first));
    expect([sequence.rows, sequence.lost, sequence.doubled]).toEqual([6, 2, 2]);
  });
});

describe('RowTally', () => {
  test('counts from a row on, and what comes after the end as behind', () => {
    let now = 2000;
    const tally = new RowTally(1, () => now, { firstRow: 4, endMicros: 2500 });
    tally.take(0, batch(4));
    now = 2500;
    tally.take(0, batch(6));
    now = 2501;
    tally.take(0, batch(8));
    const { rows, lost, behind, doubled, latency } = tally.counts(12);
    expect({ rows, lost, behind, doubled }).toEqual({ rows: 4, lost: 0, behind: 4, doubled: 0 });
    expect(latency.max).toBe(1501);
    expect(tally.isPast(10)).toBe(true);
  });

  test('counts what each connection still lacks, and how late each batch was', () => {
    const tally = new RowTally(2, () => 1500);
    tally.take(0, batch(0));
    tally.take(0, batch(2));
    tally.take(1, batch(0));
    expect(tally.isPast(2)).toBe(true);
    expect(tally.isPast(4)).toBe(false);
    const { rows, lost, behind, doubled, latency, lastMicros } = tally.counts(4);
    expect({ rows, lost, behind, doubled }).toEqual({ rows: 6, lost: 0, behind: 2, doubled: 0 });
    expect(latency.max).toBe(500);
    expect(latency.counts[1]).toBe(3);
    expect(lastMicros).toBe(1500);
  });
});
