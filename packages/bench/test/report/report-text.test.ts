import { expect, test } from 'vitest';
import type { Section } from '../../src/report/report.ts';
import { reportText } from '../../src/report/report-text.ts';
import { tableText } from '../../src/report/table-text.ts';
import { sampleReport, spreadOf } from './sample-report.ts';

test('numbers are aligned at their right, text at its left', () => {
  const rows = [
    [100, 1.5, 'yes'],
    [25_000, spreadOf(12), undefined],
  ];
  expect(tableText({ caption: 'A table', columns: ['Clients', 'CPU', 'Kept'], rows }, 100).split('\n')).toEqual([
    'A table',
    '  Clients               CPU  Kept',
    '  -------------------------------',
    '  100                  1.50  yes',
    '  25,000   12.0 [10.8–13.2]  –',
  ]);
});

test('a table that is too wide is cut, each part with the names of its rows', () => {
  const columns = ['Name', ...Array.from({ length: 9 }, (_, index) => `a column ${index}`)];
  const text = tableText({ caption: '', columns, rows: [['row', ...Array(9).fill(1)]] }, 40);
  expect(text.match(/Name/g)).toHaveLength(3);
  expect(text.match(/row/g)).toHaveLength(3);
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(42);
});

test('a report has warnings, facts, sections and tables in lines of at most 100 characters, and no figures', () => {
  const words = 'some words that go on and on '.repeat(12);
  const section: Section = {
    title: 'A section',
    text: [words],
    figures: [{ id: 'a', kind: 'lines', title: 'A figure', x: { label: 'x' }, y: { label: 'y' }, series: [] }],
    tables: [{ caption: 'A table', columns: ['a'], rows: [['b']] }],
    preformatted: 'as  it is',
  };
  const report = sampleReport({ about: words, warnings: [words], isQuick: true, sections: [section] });
  const text = reportText(report);
  for (const part of [
    '! Quick',
    '! some words',
    'A section',
    'A table',
    'as  it is',
    'Seed: 1',
    'clients 100, 25,000',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('A figure');
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
});
