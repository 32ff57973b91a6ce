import type { Commit } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryStore } from '../src/memory-store.ts';
import { upsert, vehicles } from './suite-place.ts';

const openLog = () => createMemoryStore({ clock: () => 1000, random: () => 0.5 }).open(vehicles);

test('what a listener throws reaches the runtime, not the log nor the other listeners', async () => {
  const uncaught: unknown[] = [];
  // In the place of the runner's own listeners.
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const log = await openLog();
  const [first, second] = [new Error('first'), new Error('second')];
  const seen: Commit[] = [];
  log.subscribe(() => {
    throw first;
  });
  log.subscribe((told) => seen.push(told));
  log.subscribe(() => {
    throw second;
  });
  expect(seen).toEqual([await log.append([upsert(1)])]);
  await eventually(() => expect(uncaught).toEqual([first, second]));
});

test('who unsubscribes while a commit is told hears of it no more, and who subscribes hears of the next', async () => {
  const log = await openLog();
  const seen: string[] = [];
  log.subscribe(() => {
    endSecond();
    log.subscribe(() => seen.push('third'));
  });
  const endSecond = log.subscribe(() => seen.push('second'));
  await log.append([upsert(1)]);
  expect(seen).toEqual([]);
  await log.append([upsert(2)]);
  expect(seen).toEqual(['third']);
});

test('a function that subscribes twice is called twice, and ends one of the two', async () => {
  const log = await openLog();
  const listener = vi.fn();
  const end = log.subscribe(listener);
  log.subscribe(listener);
  await log.append([upsert(1)]);
  expect(listener).toHaveBeenCalledTimes(2);
  end();
  end();
  await log.append([upsert(2)]);
  expect(listener).toHaveBeenCalledTimes(3);
});
