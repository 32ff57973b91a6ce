import type { Member } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { Sequencer } from '../../src/follow/sequencer.ts';

function member(sequence: number, entity: string, kind: Member['kind'] = 'upsert'): Member {
  return { id: `${entity}#${sequence}`, entity, kind, sequence, time: '2026-01-01T00:00:00.000Z', quads: [] };
}

test('MAL-10 lets the next member through, drops what was seen, and tells a hole', () => {
  const sequencer = new Sequencer({ epoch: 'e', sequence: 4 });
  expect(sequencer.accept(member(4, 'a'))).toBe('seen');
  expect(sequencer.accept(member(6, 'a'))).toBe('hole');
  expect(sequencer.position).toEqual({ epoch: 'e', sequence: 4 });
  expect(sequencer.accept(member(5, 'a'))).toBe('next');
  expect(sequencer.accept(member(5, 'a'))).toBe('seen');
  expect(sequencer.position).toEqual({ epoch: 'e', sequence: 5 });
});

test('takes a state with gaps in its sequence, and ends at its cursor', () => {
  const sequencer = new Sequencer();
  expect(sequencer.position).toBeUndefined();
  sequencer.restart({ epoch: 'e', sequence: 0 });
  sequencer.takeState(member(3, 'a'));
  sequencer.takeState(member(7, 'b'));
  expect(sequencer.position).toEqual({ epoch: 'e', sequence: 7 });
  sequencer.endState({ epoch: 'e', sequence: 9 });
  expect(sequencer.accept(member(10, 'c'))).toBe('next');
});

test('knows nothing after a restart', () => {
  const sequencer = new Sequencer({ epoch: 'e', sequence: 0 });
  sequencer.accept(member(1, 'a'));
  sequencer.restart({ epoch: 'f', sequence: 0 });
  expect(sequencer.position).toEqual({ epoch: 'f', sequence: 0 });
});

test('a conflation that is taken moves the position when all of it is here, and counts what it left out', () => {
  const sequencer = new Sequencer({ epoch: 'e', sequence: 4 });
  expect([7, 9, 12].map((sequence) => sequencer.takeAhead(member(sequence, 'a')))).toEqual([true, true, true]);
  expect(sequencer.position).toEqual({ epoch: 'e', sequence: 4 });
  sequencer.endAhead({ epoch: 'e', sequence: 12 });
  expect(sequencer.position).toEqual({ epoch: 'e', sequence: 12 });
  expect(sequencer.leftOut).toBe(5);
  expect(sequencer.accept(member(13, 'a'))).toBe('next');
});

test('a conflation that broke off is not told twice, by whatever way its members come again', () => {
  const again = new Sequencer({ epoch: 'e', sequence: 4 });
  again.takeAhead(member(7, 'a'));
  again.takeAhead(member(9, 'b'));
  expect([7, 9, 14].map((sequence) => again.takeAhead(member(sequence, 'a')))).toEqual([false, false, true]);
  again.endAhead({ epoch: 'e', sequence: 14 });
  expect(again.leftOut).toBe(7);

  const inOrder = new Sequencer({ epoch: 'e', sequence: 4 });
  inOrder.takeAhead(member(7, 'a'));
  expect([5, 6, 7, 8].map((sequence) => inOrder.accept(member(sequence, 'a')))).toEqual([
    'seen',
    'seen',
    'seen',
    'next',
  ]);
  expect(inOrder.leftOut).toBe(2);
});

test('a conflation that tells nothing to this reader leaves out all that it stands for', () => {
  const sequencer = new Sequencer({ epoch: 'e', sequence: 4 });
  sequencer.endAhead({ epoch: 'e', sequence: 3 });
  expect(sequencer.position).toEqual({ epoch: 'e', sequence: 4 });
  sequencer.endAhead({ epoch: 'e', sequence: 8 });
  expect([sequencer.position?.sequence, sequencer.leftOut]).toEqual([8, 4]);
});
