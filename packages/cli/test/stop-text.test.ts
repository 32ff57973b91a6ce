import { expect, test } from 'vitest';
import { stopText } from '../src/serve/stop-text.ts';

test('a stop that takes a while is told, and how to shorten it', () => {
  expect(stopText(101)).toBe(
    'Stopping: 101 readers are sent away one after the other. Interrupt again to stop at once.\n',
  );
  expect(stopText(100)).toBe('');
  expect(stopText(0)).toBe('');
});
