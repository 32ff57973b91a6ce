import { expect, test } from 'vitest';
import type { ClientReport } from '../../src/client/client-messages.ts';
import { judgeClients } from '../../src/client/judge-clients.ts';

const QUIET: ClientReport = {
  group: 'straight/every-1',
  url: 'http://bench.invalid/parking',
  malSeconds: 1,
  mode: 'pull',
  told: 0,
  lagBoundMs: 900,
  delivered: 0,
  misses: 0,
  lags: { max: 0, counts: [] },
  toldApartMs: 0,
  lost: 0,
  doubled: 0,
  gaps: 0,
  lastSequence: 0,
  documents: 0,
  events: 0,
  early: 0,
  earliestMs: 0,
};

// An update of two members each second from 1 s on.
function published(seconds: number, endedMs: number) {
  const commits = Array.from({ length: seconds }, (_, index) => ({
    timeMs: 1000 * (index + 1),
    last: 2 * (index + 1),
  }));
  return { commits, intervalMs: 1000, beganMs: 0, endedMs };
}

function judged(clients: readonly Partial<ClientReport>[], log = published(10, 10_500)) {
  return judgeClients(
    'straight/every-1',
    clients.map((client) => ({ ...QUIET, lastSequence: 20, ...client })),
    log,
  );
}

test('misses that a client does not tell of are untold', () => {
  const result = judged([
    { delivered: 20, misses: 3, told: 3 },
    { delivered: 20, misses: 2, told: 1 },
  ]);
  expect(result).toMatchObject({ delivered: 40, misses: 5, untold: 1, missShare: 5 / 40 });
});

test('what should have come by the end and did not is a miss, told of where the bound says so', () => {
  // Its MAL has passed for the updates of 8 s and 9 s.
  expect(judged([{ delivered: 14, lastSequence: 14 }])).toMatchObject({ misses: 4, untold: 4, missShare: 4 / 18 });
  expect(judged([{ delivered: 14, lastSequence: 14, lagBoundMs: 1001 }])).toMatchObject({ misses: 4, untold: 0 });
  // One member of the update of 9 s has come.
  expect(judged([{ delivered: 17, lastSequence: 17 }])).toMatchObject({ misses: 1 });
});

test('clients that missed something are named with their MALs', () => {
  const result = judged(
    [
      { delivered: 20, lags: { max: 900_000, counts: [] } },
      { malSeconds: 0.5, mode: 'push', delivered: 18, lastSequence: 18, misses: 3, lags: { max: 700_000, counts: [] } },
    ],
    published(10, 10_501),
  );
  expect(result.late).toEqual([{ malSeconds: 0.5, mode: 'push', misses: 3, overdue: 2, longestMs: 700 }]);
});

test('requests after the first are counted for each update up to the last', () => {
  const exact = { documents: 10, firstMs: 1300, lastMs: 10_300 };
  expect(judged([exact])).toMatchObject({ polling: 1, requestsPerUpdate: 1, allRequestsPerUpdate: 1 });
  // Only those whose MAL leaves them no choice are held to one request an update.
  const patient = { malSeconds: 5, documents: 4, firstMs: 1300, lastMs: 10_300 };
  expect(judged([exact, patient])).toMatchObject({ requestsPerUpdate: 1, allRequestsPerUpdate: 12 / 18 });
});

test('who asked for an event, or pushes, does not poll', () => {
  const result = judged([
    { events: 1, documents: 9, firstMs: 0, lastMs: 9000, early: 1 },
    { mode: 'push', documents: 9, firstMs: 0, lastMs: 9000, early: 1 },
  ]);
  expect(result).toMatchObject({ clients: 2, polling: 0, early: 0 });
  expect(result).not.toHaveProperty('requestsPerUpdate');
});

test('requests too early, what is lost, and problems are reported', () => {
  const result = judged([
    { early: 2, earliestMs: 30, lost: 1, toldApartMs: 4 },
    { early: 1, earliestMs: 40, gaps: 1, problem: 'it ended by itself' },
  ]);
  expect(result).toMatchObject({
    early: 3,
    earliestMs: 40,
    lost: 1,
    gaps: 1,
    toldApartMs: 4,
    problems: ['it ended by itself'],
  });
});
