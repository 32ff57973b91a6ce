import { expect, test } from 'vitest';
import { ConflatingBuffer } from '../../src/reader/conflating-buffer.ts';
import { change, gap, inWords } from './buffered-changes.ts';

function bufferOf(limitChanges: number, ...changes: Parameters<ConflatingBuffer['put']>[0][]): ConflatingBuffer {
  const buffer = new ConflatingBuffer({ limitChanges });
  for (const one of changes) expect(buffer.put(one)).toBe(true);
  return buffer;
}

function takeAll(buffer: ConflatingBuffer): string[] {
  const taken: string[] = [];
  while (buffer.size > 0) taken.push(...inWords([buffer.take()]));
  return taken;
}

test('MAL-67 the newest version stands in the place of the oldest, and says how many were left out', () => {
  const buffer = bufferOf(5, change(1, 'bus'), change(2, 'tram'), change(3, 'bus'), change(4, 'bus'));
  expect(buffer.size).toBe(2);
  expect(buffer.conflated).toBe(2);
  expect(takeAll(buffer)).toEqual(['upsert bus/v4+2 @e-1', 'upsert tram/v2+0 @e-4']);
  expect(inWords([buffer.take()])).toEqual(['nothing']);
});

test('MAL-67 an entity that always changes comes to its turn', () => {
  const buffer = bufferOf(5, change(1, 'tram'), change(2, 'bus'));
  for (let sequence = 3; sequence < 100; sequence += 1) buffer.put(change(sequence, 'bus'));
  buffer.put(change(100, 'ferry'));
  expect(takeAll(buffer).map((words) => words.split(' ')[1])).toEqual(['tram/v1+0', 'bus/v99+97', 'ferry/v100+0']);
});

test('MAL-68 what was left out of a change before adds to what is left out here', () => {
  const buffer = bufferOf(5, { ...change(4, 'bus'), conflated: 3 }, { ...change(9, 'bus'), conflated: 2 });
  expect(takeAll(buffer)).toEqual(['upsert bus/v9+6 @e-9']);
});

test('MAL-67 an upsert replaced by a delete is a delete, even of what the reader never saw', () => {
  const buffer = bufferOf(5, change(1, 'bus'), change(2, 'bus', 'delete'));
  expect(takeAll(buffer)).toEqual(['delete bus/v2+1 @e-2']);
  const revived = bufferOf(5, change(1, 'bus', 'delete'), change(2, 'bus'));
  expect(takeAll(revived)).toEqual(['upsert bus/v2+1 @e-2']);
});

test('MAL-69 takes in as many entities as the limit says and no more, and always one that waits', () => {
  const buffer = bufferOf(2, change(1, 'bus'), change(2, 'tram'));
  expect(buffer.put(change(3, 'ferry'))).toBe(false);
  expect(buffer.put(change(3, 'tram'))).toBe(true);
  expect(buffer.size).toBe(2);
  expect(buffer.take()?.member?.entity).toBe('bus');
  expect(buffer.put(change(4, 'ferry'))).toBe(true);
  expect(takeAll(buffer)).toEqual(['upsert tram/v3+1 @e-3', 'upsert ferry/v4+0 @e-4']);
});

test('MAL-70 following from the cursor of a change brings all that still waits', () => {
  const buffer = bufferOf(9, change(1, 'bus'), change(2, 'tram'), change(3, 'ferry'), change(4, 'bus'));
  expect(buffer.resumeCursor('e-4')).toBe('e-0');
  expect(buffer.take()?.cursor).toBe('e-1');
  expect(buffer.resumeCursor('e-4')).toBe('e-1');
  expect(buffer.take()?.cursor).toBe('e-2');
  expect(buffer.take()?.cursor).toBe('e-4');
  expect(buffer.resumeCursor('e-9')).toBe('e-9');
});

test('MAL-71 a gap forgets what waits and comes first, whatever the limit', () => {
  const buffer = bufferOf(2, change(1, 'bus'), change(2, 'tram'), gap('e-2', 'f-0'), change(1, 'bus', 'upsert', 'f'));
  expect(buffer.size).toBe(2);
  expect(buffer.conflated).toBe(0);
  expect(buffer.resumeCursor('f-1')).toBe('e-2');
  expect(takeAll(buffer)).toEqual(['gap e-2>f-0', 'upsert bus/v1+0 @f-1']);
});

test('MAL-71 of several gaps in a row the reader gets one, from where it stood to where the log now begins', () => {
  const buffer = bufferOf(2, gap('e-2', 'f-0'), change(1, 'bus', 'upsert', 'f'), gap('f-1', 'g-0'));
  expect(takeAll(buffer)).toEqual(['gap e-2>g-0']);
  expect(buffer.put(gap('g-0', 'h-0'))).toBe(true);
  expect(takeAll(buffer)).toEqual(['gap g-0>h-0']);
});

test('MAL-69 takes one entity at a time where the limit is 1', () => {
  const buffer = bufferOf(1, change(1, 'bus'), change(2, 'bus'));
  expect(buffer.put(change(3, 'tram'))).toBe(false);
  expect(takeAll(buffer)).toEqual(['upsert bus/v2+1 @e-2']);
});
