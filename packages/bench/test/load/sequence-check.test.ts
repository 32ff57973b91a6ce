import { expect, test } from 'vitest';
import { addSequences, emptySequenceTally, SequenceCheck } from '../../src/load/sequence-check.ts';
import { stamp } from '../../src/load/stamp.ts';

const STEP = 3;

function follow() {
  const tally = emptySequenceTally();
  const check = new SequenceCheck(STEP, () => tally);
  const take = (event: string, id: string | undefined, text = '') => {
    const bytes = Buffer.from(text);
    check.take({ event, ...(id !== undefined && { id }) }, bytes, 0, bytes.length);
  };
  return { tally, check, take };
}

const members = (count: number, micros: number) => stamp(micros).repeat(count);

test('commits in order are nothing to tell of', () => {
  const { tally, check, take } = follow();
  check.begin('e-6');
  for (const id of ['e-9', 'e-12', 'e-15']) take('update', id);
  expect(tally).toEqual(emptySequenceTally());
  expect(check.id).toBe('e-15');
});

test('commits that are left out are lost, and those that come again are told', () => {
  const { tally, check, take } = follow();
  check.begin('e-0');
  for (const id of ['e-3', 'e-12', 'e-12', 'e-15']) take('update', id);
  expect(tally).toEqual({ ...emptySequenceTally(), lost: 2, duplicates: 1 });
});

test('where a reader began counts once: a later answer does not move it', () => {
  const { tally, check, take } = follow();
  check.begin('e-3');
  take('update', 'e-6');
  check.begin('e-12');
  take('update', 'e-9');
  expect(tally.lost).toBe(0);
});

test('a gap is told, and what follows it goes on from there', () => {
  const { tally, take } = follow();
  take('update', 'e-3');
  take('gap', 'e-30');
  take('update', 'e-33');
  expect(tally).toEqual({ ...emptySequenceTally(), gaps: 1 });
});

test('a state that has the newest of every entity stands for the commits that it replaces', () => {
  const { tally, check, take } = follow();
  take('update', 'e-3');
  take('conflated', undefined, 'data: {"from":"e-3","to":"e-30"}');
  take('update', undefined, members(2, 30));
  expect(check.id).toBe('e-3');
  take('update', 'e-30', members(1, 30));
  take('update', 'e-33', members(3, 33));
  expect(tally).toEqual({ ...emptySequenceTally(), conflations: 1 });
});

test.each([
  ['lacks an entity', members(2, 30)],
  ['has an entity twice', members(4, 30)],
  ['has an old version', members(2, 30) + members(1, 27)],
])('a state that %s is wrong', (_, text) => {
  const { tally, take } = follow();
  take('conflated', undefined, 'data: {"from":"e-3","to":"e-30"}');
  take('update', 'e-30', text);
  expect(tally.wrongStates).toBe(1);
});

test('tallies are added up by their fields', () => {
  const one = { lost: 1, duplicates: 2, gaps: 3, conflations: 4, wrongStates: 5 };
  expect(addSequences([one, one])).toEqual({ lost: 2, duplicates: 4, gaps: 6, conflations: 8, wrongStates: 10 });
});
