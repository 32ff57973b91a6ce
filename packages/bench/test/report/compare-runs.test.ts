import { expect, test } from 'vitest';
import { compareRuns } from '../../src/report/compare-runs.ts';
import { agreementSection, withAgreement } from '../../src/report/with-agreement.ts';
import { sampleReport, spreadOf, withRatios } from './sample-report.ts';

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

test('the verdict counts what differs, and names what only one run has', () => {
  const comparison = compareRuns(
    withRatios({ a: 1, b: 1, c: 1, gone: 1 }),
    withRatios({ a: 1, b: 2, c: 0.5, late: 1 }),
    0.2,
  );
  expect(comparison.verdict).toMatch(
    /^3 of 5 ratios are in both runs\. 2 of 3 ratios with repeats differ by more than 20 %: the machine was too noisy, or /,
  );
  expect([comparison.onlyEarlier, comparison.onlyLater]).toEqual([['gone'], ['late']]);
  expect(comparison.ratios.map(({ difference }) => difference)).toEqual([0, 1, 1]);
  expect(compareRuns(withRatios({ a: 1 }), withRatios({ a: 1.1 })).verdict).toBe(
    'The one ratio with repeats agrees within 15 %.',
  );
  expect(compareRuns(withRatios({ a: 1 }), withRatios({ b: 1 })).verdict).toMatch(/cannot be compared/);
});

test('a ratio of a single repeat cannot be judged, however far it has moved', () => {
  const [one, three] = [{ median: 1, min: 1, max: 1, repeats: 1 }, spreadOf(1)];
  const earlier = sampleReport({ ratios: { a: three, b: three, c: one } });
  const later = sampleReport({ ratios: { a: three, b: { ...one, median: 2 }, c: spreadOf(3) } });
  const comparison = compareRuns(earlier, later);
  expect(comparison.verdict).toBe(
    'The one ratio with repeats agrees within 15 %. 2 of 3 ratios cannot be judged: too few repeats.',
  );
  expect(comparison.agrees).toBe(true);
  expect(
    agreementSection(comparison).tables?.[0]?.rows.map(([name, , , apart, agrees]) => [name, apart, agrees]),
  ).toEqual([
    ['c', '200 %', 'too few repeats'],
    ['b', '100 %', 'too few repeats'],
    ['a', '0 %', 'yes'],
  ]);
  const single = sampleReport({ ratios: { a: one, b: one } });
  expect(compareRuns(single, single).verdict).toBe('The 2 ratios cannot be judged: too few repeats.');
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

test('the section has every ratio, those that differ most first', () => {
  const section = agreementSection(compareRuns(withRatios({ a: 1, b: 1, x: 1 }), withRatios({ a: 1.1, b: 2, y: 1 })));
  expect(section.tables?.[0]?.rows.map(([name, , , apart, agrees]) => [name, apart, agrees])).toEqual([
    ['b', '100 %', 'no'],
    ['a', '10 %', 'yes'],
  ]);
  expect(section.text.join(' ')).toMatch(/Only the earlier run has: x\..*Only this run has: y\./);
});

test('a report that does not agree with an earlier one warns, and one that does has the section alone', () => {
  const noisy = withAgreement(withRatios({ a: 2 }), withRatios({ a: 1 }));
  expect(noisy.warnings).toEqual([expect.stringMatching(/too noisy/)]);
  const calm = withAgreement(withRatios({ a: 1.01 }), withRatios({ a: 1 }));
  expect(calm.warnings).toEqual([]);
  expect([noisy, calm].map(({ sections }) => sections.map(({ title }) => title))).toEqual(
    Array(2).fill(['Agreement with an earlier run']),
  );
});

test('a run of another workload is not compared', () => {
  const report = withRatios({ a: 2 });
  const { workload } = sampleReport();
  for (const other of [{ experiment: 'e8' }, { isQuick: true }, { workload: { ...workload, updateIntervalMs: 1 } }]) {
    expect(withAgreement(report, { ...withRatios({ a: 1 }), ...other })).toBe(report);
  }
});
