import { expect, test } from 'vitest';
import { type Closers, withClosers } from '../src/serve/with-closers.ts';

/** Runs with closers of which some fail; tells which were called. */
async function close(failing: readonly string[], run: () => Promise<void> = async () => {}) {
  const called: string[] = [];
  const closer = (name: string) => async () => {
    called.push(name);
    if (failing.includes(name)) throw new Error(name);
  };
  const running = withClosers(async (closers: Closers) => {
    closers.push(closer('store'), closer('server'), closer('sources'));
    await run();
  });
  const failure = await running.then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { called, failure };
}

const ALL = ['sources', 'server', 'store'];

test('what was opened last is closed first', async () => {
  expect(await close([])).toEqual({ called: ALL, failure: undefined });
});

test.each([[['sources']], [['server', 'store']], [ALL]])(
  '%j fail: all are closed, and the first is told',
  async (failing) => {
    expect(await close(failing)).toEqual({ called: ALL, failure: failing[0] });
  },
);

test('a run that fails is told of before closers that fail', async () => {
  const run = () => Promise.reject(new Error('run'));
  expect(await close([], run)).toEqual({ called: ALL, failure: 'run' });
  expect(await close(['server'], run)).toEqual({ called: ALL, failure: 'run' });
});

test('a closer that throws at once keeps no other from closing', async () => {
  let isClosed = false;
  const running = withClosers(async (closers) => {
    closers.push(
      async () => {
        isClosed = true;
      },
      () => {
        throw new Error('at once');
      },
    );
  });
  await expect(running).rejects.toThrow('at once');
  expect(isClosed).toBe(true);
});
