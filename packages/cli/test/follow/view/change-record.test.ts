import type { Change } from '@ldes-live/client';
import { expect, test } from 'vitest';
import { ChangeRecord } from '../../../src/follow/view/change-record.ts';
import { change, gap, START } from './made-changes.ts';

function recorded(...changes: readonly Change[]): ChangeRecord {
  const record = new ChangeRecord(START);
  record.take(changes, START);
  return record;
}

test('what was published together is one update, with the greatest of its lags', () => {
  const record = recorded(
    change('1', { lagMs: 20 }),
    change('2', { lagMs: 50 }),
    change('3', { lagMs: 30 }),
    change('1', { lagMs: 10, publishedMs: START + 1 }),
  );
  expect(record.lagsMs).toEqual([50, 10]);
  expect([record.updates, record.changes]).toEqual([2, 4]);
});

test('what was published before following began is a change, and no update', () => {
  const record = recorded(change('1', { publishedMs: START - 1 }));
  expect([record.updates, record.changes, record.lagsMs.length]).toEqual([0, 1, 0]);
  expect(record.rows(5)[0]).not.toHaveProperty('lagMs');
});

test('an entity has one row, the newest first', () => {
  const record = recorded(change('1'), change('2'), change('1'), change('2', { kind: 'delete' }), change('3'));
  expect(record.rows(9).map(({ name, news, versions }) => [name, news, versions])).toEqual([
    ['3', 'new', 1],
    ['2', 'gone', 2],
    ['1', 'changed', 2],
  ]);
  expect(record.rows(2).map(({ name }) => name)).toEqual(['3', '2']);
  expect(record.rows(0)).toEqual([]);
});

test('after a gap every entity is new, and the gap is told', () => {
  const record = recorded(change('1'), gap, change('1'));
  expect(record.rows(9)).toMatchObject([{ name: '1', news: 'new', versions: 1 }]);
  expect(record.gap).toMatch(/e-1 could not be continued/);
});

test('however long it goes on, what it keeps is bounded', () => {
  const record = new ChangeRecord(START);
  for (let index = 0; index < 3000; index++) {
    record.take([change(String(index), { publishedMs: START + index })], START);
  }
  expect([record.updates, record.changes]).toEqual([3000, 3000]);
  expect(record.rows(5000)).toHaveLength(500);
  expect(record.lagsMs.length).toBeLessThanOrEqual(1000);
});
