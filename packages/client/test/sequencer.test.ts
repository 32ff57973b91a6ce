import type { Member } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { Sequencer } from '../src/sequencer.ts';

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

test('keeps the living entities as delivered', () => {
  const sequencer = new Sequencer({ epoch: 'e', sequence: 0 });
  sequencer.accept(member(1, 'a'));
  sequencer.accept(member(2, 'b'));
  sequencer.accept(member(3, 'a', 'delete'));
  sequencer.accept(member(5, 'c'));
  expect([...sequencer.living.keys()]).toEqual(['b']);
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
  expect([...sequencer.living.keys()]).toEqual(['a', 'b', 'c']);
});

test('knows nothing after a restart', () => {
  const sequencer = new Sequencer({ epoch: 'e', sequence: 0 });
  sequencer.accept(member(1, 'a'));
  sequencer.restart({ epoch: 'f', sequence: 0 });
  expect(sequencer.living.size).toBe(0);
  expect(sequencer.position).toEqual({ epoch: 'f', sequence: 0 });
});
