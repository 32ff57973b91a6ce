import { expect, test } from 'vitest';
import { e4Found } from '../../src/e4/e4-found.ts';
import { planOf } from '../../src/e4/e4-plan.ts';
import type { ClientsRun } from '../../src/e4/measure-clients.ts';
import type { Round } from '../../src/e4/round.ts';
import { summarizeRounds } from '../../src/e4/summarize-rounds.ts';
import { madeRound } from './made-round.ts';

const PLAN = planOf({ quick: false, only: [], seed: 1 });
const LATE = Array.from({ length: 100 }, () => 200);
const PLACE = PLAN.requests.stepsPerDoubling;

/** Two rates that are kept and one that is not; a round trip costs four times an update. */
function runOf(clients: number, repeat: number, more: Partial<Round> = {}): ClientsRun {
  const rounds = (['updates', 'requests'] as const).flatMap((kind) => {
    const serverCpuMicros = (kind === 'updates' ? 5000 : 20_000) * (clients / 1000) ** 0.1;
    const common = { kind, clients, serverCpuMicros, ...more };
    return [
      madeRound({ ...common, place: 0, perSecond: 100 }),
      madeRound({ ...common, place: PLACE, perSecond: 200 }),
      madeRound({ ...common, place: 2 * PLACE, perSecond: 400, delaysMs: LATE, serverCpuMicros: 950_000 }),
    ];
  });
  return { clients, repeat, isDurable: false, baseBytes: 95e6, clientBytes: 10_000, rounds };
}

const runs = [0, 1, 2].flatMap((repeat) => [runOf(1000, repeat), runOf(5000, repeat)]);

/** A repeat that had a pause at one rate, by updates and by round trips, with most of its core left. */
function pausedRun(clients: number, place: number, perSecond: number): ClientsRun {
  const run = runOf(clients, 1);
  const below = run.rounds.filter((round) => round.perSecond < perSecond);
  const paused = (['updates', 'requests'] as const).map((kind) =>
    madeRound({ kind, clients, place, perSecond, delaysMs: LATE, serverCpuMicros: 340_000 }),
  );
  return { ...run, rounds: [...below, ...paused] };
}

test('the largest rate that is kept is told for each number of clients', () => {
  const [few, many] = summarizeRounds(runs, 'requests');
  expect(few).toMatchObject({ clients: 1000, endedBy: ['the server'], largest: { median: 200, repeats: 3 } });
  expect(few?.steady).toMatchObject({ perSecond: 200, delays: { p99Ms: { median: 10 }, meanMs: { repeats: 3 } } });
  expect(many?.rates.map(({ verdicts }) => verdicts.join())).toEqual([
    'kept,kept,kept',
    'kept,kept,kept',
    'late,late,late',
  ]);
});

test('a report has both tables beside what was published, figures, ratios and every delay', () => {
  const { sections, ratios, warnings, histograms } = e4Found(runs, PLAN);
  expect(sections.map(({ title }) => title)).toEqual([
    'Updates of one subject each',
    'Round trips',
    'Messages of a core, and memory of a client',
    'A million clients, on paper',
  ]);
  const [delays] = sections[1]?.tables ?? [];
  expect(delays?.rows[0]).toEqual([
    'Published: 1,000,016 clients, 16 cores',
    undefined,
    '240,000',
    '0.65',
    '11.82',
    '26.28',
    undefined,
    '20',
    '130',
    '1,783',
  ]);
  expect(delays?.rows).toHaveLength(3);
  expect(sections[1]?.figures?.map(({ id }) => id)).toEqual(['e4-requests-p99', 'e4-requests-density']);
  const flat = ratios['cpu of one round trip, 5000 clients / 1000 clients'];
  expect(flat?.median).toBeCloseTo(5 ** 0.1, 9);
  expect(ratios['messages/s of a core, round trips / updates, 1000 clients']?.median).toBeCloseTo(1, 9);
  expect(Object.keys(histograms)).toContain('round trips, 5,000 clients, 400/s');
  expect(warnings).toEqual([]);
});

test('what was lost or came twice is a warning, and is not kept', () => {
  const one = runOf(1000, 0, { lost: 2, doubled: 1 });
  const { warnings, sections } = e4Found([one], PLAN);
  expect(warnings[0]).toBe('100 updates/s with 1,000 clients, repeat 1: of 100, 2 never came, 1 came again.');
  expect(warnings).toHaveLength(one.rounds.length);
  expect(sections[0]?.text.at(-1)).toContain('not every repeat kept a rate');
});

