import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { reportOutOfBand } from '../../src/latest.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test('MAL-73 a listener that throws ends no reading, and what it throws is reported', async () => {
  const host = globalThis as { reportError?: (error: unknown) => void };
  const former = host.reportError;
  const reported: unknown[] = [];
  host.reportError = (error) => reported.push(error);
  try {
    const { origin } = await setUpOrigin('a', 'b');
    const follower = followOrigin(origin, { mal: 1 });
    const fail = (word: string) => () => {
      throw word;
    };
    follower.on('status', fail('status'));
    follower.on('caught-up', fail('caught-up'));
    follower.latest().on('upsert', fail('upsert'));
    const iterator = reading(follower);
    expect(sequences(await take(iterator, 2))).toEqual([1, 2]);
    const next = take(iterator, 1);
    await until(() => origin.pushed.size === 1);
    origin.commit('c');
    expect(sequences(await next)).toEqual([3]);
    await iterator.return?.();
    expect(new Set(reported)).toEqual(new Set(['status', 'upsert', 'caught-up']));
  } finally {
    if (former) host.reportError = former;
    else delete host.reportError;
  }
});

test('MAL-73 without a place for errors, what a listener throws is reported as uncaught', () => {
  const reported: unknown[] = [];
  const host = globalThis as { reportError?: (error: unknown) => void };
  const former = host.reportError;
  host.reportError = (error) => reported.push(error);
  try {
    reportOutOfBand('as in a browser');
  } finally {
    if (former) host.reportError = former;
    else delete host.reportError;
  }
  expect(reported).toEqual(['as in a browser']);
});

test('MAL-73 where there is no reportError, it is thrown after the present call', () => {
  const host = globalThis as { queueMicrotask: (task: () => void) => void };
  const former = host.queueMicrotask;
  const tasks: (() => void)[] = [];
  host.queueMicrotask = (task) => tasks.push(task);
  try {
    reportOutOfBand(new Error('late'));
  } finally {
    host.queueMicrotask = former;
  }
  expect(tasks).toHaveLength(1);
  expect(tasks[0]).toThrow('late');
});
