import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test, vi } from 'vitest';
import { Listeners } from '../../src/latest.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test('a listener that throws ends no reading, and what it throws is reported', async () => {
  const reported = new Set<unknown>();
  vi.stubGlobal('reportError', (error: unknown) => reported.add(error));
  const { origin } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, { mal: 1 });
  const fail = (word: string) => () => {
    throw word;
  };
  follower.on('status', fail('status'));
  follower.on('caught-up', fail('caught-up'));
  follower.latest().on('upsert', fail('upsert'));
  const heard: number[] = [];
  follower.latest().on('upsert', ({ sequence }) => heard.push(sequence));
  const iterator = reading(follower);
  expect(sequences(await take(iterator, 2))).toEqual([1, 2]);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  origin.commit('c');
  expect(sequences(await next)).toEqual([3]);
  await iterator.return?.();
  expect(reported).toEqual(new Set(['status', 'upsert', 'caught-up']));
  expect(heard).toEqual([1, 2, 3]);
});

test('where there is no reportError, it is thrown after the present call', () => {
  vi.stubGlobal('reportError', undefined);
  const tasks: (() => void)[] = [];
  vi.stubGlobal('queueMicrotask', (task: () => void) => tasks.push(task));
  const listeners = new Listeners<{ readonly dry: readonly [] }>();
  listeners.on('dry', () => {
    throw new Error('late');
  });
  listeners.emit('dry');
  vi.unstubAllGlobals();
  expect(tasks).toHaveLength(1);
  expect(tasks[0]).toThrow('late');
});
