import { describe, expect, test } from 'vitest';
import { e3Found } from '../../src/e3/e3-found.ts';
import { e3Plan, e3Seconds } from '../../src/e3/e3-plan.ts';
import { fixedRatios, mostRatios } from '../../src/e3/e3-ratios.ts';
import { e3Workload } from '../../src/e3/e3-workload.ts';
import { limitOf } from '../../src/e3/limit-of.ts';
import type { FixedRun } from '../../src/e3/measure-fixed.ts';
import type { Step } from '../../src/e3/measure-most.ts';
import { isKeptUp } from '../../src/e3/run-step.ts';
import type { Transport } from '../../src/e3/transport.ts';
import { LATENCY, run, step } from './made-runs.ts';

const plan = e3Plan({ quick: false, only: [], seed: 1 });

describe('ratios', () => {
  test('are of runs of one repeat', () => {
    const runs = [run('websocket', 0, 100), run('sse', 0, 80), run('websocket', 1, 200), run('sse', 1, 220)];
    const name = 'rows/s of plain SSE / WebSocket, test I';
    const ratio = mostRatios(runs, 'batch')[name];
    expect(ratio?.repeats).toBe(2);
    expect(ratio?.min).toBeCloseTo(0.8);
    expect(ratio?.max).toBeCloseTo(1.1);
  });

  test('of CPU time count each row', () => {
    const of = (transport: Transport, clientCpuMicros: number, rows: number): FixedRun => ({
      ...step(transport, 0, 0),
      latency: LATENCY,
      repeat: 0,
      connections: 20,
      clientCpuMicros,
      rows,
    });
    const ratios = fixedRatios([of('websocket', 1000, 100), of('ldes-live', 3000, 50)], plan.fixed);
    expect(ratios['client CPU for a row of ldes-live / WebSocket, test III, 20 connections']?.median).toBe(6);
    expect(Object.keys(ratios)).toHaveLength(2);
  });
});

test('rows are kept up with when all came once, and soon', () => {
  const all = { rows: 10, lost: 0, behind: 0, doubled: 0 };
  expect(isKeptUp(all, 100_000)).toBe(true);
  expect(isKeptUp(all, 100_001)).toBe(false);
  for (const broken of [{ rows: 0 }, { lost: 1 }, { behind: 1 }, { doubled: 1 }]) {
    expect(isKeptUp({ ...all, ...broken }, 0)).toBe(false);
  }
});

test('the limit is the side that was full at the first step past the best', () => {
  const best = { ...step('sse', 10, 50), latency: LATENCY };
  const failed = (level: number, shares: Partial<Step>) => step('sse', level, 1, { isKeptUp: false, ...shares });
  const full = { serverShare: 0.99, clientShare: 0.2 };
  expect(limitOf({ best, steps: [failed(40, {}), failed(20, full)] })).toBe('server');
  expect(limitOf({ best, steps: [failed(20, {})] })).toBe('client');
  expect(limitOf({ best, steps: [failed(20, { ...full, clientShare: 0.95 })] })).toBe('both sides');
  expect(limitOf({ best, steps: [failed(20, { serverShare: 0.5, clientShare: 0.5 })] })).toBe('neither was full');
  expect(limitOf({ best, steps: [] })).toBe('none was reached');
});

describe('the report', () => {
  const batch = [run('websocket', 0, 4e6), run('sse', 0, 3e6), run('ldes-live', 0, 3e5)];

  test('has the published figures beside, and a figure of every step', () => {
    const { sections } = e3Found({ batch }, plan);
    const most = sections.find(({ title }) => title.startsWith('Test I:'));
    const [first] = most?.tables?.[0]?.rows ?? [];
    expect(first?.[0]).toBe('WebSocket');
    expect(first).toContain('4,000,000 at 800');
    expect(first).toContainEqual({ median: 4e6, min: 4e6, max: 4e6, repeats: 1 });
    const [figure] = most?.figures ?? [];
    expect(figure?.kind === 'lines' && figure.series[0]?.points).toEqual([
      { x: 10, y: 2e6, low: 2e6, high: 2e6 },
      { x: 20, y: 4e6, low: 4e6, high: 4e6 },
    ]);
  });

  test('tells of rows that were lost or came twice, and of a browser that is missing', () => {
    const broken = { ...step('sse', 0, 100, { lost: 3, doubled: 2, isKeptUp: false }), latency: LATENCY, repeat: 0 };
    const { warnings } = e3Found({ fixed: [broken], browser: { isMissing: true, runs: [] } }, plan);
    expect(warnings).toEqual([
      expect.stringContaining('no Chromium'),
      expect.stringMatching(/plain SSE.*3 rows lost.*2 twice/),
    ]);
  });

  test('says what it means only where something follows', () => {
    expect(e3Found({ batch }, plan).sections.at(-1)?.title).toBe('What it means');
    const { sections } = e3Found({ browser: { isMissing: true, runs: [] } }, plan);
    expect(sections.at(-1)?.title).toBe('In a browser');
  });

  test('adds up the histograms of repeats', () => {
    const { histograms } = e3Found({ batch: [...batch, run('sse', 1, 3e6)] }, plan);
    expect(histograms['test I, plain SSE']).toEqual({ max: 500, counts: [10, 6] });
  });
});

test('a quick plan takes some seconds, and a whole one some minutes', () => {
  const sum = (seconds: Readonly<Record<string, number>>) => Object.values(seconds).reduce((all, one) => all + one, 0);
  expect(sum(e3Seconds(e3Plan({ quick: true, only: [], seed: 1 })))).toBeLessThanOrEqual(25);
  expect(sum(e3Seconds(plan))).toBeLessThanOrEqual(8 * 60);
});

test('the workload is of the measurements that were run, without JSON, and what is a time or a number of rows says so', () => {
  const workload = e3Workload(plan, ['fixed', 'browser']);
  expect(workload).toMatchObject({
    'test III: connections and rows of a batch': '20 and 250, 100 and 50',
    'test III: milliseconds from a batch to the next': 50,
    'test III: seconds before what counts': 1.5,
    'test III: seconds': 3,
    'browser: rows of a batch': [250, 1000],
  });
  expect(Object.keys(workload).some((name) => name.startsWith('test I:'))).toBe(false);
  const all = e3Workload(plan, ['batch', 'connections', 'fixed', 'browser']);
  expect(all['test I: rows of a batch']).toBe(
    `1 to ${plan.batch.levels.at(-1)}, at ${plan.batch.levels.length} levels`,
  );
  expect(JSON.stringify(Object.values(all))).not.toMatch(/[{}]/);
});
