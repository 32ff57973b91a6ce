import { expect, test } from 'vitest';
import { commandText } from '../../src/report/command-text.ts';

test('what was not given is left out', () => {
  expect(commandText('e1', { quick: false, only: [], seed: 1 })).toBe('ldes-live bench e1');
});

test('all that was given is told', () => {
  const asked = { quick: true, clients: [100, 1000], durationSeconds: 25, repeats: 5, malSeconds: [0.5, 5] };
  expect(commandText('e2', { ...asked, only: ['sse', 'crossing'], seed: 7 })).toBe(
    'ldes-live bench e2 --quick --clients 100,1000 --duration 25 --repeat 5 --mal 0.5,5 --only sse --only crossing --seed 7',
  );
});
