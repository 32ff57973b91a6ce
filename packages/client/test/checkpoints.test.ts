import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { Checkpoints } from '../src/outbox.ts';

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
