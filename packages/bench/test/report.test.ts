/* The page and the Markdown of results: tables, pictures, what was published beside, names that would be markup. */
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { barsTable } from '../src/report/bars.ts';
import { picturesOf } from '../src/report/charts.ts';
import { benchmarksPage, reportPage, resultMarkdown } from '../src/report/pages.ts';
import { numberText, spreadText, tablesOf } from '../src/report/tables.ts';
import type { Cell } from '../src/result.ts';
import {
  ODD_EXPERIMENT as experiment,
  odd,
  ODD_RESULT as result,
  SUBJECTS,
  sampleExperiment,
  sampleResult,
} from './samples.ts';

const { views } = experiment;
const { cells } = result;

test('a table has the spread of each cell, its ratio, its sum, and what was published beside', () => {
  const [table] = tablesOf(views, cells);
  const ours = [odd('Server'), 'Clients', odd('p99, ms')];
  expect(table?.columns).toEqual([...ours, `${odd('p99, ms')}, published`, 'CPU', 'Lost', 'Published']);
  expect(table?.rows).toEqual([
    [odd('Express'), '100', '10', '500 (as printed)', '0.500', '3', '–'],
    [odd('Express'), '1,000', '100', '–', '0.500', '3', 'under 1 s'],
    ['ldes-live', '100', '10', '500 (as printed)', '1', '3', '–'],
    ['ldes-live', '1,000', '100', '–', '1', '3', 'under 1 s'],
  ]);
});

test('a value that no round has is refused, failed or was not measured', () => {
  const without = (given: Partial<Cell>) => [{ ...(cells[0] as Cell), values: {}, ...given }];
  const text = (given: Partial<Cell>) => tablesOf(views, without(given))[0]?.rows[0]?.[2];
  expect([text({ refused: 'busy' }), text({ failed: 'cut' }), text({})]).toEqual(['refused', 'failed', '–']);
  expect(tablesOf(views, [])).toEqual([]);
});

test('figures have three digits that count, and limits where there are several rounds that differ', () => {
  const texts = [12_345, 9999, 0.045_67, 1.5, 0, 1.234e-7].map((value) => numberText(value));
  expect(texts).toEqual(['12,300', '9,999', '0.0457', '1.50', '0', '1.23e-7']);
  expect(spreadText({ median: 12.34, min: 9.876, max: 15.2, repeats: 3 })).toBe('12.3 [9.88–15.2]');
  expect(spreadText({ median: 2, min: 2, max: 2, repeats: 3 })).toBe('2');
});

test('each picture has its series, its axes with their units, and what was published', () => {
  const pictures = picturesOf(views, cells);
  expect(pictures.map(({ id }) => id)).toEqual(['density-x-', 'percentiles-x-', 'lines-x-', 'bars-x-']);
  const texts = pictures.map(({ svg }) =>
    [...parseHTML(svg).document.querySelectorAll('text')].map((one) => one.textContent ?? ''),
  );
  for (const text of texts) expect(text).toEqual(expect.arrayContaining(SUBJECTS));
  const axes = [odd('Delay, ms'), odd('Delay, ms'), odd('p99, ms'), odd('p99, ms')];
  expect(texts.map((text, index) => text.join('|').includes(axes[index] as string))).toEqual(axes.map(() => true));
  expect(texts.map((text) => text.filter((one) => one.startsWith('published')))).toEqual([
    ['published: under 1 s'],
    ['published p99'],
    ['published: 500 (as printed)'],
    ['published: 500 (as printed)'],
  ]);
  expect(picturesOf(views, [])).toEqual([]);
});

test('the page escapes every name, asks the network for nothing, and has warnings before figures', () => {
  const warned = { ...result, warnings: ['Quick run.', `Failed: ${odd('cell')}.`] };
  const html = reportPage([warned], [experiment]);
  expect(html).not.toMatch(/<x>|<script|<link|<img|@import|url\(|src=/);
  expect(html.match(/https?:\/\/[^"<]+/g)?.filter((one) => !/example\.org|www\.w3\.org/.test(one))).toEqual([]);
  const { document } = parseHTML(html);
  expect(document.querySelectorAll('figure > svg')).toHaveLength(4);
  expect([...document.querySelectorAll('.warnings li')].map((one) => one.textContent)).toEqual([
    'Quick run.',
    `Failed: ${odd('cell')}.`,
  ]);
  expect(html.indexOf('class="warnings"')).toBeLessThan(html.indexOf('<figure'));
  expect(html.indexOf('<figure')).toBeLessThan(html.indexOf('<td'));
});

test('the page of what is kept has bars first, then each experiment with its pictures as files', () => {
  const serving = (subject: string, requestsPerSecond: number): Cell => {
    return { measurement: 'serving', subject, at: { document: 'latest' }, repeat: 0, values: { requestsPerSecond } };
  };
  const documents = sampleResult({
    experiment: 'documents',
    cells: [serving('ldes-live', 95), serving('bare Fastify', 100)],
  });
  const page = benchmarksPage([result, documents], [sampleExperiment({ name: 'documents' }), experiment]);
  expect(page.indexOf('## Bars')).toBeLessThan(page.indexOf('## documents'));
  expect(barsTable([documents])?.rows[0]?.slice(1)).toEqual(['at least 0.900', '0.950', 'yes', '5.56 % above']);
  expect(barsTable([result])).toBeUndefined();
  for (const { id } of picturesOf(views, cells)) expect(page).toContain(`(benchmarks/figures/e9-${id}.svg)`);
  expect(page).not.toMatch(/[^\\]<x/);
  expect(resultMarkdown(result, experiment)).not.toContain('figures/');
});
