import { expect, test } from 'vitest';
import { soakMarkdown } from '../src/soak/soak-report.ts';
import { judge, type Sample, trendOf } from '../src/soak/trend.ts';
import { seededRandom } from '../src/timing.ts';

/** Looks every 10 s at lives of 10 minutes each: a level for each life, growth in an hour, and noise around it. */
function samplesOf(levels: readonly number[], perHour: number, noise: (index: number) => number): Sample[] {
  return levels.flatMap((level, life) =>
    Array.from({ length: 60 }, (_, index) => {
      const lifeHours = index / 360;
      return { life, hours: life / 6 + lifeHours, value: level + perHour * lifeHours + noise(index) };
    }),
  );
}

const random = seededRandom(7);
const white = () => random() - 0.5;
const BOUND = { growthShare: 0.05 };

test('all lives have one slope, and each a level of its own', () => {
  const trend = trendOf(samplesOf([100, 250, 40], 12, () => 0));
  expect(trend.perHour).toBeCloseTo(12);
  expect([trend.low, trend.high]).toEqual([expect.closeTo(12), expect.closeTo(12)]);
  expect(trend).toMatchObject({ samples: 180, level: expect.closeTo(131, 0), max: expect.closeTo(252, 0) });
});

test('the interval holds the slope of noise, and is wider where neighbours are alike', () => {
  const { low, high, perHour } = trendOf(samplesOf([100, 100], 30, white));
  expect(low).toBeLessThan(30);
  expect(high).toBeGreaterThan(30);
  const drift = (index: number) => Math.sin(index / 8);
  const slow = trendOf(samplesOf([100, 100], 30, drift));
  const size = (index: number) => (index % 2 === 0 ? 1 : -1) * Math.SQRT1_2;
  const quick = trendOf(samplesOf([100, 100], 30, size));
  expect(slow.high - slow.low).toBeGreaterThan(2 * (quick.high - quick.low));
  expect(perHour).toBeCloseTo(30, -1);
});

test('a figure grows only where its interval lies above 0 and an hour of it is more than a share of its level', () => {
  expect(judge(trendOf(samplesOf([100, 100], 40, white)), BOUND)).toBe('grows');
  expect(judge(trendOf(samplesOf([100, 100], 4, () => 0)), BOUND)).toBe('flat');
  expect(judge(trendOf(samplesOf([100, 100], -40, white)), BOUND)).toBe('flat');
  expect(judge(trendOf(samplesOf([100, 100], 0, (index) => 30 * Math.sin(index / 9))), BOUND)).toBe('flat');
  expect(judge(trendOf(samplesOf([100, 300], 0, white)), BOUND)).toBe('flat');
  expect(judge(trendOf(samplesOf([100, 300], 0, white)), { ...BOUND, max: 250 })).toBe('high');
});

test('too few samples, or those of a few minutes, say nothing', () => {
  expect(judge(trendOf(samplesOf([100], 40, white).slice(0, 7)), BOUND)).toBe('unknown');
  expect(judge(trendOf(samplesOf([100], 40, white).slice(0, 35)), BOUND)).toBe('unknown');
  expect(judge(trendOf(samplesOf([100], 400, white).slice(0, 40)), BOUND)).toBe('grows');
  expect(judge(trendOf([]), BOUND)).toBe('unknown');
});

test('the page names what is wrong', () => {
  const figure = (perHour: number) => {
    const trend = trendOf(samplesOf([100], perHour, () => 0));
    return { figure: 'ownMib' as const, ...trend, bound: BOUND, verdict: judge(trend, BOUND) };
  };
  const page = (perHour: number, value: number) =>
    soakMarkdown({
      startedAt: '2026-11-30T00:00:00.000Z',
      minutes: 60,
      seed: 1,
      machine: { cpu: 'a cpu', cores: 2, memoryGib: 8, platform: 'Linux', node: 'v20', pinned: true },
      busyCores: 0,
      stolenShare: 0,
      ends: [],
      reloads: 0,
      feedFailures: 0,
      heads: { vehicles: 300, sensors: 10, buoys: 1 },
      counts: {} as never,
      loads: [],
      polls: { requests: 1, failed: 0 },
      figures: [figure(perHour)],
      checks: [
        { name: 'members lost', value, most: 0 },
        { name: 'posted', value: 1, least: 1 },
      ],
      remarks: [],
      samples: {},
    });
  expect(page(1, 0)).toContain('All verdicts are right.');
  expect(page(50, 3)).toContain('**Wrong: members lost; ownMib.**');
  expect(page(50, 3)).toMatch(/\| ownMib \| 104 \| 108 \| 50\.0 \| 50\.0 to 50\.0 \| 60 \| 5\.2\d \| grows \|/);
});
