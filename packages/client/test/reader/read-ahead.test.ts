import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { Change } from '../../src/index.ts';
import { Checkpoints, ConflatingBuffer, ReadAhead } from '../../src/outbox.ts';

function readAhead(changes: AsyncGenerator<Change, void>, limitChanges: number): ReadAhead {
  const ahead = new ReadAhead(new ConflatingBuffer({ limitChanges }));
  ahead.begin(changes);
  return ahead;
}

function change(sequence: number, entity: string): Change {
  const member = { id: `${entity}#${sequence}`, entity, kind: 'upsert', sequence, time: '', quads: [] } as const;
  return {
    kind: 'upsert',
    member,
    cursor: `e-${sequence}`,
    via: 'push',
    lagMs: 0,
    conflated: 0,
    isNewest: true,
    endsCommit: true,
  };
}

/** Changes that tell how far they were read. */
function source(changes: readonly Change[], end?: Error) {
  const read: number[] = [];
  async function* all(): AsyncGenerator<Change, void> {
    for (const one of changes) {
      read.push(one.member?.sequence ?? 0);
      yield one;
    }
    if (end) throw end;
  }
  return { read, changes: all() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('MAL-67 reads ahead and hands out the newest version of each entity', async () => {
  const { changes } = source([change(1, 'a'), change(2, 'b'), change(3, 'b'), change(4, 'b')]);
  const ahead = readAhead(changes, 10);
  expect((await ahead.next()).value).toMatchObject({ member: { id: 'a#1' } });
  await turn();
  expect((await ahead.next()).value).toMatchObject({ member: { id: 'b#4' }, conflated: 2 });
  expect((await ahead.next()).done).toBe(true);
});

test('MAL-69 reads no further while the buffer is full, and goes on when there is room', async () => {
  const { read, changes } = source(['a', 'b', 'c', 'd'].map((name, index) => change(index + 1, name)));
  const ahead = readAhead(changes, 2);
  await ahead.next();
  await turn();
  // Two wait, and the next was read for which there is no room.
  expect(read).toEqual([1, 2, 3, 4]);
  const ids: unknown[] = [];
  for (let next = await ahead.next(); !next.done; next = await ahead.next()) ids.push(next.value.member?.id);
  expect(ids).toEqual(['b#2', 'c#3', 'd#4']);
});

test('what came before a failure is handed out first', async () => {
  const { changes } = source([change(1, 'a'), change(2, 'b')], new Error('over'));
  const ahead = readAhead(changes, 10);
  await ahead.next();
  await ahead.next();
  await expect(ahead.next()).rejects.toThrow('over');
});

test('MAL-77 ends when it is told to, also while it waits for room, and keeps what was read for the next reading', async () => {
  const { changes } = source(['a', 'b', 'c', 'd'].map((name, index) => change(index + 1, name)));
  const ahead = readAhead(changes, 1);
  await ahead.next();
  await turn();
  await ahead.end();
  ahead.begin(source([change(4, 'd')]).changes);
  const ids: unknown[] = [];
  for (let next = await ahead.next(); !next.done; next = await ahead.next()) ids.push(next.value.member?.id);
  expect(ids).toEqual(['b#2', 'c#3', 'd#4']);
});

test('MAL-77 what is on its way when it is ended is kept, and a read that waits is told of the end', async () => {
  let bring = () => {};
  async function* late(): AsyncGenerator<Change, void> {
    yield change(1, 'a');
    await new Promise<void>((resolve) => {
      bring = resolve;
    });
    yield change(2, 'b');
  }
  const ahead = readAhead(late(), 10);
  await ahead.next();
  const waiting = ahead.next();
  await turn();
  const ended = ahead.end();
  await expect(waiting).resolves.toEqual({ done: true, value: undefined });
  bring();
  await ended;
  expect(ahead.resumeCursor('e-2', undefined)).toBe('e-1');
  ahead.begin(source([]).changes);
  expect((await ahead.next()).value).toMatchObject({ member: { id: 'b#2' } });
  expect((await ahead.next()).done).toBe(true);
});

test('MAL-76 resumes before what was made and is still on its way', async () => {
  const { changes } = source([change(1, 'a'), change(2, 'b')]);
  const ahead = readAhead(changes, 10);
  const made = change(1, 'a');
  expect(ahead.resumeCursor('e-1', made)).toBe('e-0');
  expect(ahead.resumeCursor('f-0', { kind: 'gap', from: 'e-9', cursor: 'f-0', via: 'pull' })).toBe('e-9');
  expect(ahead.resumeCursor('e-0', undefined)).toBe('e-0');
  expect(ahead.progress(made)).toEqual({ read: 1, taken: 0 });
  await ahead.next();
  await turn();
  expect(ahead.resumeCursor('e-2', undefined)).toBe('e-1');
  expect(ahead.progress(undefined)).toEqual({ read: 2, taken: 1 });
});

test('MAL-79 while something waits, the state is the newest of which nothing waits any more', () => {
  let read = 0;
  const checkpoints = new Checkpoints(() => `after ${read}`);
  read = 5;
  expect(checkpoints.state({ read, taken: 0 })).toBe('after 0');
  read = 8;
  expect(checkpoints.state({ read, taken: 4 })).toBe('after 0');
  expect(checkpoints.state({ read, taken: 5 })).toBe('after 5');
  read = 11;
  expect(checkpoints.state({ read, taken: 7 })).toBe('after 5');
  expect(checkpoints.state({ read, taken: 9 })).toBe('after 8');
  expect(checkpoints.state({ read, taken: 11 })).toBe('after 11');
});

test('MAL-79 makes a state when there is something new of it, and the last is not passed yet', () => {
  let made = 0;
  const checkpoints = new Checkpoints(() => {
    made += 1;
    return made;
  });
  for (let taken = 0; taken < 100; taken += 1) checkpoints.mark({ read: 100, taken });
  expect(made).toBe(2);
  checkpoints.mark({ read: 100, taken: 100 });
  expect(made).toBe(2);
  checkpoints.mark({ read: 101, taken: 100 });
  expect(made).toBe(3);
});

test('MAL-79 no state counts what waits, and none falls behind for ever', () => {
  check(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean())), (steps) => {
      let [read, taken] = [0, 0];
      const checkpoints = new Checkpoints(() => read);
      let before = 0;
      for (const [more, away, isSaved] of steps) {
        read += more;
        taken = Math.min(read, taken + away);
        if (!isSaved) checkpoints.mark({ read, taken });
        else {
          const state = checkpoints.state({ read, taken });
          expect(state).toBeLessThanOrEqual(taken);
          expect(state).toBeGreaterThanOrEqual(before);
          before = state;
        }
      }
      // What was made is passed at the next turn, and what is made then at the one after it.
      read += 1;
      checkpoints.mark({ read, taken: read - 1 });
      read += 1;
      expect(checkpoints.state({ read, taken: read - 1 })).toBe(read - 1);
    }),
  );
});
