import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { HistogramLogReader, listTags } from 'hdr-histogram-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';
import { histogramLog } from '../../src/report/histogram-log.ts';
import { jsonText } from '../../src/report/json-text.ts';
import { readEarlierReport, readReports } from '../../src/report/read-report.ts';
import { writeReports } from '../../src/report/write-reports.ts';
import { oddSection, sampleReport, withRatios } from './sample-report.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reports-'));
});
afterAll(() => rm(folder, { recursive: true }));

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.note(value);
  return histogram;
}

test('every latency can be read back from the log, with the same percentiles', async () => {
  const fast = histogramOf(Array.from({ length: 5000 }, (_, index) => index));
  const slow = histogramOf(Array.from({ length: 1000 }, (_, index) => 1000 + (index * 7919) ** 1.3));
  const log = await histogramLog(
    sampleReport({
      histograms: { 'fast, one': fast.toSparse(), 'slow one': slow.toSparse(), nothing: { max: 0, counts: [] } },
    }),
  );
  expect(listTags(log)).toEqual(['fast_one', 'slow_one', 'nothing']);
  const reader = new HistogramLogReader(log);
  for (const expected of [fast, slow]) {
    const read = reader.nextIntervalHistogram();
    expect(read?.totalCount).toBe(expected.total);
    for (const share of [0, 0.25, 0.5, 0.9, 0.99, 0.999]) {
      // Its counters above are narrower than ours, and it has the greatest value only by its counter.
      const [found, value] = [read?.getValueAtPercentile(share * 100) ?? -1, expected.percentile(share)];
      expect([found >= value, found <= value * 1.001]).toEqual([true, true]);
    }
    expect(read?.startTimeStampMsec).toBe(Date.parse(sampleReport().startedAt));
  }
  expect(reader.nextIntervalHistogram()?.totalCount).toBe(0);
});

test('names that differ only by what tags do not have stay apart', async () => {
  const counts = histogramOf([1]).toSparse();
  const log = await histogramLog(sampleReport({ histograms: { 'a b': counts, a_b: counts, 'a, b': counts } }));
  expect(listTags(log)).toEqual(['a_b', 'a_b_2', 'a_b_3']);
});

test('reports are files of their own, figures too, and one page', async () => {
  const report = sampleReport({ sections: [oddSection()], histograms: { one: histogramOf([5]).toSparse() } });
  const paths = await writeReports(join(folder, 'made', 'new'), [
    report,
    withRatios({ a: 1 }),
    sampleReport({ experiment: 'e8' }),
  ]);
  const names = paths.map((path) => relative(join(folder, 'made', 'new'), path));
  expect(names).toEqual([
    'report.html',
    'e9.json',
    'e9.hlog',
    join('figures', 'e9-lines.svg'),
    join('figures', 'e9-density.svg'),
    'e8.json',
  ]);
  for (const path of paths) expect((await readFile(path)).length).toBeGreaterThan(100);
});

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

test('JSON has lists of numbers in one line, and means what it did', () => {
  const value = { a: [1, -2.5, 1e-7, 1e21], b: [], c: ['[\n  1\n]', '1, 2'], d: [[1, 2], [null]], e: [{ f: 1 }] };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toContain('\n  "a": [1, -2.5, 1e-7, 1e+21],\n');
  expect(text.endsWith('}\n')).toBe(true);
});
