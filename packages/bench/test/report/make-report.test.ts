import { expect, test } from 'vitest';
import { makeReport } from '../../src/report/make-report.ts';

const WORDS = { name: 'e9', title: 'A title', about: 'What was done.' };
const FOUND = {
  workload: { clients: [1] },
  repeats: 2,
  warnings: [],
  sections: [],
  ratios: {},
  histograms: {},
  data: {},
};
const BEGAN_MS = Date.UTC(2030, 0, 2, 3, 4, 5);

test('a report states when it began, how long it took, and what it was asked for', () => {
  const report = makeReport(
    WORDS,
    { quick: true, seed: 7, only: [] },
    { clock: () => BEGAN_MS + 2500 },
    BEGAN_MS,
    FOUND,
  );
  expect(report).toMatchObject({
    experiment: 'e9',
    title: 'A title',
    about: 'What was done.',
    startedAt: '2030-01-02T03:04:05.000Z',
    tookSeconds: 2.5,
    isQuick: true,
    seed: 7,
    repeats: 2,
    workload: { clients: [1] },
  });
  expect(report).not.toHaveProperty('source');
});

test('a report states the machine, and versions beside those that the experiment names', () => {
  const source = 'https://example.org/published';
  const found = { ...FOUND, versions: { nginx: '1.2.3' } };
  const report = makeReport({ ...WORDS, source }, { quick: false, seed: 1, only: [] }, { clock: () => 0 }, 0, found);
  expect(report.source).toBe(source);
  expect(report.machine.cores).toBeGreaterThan(0);
  expect(typeof report.machine.pinned).toBe('boolean');
  expect(report.versions).toMatchObject({ 'Node.js': process.versions.node, nginx: '1.2.3' });
  expect(report.versions['@ldes-live/server']).toMatch(/^\d+\.\d+\.\d+/);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test('which measurements were run is a part of the workload, the same however they were given', () => {
  const workloadOf = (only: readonly string[]) =>
    makeReport(WORDS, { quick: false, seed: 1, only }, { clock: () => 0 }, 0, FOUND).workload;
  expect(workloadOf([])).toEqual({ clients: [1] });
  expect(workloadOf(['slow', 'fanout', 'slow'])).toEqual({ only: 'fanout, slow', clients: [1] });
  expect(workloadOf(['fanout', 'slow'])).toEqual(workloadOf(['slow', 'fanout']));
});
