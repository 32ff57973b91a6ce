import { expect, test } from 'vitest';
import type { Change } from '../../src/index.ts';
import { ConflatingBuffer } from '../../src/reader/conflating-buffer.ts';
import { ReadAhead } from '../../src/reader/read-ahead.ts';

function readAhead(changes: AsyncGenerator<Change, void>, limitChanges: number): ReadAhead {
  const ahead = new ReadAhead(new ConflatingBuffer({ limitChanges }));
  ahead.begin(changes);
  return ahead;
}

function change(sequence: number, entity: string): Change {
  const member = { id: `${entity}#${sequence}`, entity, kind: 'upsert', sequence, time: '', quads: [] } as const;
  return { kind: 'upsert', member, cursor: `e-${sequence}`, via: 'push', lagMs: 0, conflated: 0, endsCommit: true };
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
