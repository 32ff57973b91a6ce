import { expect, test } from 'vitest';
import { paintLine, type StyledLine } from '../../src/terminal/styled-line.ts';

const line: StyledLine = ['lag ', { text: 'high', tone: 'bad' }, ' now'];

test('pieces stand out by escape sequences, each undone at its end', () => {
  expect(paintLine(line, 80, true)).toBe('lag \u001b[31mhigh\u001b[0m now');
});

test('without colour a line is its text', () => {
  expect(paintLine(line, 80, false)).toBe('lag high now');
});

test('a cut counts columns, not escape sequences, and closes the piece that it cuts', () => {
  expect(paintLine(line, 12, true)).toBe('lag \u001b[31mhigh\u001b[0m now');
  expect(paintLine(line, 7, true)).toBe('lag \u001b[31mhi…\u001b[0m');
  expect(paintLine(line, 4, true)).toBe('lag…');
});
