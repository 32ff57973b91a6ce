import { check, Floors, fc, seeded, size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { LEARNED_COMMITS, learnSchedule, nextUpdate, type Schedule } from '../src/schedule.ts';
import { afterIntervals, intervals, normal, seeds, timetabled } from './simulation.ts';

// What is stated between each commit, at a share of the time to the next, and that next one.
function stated(timesMs: readonly number[], share = 0.5): { schedule: Schedule; nowMs: number; commitMs: number }[] {
  return timesMs.slice(LEARNED_COMMITS).map((commitMs, index) => {
    const known = timesMs.slice(index, index + LEARNED_COMMITS);
    const lastMs = known.at(-1) as number;
    const nowMs = Math.floor(lastMs + share * (commitMs - lastMs));
    return { schedule: learnSchedule(known, nowMs), nowMs, commitMs };
  });
}

const isKnown = ({ schedule }: { schedule: Schedule }) => schedule.kind === 'interval';

// The share of the commits that came before what was predicted.
function earlyShare(timesMs: readonly number[], predicted: () => void = () => {}): number {
  const early = stated(timesMs, 0).filter(({ schedule, nowMs, commitMs }) => {
    const next = nextUpdate(schedule, nowMs);
    if (next.state === 'predicted') predicted();
    return next.state === 'predicted' && next.atMs > commitMs;
  });
  return early.length / (timesMs.length - LEARNED_COMMITS);
}

/** At least 95 % come no earlier than predicted. */
const MAX_EARLY_SHARE = 1 - 0.95;
const UPDATES = size({ gate: 1000, night: 2500 }) + LEARNED_COMMITS;
const jitters = fc.constantFrom(0, 0.01, 0.05, 0.2);

interface Streams {
  readonly interval?: fc.Arbitrary<number>;
  readonly jitter?: fc.Arbitrary<number>;
  readonly met?: Floors<string>;
}

/** Judges streams, each with an interval, a jitter and chance of its own. */
function checkStreams(
  { interval = intervals, jitter = jitters, met = new Floors({}) }: Streams,
  judge: (intervalMs: number, jitter: number, unit: () => number) => void,
): void {
  const streams = fc.property(interval, jitter, seeds, (ms, share, seed) => judge(ms, share, seeded(`${seed}`)));
  check(streams, { numRuns: 6, met });
}

test('MAL-29 at least the named share of the updates of a regular stream comes no earlier than predicted', () => {
  const met = new Floors({ predicted: 1000 });
  const predicted = () => met.count('predicted');
  checkStreams({ met }, (intervalMs, jitter, unit) => {
    const regular = afterIntervals(UPDATES, () => intervalMs * Math.max(0.1, 1 + jitter * normal(unit)));
    expect(earlyShare(regular, predicted)).toBeLessThanOrEqual(MAX_EARLY_SHARE);
    expect(earlyShare(timetabled(UPDATES, intervalMs, jitter, unit))).toBeLessThanOrEqual(MAX_EARLY_SHARE);
  });
});

test('MAL-29 what is predicted is after the last commit, and no later than the median interval allows', () => {
  const met = new Floors({ predicted: 150 });
  checkStreams({ met }, (intervalMs, jitter, unit) => {
    const timesMs = timetabled(200, intervalMs, jitter, unit);
    for (const [index, { schedule }] of stated(timesMs).entries()) {
      if (schedule.kind === 'unknown') continue;
      met.count('predicted');
      const lastMs = timesMs[index + LEARNED_COMMITS - 1] as number;
      expect(schedule.nextMs).toBeGreaterThan(lastMs);
      expect(schedule.nextMs).toBeLessThanOrEqual(lastMs + (1 + 2 * jitter) * intervalMs);
    }
  });
});

test('MAL-26 a regular stream has a schedule nearly always, and one whose updates come by chance hardly ever', () => {
  checkStreams({ jitter: fc.constantFrom(0.01, 0.05, 0.2) }, (intervalMs, jitter, unit) => {
    const regular = stated(timetabled(UPDATES, intervalMs, jitter, unit));
    expect(regular.filter(isKnown).length).toBeGreaterThanOrEqual(0.9 * regular.length);
    const byChance = stated(afterIntervals(UPDATES, () => 1 - intervalMs * Math.log(1 - unit())));
    expect(byChance.filter(isKnown).length).toBeLessThanOrEqual(0.05 * byChance.length);
  });
});

test('a tenth of the updates missed leaves the schedule, and as few come before it', () => {
  checkStreams({ jitter: fc.constant(0.05) }, (intervalMs, jitter, unit) => {
    const timesMs = timetabled(UPDATES, intervalMs, jitter, unit).filter(() => unit() > 0.1);
    const all = stated(timesMs);
    expect(all.filter(isKnown).length).toBeGreaterThanOrEqual(0.95 * all.length);
    expect(earlyShare(timesMs)).toBeLessThanOrEqual(MAX_EARLY_SHARE);
  });
});

test('a stream whose interval changes twice a day has each learned within 12 updates', () => {
  check(
    fc.property(seeds, fc.constantFrom(1.6, 2, 3, 6), (seed, ratio) => {
      const unit = seeded(`${seed}`);
      const dayMs = 300_000;
      const about = (intervalMs: number) => () => intervalMs * (1 + 0.05 * (2 * unit() - 1));
      const night = afterIntervals(40, about(dayMs * ratio));
      const day = afterIntervals(40, about(dayMs), night.at(-1));
      const nextNight = afterIntervals(40, about(dayMs * ratio), day.at(-1));
      const known = [...night, ...day, ...nextNight];
      const nextMs = (count: number) => {
        const lastMs = known[count - 1] as number;
        const schedule = learnSchedule(known.slice(0, count), lastMs);
        return schedule.kind === 'interval' ? schedule.nextMs - lastMs : Number.NaN;
      };
      for (const count of [52, 60, 80]) expect(Math.abs(nextMs(count) / dayMs - 0.9)).toBeLessThan(0.15);
      for (const count of [92, 100, 120]) expect(Math.abs(nextMs(count) / dayMs / ratio - 0.9)).toBeLessThan(0.15);
    }),
    { numRuns: 50 },
  );
});

test('no commit of an update that has several is hidden for longer than a micro-cache', () => {
  checkStreams({ jitter: fc.constant(0.02) }, (intervalMs, jitter, unit) => {
    const starts = timetabled(400, intervalMs, jitter, unit);
    const second = () => Math.ceil((0.01 + 0.02 * unit()) * intervalMs);
    const timesMs = starts.flatMap((startMs) => [startMs, startMs + second()]);
    const all = stated(timesMs);
    expect(all.filter(isKnown).length).toBe(all.length);
    expect(earlyShare(timesMs)).toBeLessThanOrEqual(MAX_EARLY_SHARE);
    // Half of the time to the next update is past the burst: it is predicted then.
    const between = all.filter(({ commitMs }) => starts.includes(commitMs));
    const predicted = between.filter(({ schedule, nowMs }) => nextUpdate(schedule, nowMs).state === 'predicted');
    expect(predicted.length).toBeGreaterThanOrEqual(0.95 * between.length);
  });
});

test('MAL-31 the stated interval of a stream of a usual interval stays while its median wavers', () => {
  const usual = fc.constantFrom(5000, 20_000, 60_000, 900_000, 3_600_000, 86_400_000);
  checkStreams({ interval: usual, jitter: fc.constantFrom(0.01, 0.05) }, (intervalMs, jitter, unit) => {
    const all = stated(timetabled(500, intervalMs, jitter, unit));
    const found = new Set(all.map(({ schedule }) => schedule.kind === 'interval' && schedule.intervalMs));
    expect([...found]).toEqual([intervalMs]);
  });
});
