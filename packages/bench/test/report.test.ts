/* The page of reports, their files, and the comparison of two runs. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { compareRuns } from '../src/report/compare-runs.ts';
import type { Figure } from '../src/report/figure.ts';
import { jsonText } from '../src/report/json-text.ts';
import { readEarlierReport, readReports } from '../src/report/read-report.ts';
import type { Report, Section } from '../src/report/report.ts';
import { reportHtml } from '../src/report/report-html.ts';
import { withAgreement } from '../src/report/with-agreement.ts';
import { writeReports } from '../src/report/write-reports.ts';

const spreadOf = (median: number) => ({ median, min: median * 0.9, max: median * 1.1, repeats: 3 });
const MACHINE = { cpu: 'Some CPU', cores: 2, memoryGib: 8, platform: 'Linux 6 x64', node: 'v20.19.0', pinned: true };
const WORKLOAD = { clients: [100, 25_000], updateIntervalMs: 5000 };

/** A small report of the experiment `e9`; what a test is about is given. */
function sampleReport(given: Partial<Report> = {}): Report {
  const words = { experiment: 'e9', title: 'A title', about: 'What was done.', versions: { 'ldes-live': '0.1.0' } };
  const run = { startedAt: '2026-11-22T01:00:00.000Z', tookSeconds: 90, isQuick: false, seed: 1, repeats: 3 };
  const found = { warnings: [], sections: [], ratios: {}, histograms: {}, data: {} };
  return { ...words, ...run, machine: MACHINE, workload: WORKLOAD, ...found, ...given };
}

/** A report with the ratios of these medians. */
function withRatios(medians: Readonly<Record<string, number>>): Report {
  const ratios = Object.entries(medians).map(([name, median]) => [name, spreadOf(median)] as const);
  return sampleReport({ ratios: Object.fromEntries(ratios) });
}

/** Each name would be markup if it were not escaped. */
const odd = (name: string) => `${name} <x>&"'`;

function oddSection(): Section {
  const axes = { x: { label: odd('x') }, y: { label: odd('y') } };
  const series = [{ name: odd('line'), points: [{ x: 1, y: 2 }] }];
  const marks = (['x', 'y'] as const).map((axis) => ({ axis, at: 1, label: odd('mark') }));
  const bins = [{ name: odd('bins'), edges: [0, 1], counts: [1] }];
  const figures: Figure[] = [
    { ...axes, id: 'lines', kind: 'lines', title: odd('lines'), series, marks },
    { ...axes, id: 'density', kind: 'density', title: odd('density'), series: bins },
  ];
  const table = { caption: odd('caption'), columns: [odd('first'), odd('second')], rows: [[odd('row'), odd('cell')]] };
  return { title: odd('section'), text: [odd('text')], figures, tables: [table], preformatted: odd('fixed') };
}

const oddReport = sampleReport({
  experiment: odd('experiment'),
  title: odd('title'),
  about: odd('about'),
  source: odd('https://example.org/'),
  machine: { ...MACHINE, cpu: odd('cpu') },
  versions: { [odd('version')]: odd('') },
  workload: { [odd('workload')]: odd('') },
  warnings: [odd('warning')],
  sections: [oddSection()],
  ratios: { [odd('ratio')]: spreadOf(1) },
});
const SHOWN =
  'experiment title about cpu version workload warning ratio section text caption first second row cell fixed lines density';

test.each([[[oddReport]], [[oddReport, oddReport]]])('names are escaped in all places of a page', (reports) => {
  const page = reportHtml(reports);
  expect(page).not.toContain('<x>');
  expect(page).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
  for (const name of SHOWN.split(' ')) expect(page).toContain(`${name} &lt;x&gt;&amp;&quot;&#39;`);
});

test('a page needs nothing else, no two parts have one id, and every reference has its part', () => {
  const page = reportHtml([oddReport, oddReport]);
  expect(page).not.toMatch(/<script|@import|url\(|src=/);
  expect(page.match(/(?<!xmlns|<a href)="https?:[^"]*/g)).toBeNull();
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const referred = [...page.matchAll(/(?:aria-labelledby="|href="#)([^"]*)"/g)].flatMap(([, text = '']) =>
    text.split(' '),
  );
  expect(referred.length).toBeGreaterThan(0);
  expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
});

test('an earlier report is read as it was written, and nothing where there is none', async () => {
  const folder = await temporaryFolder();
  const report = withRatios({ a: 1 });
  await writeReports(folder, [report]);
  expect(await readEarlierReport(folder, 'e9')).toEqual(report);
  await writeFile(join(folder, 'e9.2026-11-22T01-26-43Z.json'), jsonText(withRatios({ a: 2 })));
  await writeFile(join(folder, 'broken.json'), '{"experiment":"broken"');
  await writeFile(join(folder, 'other.json'), '{"results":{}}');
  for (const name of ['missing', 'broken', 'other']) expect(await readEarlierReport(folder, name)).toBeUndefined();
  await expect(readReports(folder)).rejects.toThrow(SyntaxError);
  for (const name of ['broken.json', 'other.json']) await rm(join(folder, name));
  expect(await readReports(folder)).toEqual([report]);
  expect(await readdir(folder)).toContain('report.html');
});

test.each([
  ['just below', 1, 1.1499, true],
  ['just above', 1, 1.1501, false],
  ['just below, downwards', 1.1499, 1, true],
  ['just above, downwards', 1.1501, 1, false],
  ['equal', 0, 0, true],
  ['from nothing to something', 0, 1, false],
  ['of another sign', -1, 1, false],
])('%s the tolerance', (_, earlier, later, agrees) => {
  const comparison = compareRuns(withRatios({ a: earlier }), withRatios({ a: later }));
  expect([comparison.agrees, comparison.ratios[0]?.agrees]).toEqual([agrees, agrees]);
});

test('runs do not agree where one of them could not tell a ratio that has repeats', () => {
  const agrees = (ratios: Report['ratios']) => compareRuns(sampleReport({ ratios }), withRatios({ a: 1 })).agrees;
  const [a, gone] = [spreadOf(1), spreadOf(1)];
  expect([agrees({ a }), agrees({ a, gone }), agrees({ a, gone: { ...gone, repeats: 1 } })]).toEqual([
    true,
    false,
    true,
  ]);
});

test('a run of another workload is not compared', () => {
  const report = withRatios({ a: 2 });
  for (const other of [{ experiment: 'e8' }, { isQuick: true }, { workload: { ...WORKLOAD, updateIntervalMs: 1 } }]) {
    expect(withAgreement(report, { ...withRatios({ a: 1 }), ...other })).toBe(report);
  }
});
