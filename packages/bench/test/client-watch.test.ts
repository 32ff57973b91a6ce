import { expect, test } from 'vitest';
import { type ClientReport, ClientWatch, judgeClients, nextSlot } from '../src/experiments/client-watch.ts';
import { Histogram } from '../src/histogram.ts';
import { seededRandom } from '../src/timing.ts';

/** Notes members as they come: their sequences, when they were published, and how long they took. */
function note(watch: ClientWatch, ...deliveries: readonly (readonly [number, number, number])[]): void {
  for (const [sequence, publishedMs, lagMs] of deliveries) watch.note(sequence, publishedMs, publishedMs + lagMs);
}

test('what was published since the beginning and came later than the MAL is a miss', () => {
  const watch = new ClientWatch(100);
  watch.begin(1000);
  note(watch, [1, 1000, 500], [2, 1001, 100], [3, 1002, 101]);
  const { delay, ...report } = watch.report();
  expect(report).toMatchObject({ delivered: 2, misses: 1, lost: 0, doubled: 0, lastSequence: 3 });
  expect(new Histogram(delay).total).toBe(2);
});

test('nothing counts before the beginning, but the order is known; after a gap it begins anew', () => {
  const watch = new ClientWatch(100);
  note(watch, [4, 1000, 500]);
  watch.begin(2000);
  note(watch, [7, 3000, 1], [6, 3000, 2]);
  expect(watch.report()).toMatchObject({ delivered: 2, misses: 0, lost: 2, doubled: 1, lastSequence: 7 });
  watch.gap();
  note(watch, [20, 3000, 3]);
  expect(watch.report()).toMatchObject({ delivered: 3, lost: 2, gaps: 1, lastSequence: 20 });
});

const QUIET = { malSeconds: 1, mode: 'pull', stated: 0, lagBoundMs: 900, misses: 0, events: 0, documents: 0 };

/** Clients of an update of two members each second from 1 s to 10 s, looked at half a second later. */
function judged(...clients: readonly Partial<ClientReport>[]) {
  const commits = Array.from({ length: 10 }, (_, index) => ({ timeMs: 1000 * (index + 1), last: 2 * (index + 1) }));
  const reports = clients.map((client) => ({ ...QUIET, lastSequence: 20, ...client }) as ClientReport);
  const { counts, ...requests } = judgeClients(reports, { commits, intervalMs: 1000, beganMs: 0, endedMs: 10_500 });
  return { ...counts, ...requests };
}

test('misses that a client does not state are told apart', () => {
  const result = judged({ delivered: 20, misses: 3, stated: 3 }, { delivered: 20, misses: 2, stated: 1 });
  expect(result).toMatchObject({ delivered: 40, misses: 5, unstated: 1, overdue: 0 });
});

test('what should have come by the end and did not is a miss, stated where the bound says so', () => {
  // Its MAL has passed for the updates of 8 s and 9 s.
  expect(judged({ delivered: 14, lastSequence: 14 })).toMatchObject({ misses: 4, unstated: 4, overdue: 4 });
  expect(judged({ delivered: 14, lastSequence: 14, lagBoundMs: 1001 })).toMatchObject({ misses: 4, unstated: 0 });
  // One member of the update of 9 s has come.
  expect(judged({ delivered: 17, lastSequence: 17 })).toMatchObject({ misses: 1 });
});

test('requests for an update are those of clients that poll all the time, from the first one to the last', () => {
  const poll = { documents: 6, firstMs: 1500, lastMs: 6500 };
  const result = judged(poll, { ...poll, malSeconds: 5, documents: 3 }, { ...poll, events: 1 });
  expect(result).toMatchObject({ polling: 2, requestsPerUpdate: 1 });
});

test.each(['regular', 'late', 'missing', 'irregular'] as const)('updates that are %s come by their rhythm', (kind) => {
  const random = seededRandom(1);
  let slot: ReturnType<typeof nextSlot> = { atMs: 0, isPublished: false };
  const slots = Array.from({ length: 200 }, () => {
    slot = nextSlot({ name: 'one', kind, intervalMs: 1000 }, slot, random);
    return slot;
  });
  const stated = slots.map(({ statedMs }) => statedMs);
  const delays = slots.map(({ atMs, statedMs = atMs }) => atMs - statedMs);
  expect(stated.every((ms, index) => (kind === 'irregular' ? ms === undefined : ms === 1000 * (index + 1)))).toBe(true);
  expect(Math.max(...delays) > 0).toBe(kind === 'late');
  expect(Math.max(...delays)).toBeLessThanOrEqual(600);
  expect(slots.some(({ isPublished }) => !isPublished)).toBe(kind === 'missing');
});
