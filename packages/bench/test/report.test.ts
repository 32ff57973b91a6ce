import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareRuns } from '../src/report/compare-runs.ts';
import { jsonText } from '../src/report/json-text.ts';
import { readEarlierReport, readReports } from '../src/report/read-report.ts';
import type { Report } from '../src/report/report.ts';
import { reportHtml } from '../src/report/report-html.ts';
import { withAgreement } from '../src/report/with-agreement.ts';
import { writeReports } from '../src/report/write-reports.ts';
import { oddSection, sampleReport, spreadOf, withRatios } from './sample-report.ts';

const ODD = `<x>&"'`;

function oddReport(): Report {
  return sampleReport({
    experiment: `experiment ${ODD}`,
    title: `title ${ODD}`,
    about: `about ${ODD}`,
    source: `https://example.org/${ODD}`,
    machine: { ...sampleReport().machine, cpu: `cpu ${ODD}` },
    versions: { [`version ${ODD}`]: ODD },
    workload: { [`workload ${ODD}`]: ODD },
    warnings: [`warning ${ODD}`],
    sections: [oddSection()],
    ratios: { [`ratio ${ODD}`]: spreadOf(1) },
  });
}

test('names are escaped in all places', () => {
  for (const page of [reportHtml([oddReport()]), reportHtml([oddReport(), oddReport()])]) {
    expect(page).not.toContain('<x>');
    expect(page).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
    for (const name of [
      'experiment',
      'title',
      'about',
      'cpu',
      'version',
      'workload',
      'warning',
      'ratio',
      'section',
      'text',
      'caption',
      'first',
      'second',
      'row',
      'cell',
      'fixed',
      'lines',
      'density',
    ]) {
      expect(page).toContain(`${name} &lt;x&gt;&amp;&quot;&#39;`);
    }
  }
});

test('a page needs nothing else: neither scripts nor addresses but links', () => {
  const page = reportHtml([oddReport()]);
  expect(page).not.toMatch(/<script|@import|url\(|src=/);
  expect(page.match(/(?<!xmlns|<a href)="https?:[^"]*/g)).toBeNull();
});

test('no two parts have one id, and every reference has its part', () => {
  const page = reportHtml([oddReport(), oddReport()]);
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const referred = [...page.matchAll(/(?:aria-labelledby="|href="#)([^"]*)"/g)].flatMap(
    ([, text]) => text?.split(' ') ?? [],
  );
  expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
});

describe('write reports', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reports-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('an earlier report is read as it was written, and nothing where there is none', async () => {
    const report = withRatios({ a: 1 });
    await writeReports(folder, [report]);
    expect(await readEarlierReport(folder, 'e9')).toEqual(report);
    await writeFile(join(folder, 'e9.2026-11-22T01-26-43Z.json'), jsonText(withRatios({ a: 2 })));
    await writeFile(join(folder, 'broken.json'), '{"experiment":"broken"');
    await writeFile(join(folder, 'other.json'), '{"results":{}}');
    for (const name of ['missing', 'broken', 'other']) expect(await readEarlierReport(folder, name)).toBeUndefined();
    await expect(readReports(folder)).rejects.toThrow(SyntaxError);
    await rm(join(folder, 'broken.json'));
    await rm(join(folder, 'other.json'));
    expect(await readReports(folder)).toEqual([report]);
    expect(await readdir(folder)).toContain('report.html');
  });
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
  const one = { median: 1, min: 1, max: 1, repeats: 1 };
  const agrees = (earlier: Parameters<typeof withRatios>[0]) =>
    compareRuns(withRatios(earlier), withRatios({ a: 1 })).agrees;
  expect(agrees({ a: 1 })).toBe(true);
  expect(agrees({ a: 1, gone: 1 })).toBe(false);
  const single = sampleReport({ ratios: { a: spreadOf(1), gone: one } });
  expect(compareRuns(single, withRatios({ a: 1 })).agrees).toBe(true);
});

test('a run of another workload is not compared', () => {
  const report = withRatios({ a: 2 });
  const { workload } = sampleReport();
  for (const other of [{ experiment: 'e8' }, { isQuick: true }, { workload: { ...workload, updateIntervalMs: 1 } }]) {
    expect(withAgreement(report, { ...withRatios({ a: 1 }), ...other })).toBe(report);
  }
});
