import { expect, test } from 'vitest';
import { createMemoryStore } from '../src/memory-store.ts';
import { describeLogStore } from './suite.ts';
import { upsert } from './suite-drafts.ts';
import { NOON_MS, vehicles } from './suite-place.ts';

describeLogStore({
  name: 'memory',
  persists: false,
  newPlace: async () => ({ open: async (options) => createMemoryStore(options), remove: async () => {} }),
});

test('a log in memory that is opened again is another log', async () => {
  let nowMs = NOON_MS;
  const store = createMemoryStore({ clock: () => nowMs, random: () => 0.5 });
  const log = await store.open(vehicles);
  await log.append([upsert('a')]);
  await log.close();
  nowMs += 1;
  const again = await store.open(vehicles);
  expect(again.head.cursor.sequence).toBe(0);
  expect(again.head.cursor.epoch).not.toBe(log.head.cursor.epoch);
  expect(again.latest.size).toBe(0);
  expect(again.shelf).toBeUndefined();
});
