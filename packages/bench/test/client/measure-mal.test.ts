import { expect, test } from 'vitest';
import type { ClientReport } from '../../src/client/client-messages.ts';
import { malText } from '../../src/client/mal-text.ts';
import { malRow } from '../../src/client/measure-mal.ts';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';

function client(mode: 'pull' | 'push', lagsMs: readonly number[], misses = 0): ClientReport {
  const lags = new LatencyHistogram();
  for (const lagMs of lagsMs) lags.note(lagMs * 1000);
  return {
    group: 'vehicles',
    url: 'http://bench.invalid/vehicles',
    malSeconds: 10,
    mode,
    told: misses,
    lagBoundMs: 0,
    delivered: lagsMs.length,
    misses,
    lags: lags.toSparse(),
    toldApartMs: 0,
    lost: 0,
    doubled: 0,
    gaps: 0,
    lastSequence: 1,
    documents: 24,
    events: 0,
    early: 0,
    earliestMs: 0,
  };
}

const EDGE = { beganMs: 0, endedMs: 120_000, cpuMicros: 0, wireBytes: 8192 };

test('a row divides what was spent by clients and minutes, and merges what clients saw', () => {
  const clients = [client('pull', [100, 200]), client('pull', [300, 9000])];
  const row = malRow(10, { ...EDGE, clients }, 2, 40);
  expect(row).toMatchObject({
    modes: { pull: 2, push: 0 },
    delivered: 4,
    misses: 0,
    requests: 12,
    wireBytes: 2048,
    serverCpuMs: 10,
  });
  expect(row.longestMs).toBe(9000);
  expect(Math.abs(row.p50Ms - 200)).toBeLessThan(2);
});

test('rows are a table in Markdown with columns of one width', () => {
  const rows = [
    malRow(0.5, { ...EDGE, clients: [client('push', [10], 1)] }, 2, 40),
    malRow(10, { ...EDGE, clients: [client('push', [10]), client('pull', [8000])] }, 2, 40),
  ];
  const plan = { malSeconds: [0.5, 10], clients: 2, warmUpMs: 0, durationMs: 120_000, idleMs: 1000 };
  const table = malText({ stream: 'vehicles', idleCpuMsPerMinute: 300, rows }, plan).filter((line) =>
    line.startsWith('|'),
  );
  expect(table).toHaveLength(4);
  expect(new Set(table.map((line) => line.length)).size).toBe(1);
  expect(table[2]).toContain('| push ');
  expect(table[2]).toContain('1 of 1');
  expect(table[3]).toContain('| pull 1, push 1 ');
});
