import { expect, test } from 'vitest';
import { rowsTaken, terminalFrame } from '../../src/terminal/terminal-frame.ts';

test('lines take the place of those before, and what was below is cleared', () => {
  const frame = terminalFrame(['a', 'b'], 3);
  expect(frame).toContain('\r\u001b[3Aa\u001b[K\nb\u001b[K\n\u001b[J');
});

test('the first lines begin where the cursor is', () => {
  expect(terminalFrame(['a'], 0)).not.toMatch(/\[\d+A/);
});

test('each frame leaves the cursor shown and lines broken as before, and the screen of the terminal alone', () => {
  const frame = terminalFrame(['a'], 1);
  expect(frame.startsWith('\u001b[?25l\u001b[?7l')).toBe(true);
  expect(frame.endsWith('\u001b[?7h\u001b[?25h')).toBe(true);
  expect(frame).not.toMatch(/\?1049|\?47|\[2J|\[H/);
});

test('a line that a narrower terminal has broken takes as many rows as its pieces', () => {
  expect(rowsTaken(['', '12345', '123456'], 5)).toBe(4);
});