test('figures of a saturated load are refused, and the search then ended by the load', () => {
  const saturated = [runOf(1000, 0)].map((run) => ({
    ...run,
    rounds: run.rounds.map((round) => (round.perSecond === 400 ? { ...round, cpuMicros: 950_000 } : round)),
  }));
  const { warnings, histograms } = e4Found(saturated, PLAN);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatch(/400 updates\/s with 1,000 clients, repeat 1: figures refused/);
  expect(Object.keys(histograms)).not.toContain('updates, 1,000 clients, 400/s');
  expect(summarizeRounds(saturated, 'updates')[0]).toMatchObject({ endedBy: ['the load'], largest: { median: 200 } });
});

test('where the plan ended the search nothing is said of what the server would bear', () => {
  const kept = [runOf(1000, 0)].map((run) => ({
    ...run,
    rounds: run.rounds.filter(({ perSecond }) => perSecond < 400),
  }));
  expect(summarizeRounds(kept, 'updates')[0]).toMatchObject({ endedBy: ['the plan'], largest: { median: 200 } });
  const text = e4Found(kept, PLAN).sections[0]?.text.at(-1);
  expect(text).toBe('1,000 clients: the largest rate that was kept is 200 updates a second. More was not tried.');
});

test('what was published of 16 cores is told for each of them too, and a process without clients has its memory', () => {
  const { sections } = e4Found(runs, PLAN);
  const [costs, paper] = sections.slice(2);
  const rows = costs?.tables?.[0]?.rows ?? [];
  expect(rows.slice(0, 2).map(([name, messages]) => [name, messages])).toEqual([
    ['Published: 16 cores at 65 %', 960_000],
    ['Published: for each of the 16 cores', 60_000],
  ]);
  expect(rows[2]?.at(-1)).toMatchObject({ median: 95 });
  expect(paper?.text.join(' ')).toMatch(/95 MB for a process without clients/);
});

test('clients that one process cannot connect are left out', () => {
  expect(planOf({ quick: true, only: [], seed: 1, clients: [100, 25_000] }).clients).toEqual([100]);
});

test('where a repeat keeps more than another one did not, there is no steady limit', () => {
  const noisy = [runOf(1000, 0), pausedRun(1000, 1, 119)];
  const [summary] = summarizeRounds(noisy, 'updates');
  expect(summary).toMatchObject({
    unsteady: { leastFailed: 119, greatestKept: 200 },
    steady: { perSecond: 100 },
    endedBy: ['the server', 'late answers'],
  });
  const { sections } = e4Found(noisy, PLAN);
  expect(sections[0]?.text.at(-1)).toBe(
    '1,000 clients have no steady limit: rates from 119 to 200 updates a second were kept in some repeats and not in others; the largest that every repeat kept is 100. At some, more than 1 % came late although the server took no more than 90 % of its core.',
  );
  const costs = sections.find(({ title }) => title.startsWith('Messages of a core'))?.tables?.[0]?.rows;
  expect(costs?.at(-1)?.slice(0, 3)).toEqual([
    '1,000 clients, round trips',
    '400 to 800, not steady',
    'the server, late answers',
  ]);
});

test('what all repeats have in common is said to be none where no rate was kept by every repeat', () => {
  const noisy = [runOf(1000, 0), pausedRun(1000, 0, 100)];
  const { sections } = e4Found(noisy, PLAN);
  expect(sections[0]?.text.at(-1)).toContain('not every repeat kept a rate');
  expect(sections[1]?.tables?.[0]?.rows.at(-1)).toEqual([
    '1,000 clients',
    'not told: no rate was kept by every repeat',
  ]);
  const paper = sections.find(({ title }) => title === 'A million clients, on paper');
  expect(paper).toEqual({
    title: 'A million clients, on paper',
    text: ['Not told: no rate was kept by every repeat (1,000 clients, updates; 1,000 clients, round trips).'],
  });
  const costs = sections.find(({ title }) => title.startsWith('Messages of a core'));
  expect(costs?.text.at(-1)).toContain('no rate was kept by every repeat: 1,000 clients, updates;');
});

test('memory of a client is not told where a repeat did not grow', () => {
  const shrunk = [runOf(1000, 0), { ...runOf(1000, 1), clientBytes: -24_000 }];
  const { sections } = e4Found(shrunk, PLAN);
  const [costs, paper] = sections.slice(2);
  const [memory, base] = costs?.tables?.[0]?.rows[2]?.slice(-2) ?? [];
  expect(memory).toBeUndefined();
  expect(base).toMatchObject({ median: 95 });
  expect(paper?.text).toEqual(['Not told: the memory of a client is not known.']);
});

test('it is said by how many seconds a rate is judged', () => {
  const { sections } = e4Found(runs, PLAN);
  for (const section of sections.slice(0, 2)) {
    expect(section.text[0]).toContain('kept up for 1.25 s and judged by these alone: a single pause of some 143 ms');
  }
});
