import { expect, test } from 'vitest';
import { benchmarksMarkdown } from '../../src/report/benchmarks-md.ts';
import { driftMarkdown, driftOf, greatestDrift } from '../../src/report/drift.ts';
import { summaryOf } from '../../src/report/summary-of.ts';
import { oddSection, sampleReport, spreadOf, withRatios } from './sample-report.ts';

test('the page has machine, workload, warnings and tables of every experiment, published ones first', () => {
  const table = {
    caption: 'CPU | time',
    columns: ['Clients', 'a|b'],
    rows: [
      [25_000, spreadOf(2.5)],
      [1, undefined],
    ],
  };
  const page = benchmarksMarkdown([
    sampleReport({ experiment: 'capacity' }),
    sampleReport({
      warnings: ['Lost: 2'],
      sections: [{ title: 'S', text: ['T'], tables: [table], preformatted: 'as it is' }],
    }),
  ]);
  expect(page.match(/^## .*/gm)).toEqual(['## e9', '## capacity']);
  expect(page.match(/^Measured on: .*/gm)).toHaveLength(1);
  for (const line of [
    '- Workload: clients 100, 25,000; updateIntervalMs 5,000',
    '> **Note:** Lost: 2',
    '| Clients | a\\|b |',
    '| --- | ---: |',
    '| 25,000 | 2.50 \\[2.25–2.75\\] |',
    '| 1 | – |',
    'as it is',
  ]) {
    expect(page.split('\n')).toContain(line);
  }
});

test('names are no markup in Markdown', () => {
  expect(benchmarksMarkdown([sampleReport({ sections: [oddSection()] })])).not.toMatch(/(?<!\\)<x(?!>&"'\n```)/);
});

test('a summary is the report less what is bulky, and survives JSON', () => {
  const report = sampleReport({
    data: { a: 1 },
    histograms: { a: { max: 1, counts: [1, 1] } },
    sections: [oddSection()],
  });
  const summary = summaryOf(report);
  expect(Object.keys(summary)).not.toEqual(expect.arrayContaining(['data']));
  expect(benchmarksMarkdown([JSON.parse(JSON.stringify(summary))])).toBe(benchmarksMarkdown([report]));
});

test('drift is that of ratios, of experiments that were kept', () => {
  const kept = [withRatios({ a: 1, b: 1, gone: 1 })];
  const drift = driftOf(kept, [withRatios({ a: 1.02, b: 2, late: 1 }), sampleReport({ experiment: 'other' })]);
  expect(greatestDrift(drift)).toBe(1);
  const text = driftMarkdown(drift);
  expect(text).toContain('2 of 4 ratios are in both runs. 1 of 2 ratios with repeats differs by more than 15 %');
  expect(text.match(/^\| [ab] .*/gm)).toEqual([
    '| b | 1.00 \\[0.900–1.10\\] | 2.00 \\[1.80–2.20\\] | 100 % (!) |',
    '| a | 1.00 \\[0.900–1.10\\] | 1.02 \\[0.918–1.12\\] | 2 % |',
  ]);
  for (const part of ['Missing in this run: gone.', 'New in this run: late.', 'Nothing was kept of: other.']) {
    expect(text).toContain(part);
  }
  expect(greatestDrift(driftOf([], []))).toBe(0);
});
