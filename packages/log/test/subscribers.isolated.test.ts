import type { Commit } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { Subscribers } from '../src/ordered-log.ts';
import { catchUncaught } from './catch-uncaught.ts';

const commit: Commit = { cursor: { epoch: 'e', sequence: 1 }, time: '2026-11-21T12:00:00.000Z', members: [] };

test('what a listener throws reaches the runtime, not the log nor the other listeners', async () => {
  const uncaught = catchUncaught();
  const subscribers = new Subscribers();
  const [first, second] = [new Error('first'), new Error('second')];
  const seen: Commit[] = [];
  subscribers.add(() => {
    throw first;
  });
  subscribers.add((told) => seen.push(told));
  subscribers.add(() => {
    throw second;
  });
  subscribers.notify(commit);
  expect(seen).toEqual([commit]);
  await eventually(() => expect(uncaught).toEqual([first, second]));
});

test('who unsubscribes while a commit is told hears of it no more, and who subscribes hears of the next', () => {
  const subscribers = new Subscribers();
  const seen: string[] = [];
  subscribers.add(() => {
    endSecond();
    subscribers.add(() => seen.push('third'));
  });
  const endSecond = subscribers.add(() => seen.push('second'));
  subscribers.notify(commit);
  expect(seen).toEqual([]);
  subscribers.notify(commit);
  expect(seen).toEqual(['third']);
});

test('a function that subscribes twice is called twice, and ends one of the two', () => {
  const subscribers = new Subscribers();
  const listener = vi.fn();
  const end = subscribers.add(listener);
  subscribers.add(listener);
  subscribers.notify(commit);
  expect(listener).toHaveBeenCalledTimes(2);
  end();
  end();
  subscribers.notify(commit);
  expect(listener).toHaveBeenCalledTimes(3);
  subscribers.clear();
  subscribers.notify(commit);
  expect(listener).toHaveBeenCalledTimes(3);
});
