import { expect, test } from 'vitest';
import { readableLines } from '../src/serve/texts.ts';
import { paintLine, type StyledLine } from '../src/terminal/styled-line.ts';
import { rowsTaken, terminalFrame } from '../src/terminal/terminal-frame.ts';
import { filled, fitted, textWidth } from '../src/terminal/text-width.ts';

test.each([
  ['', 0],
  ['Tram 101', 8],
  ['電車', 4],
  ['e\u0301', 1],
  ['🚋', 2],
  ['👩‍🚀', 2],
  ['▁▂×', 3],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test('what is cut ends in an ellipsis, within the width', () => {
  expect(fitted('Tram 101', 8)).toBe('Tram 101');
  expect(fitted('Tram 101', 7)).toBe('Tram 1…');
  expect(fitted('電車', 3)).toBe('電…');
  expect(fitted('電車', 2)).toBe('…');
  expect(fitted('Tram', 0)).toBe('');
});

test('what is filled takes exactly the width', () => {
  for (const text of ['', 'Tram 101', '電車電車']) expect(textWidth(filled(text, 6))).toBe(6);
});

test('lines take the place of those before, and what was below is cleared', () => {
  const frame = terminalFrame(['a', 'b'], 3);
  expect(frame).toContain('\r\u001b[3Aa\u001b[K\nb\u001b[K\n\u001b[J');
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

const line: StyledLine = ['lag ', { text: 'high', tone: 'bad' }, ' now'];

test('pieces stand out by escape sequences, each undone at its end', () => {
  expect(paintLine(line, 80, true)).toBe('lag \u001b[31mhigh\u001b[0m now');
});

test('a cut counts columns, not escape sequences, and closes the piece that it cuts', () => {
  expect(paintLine(line, 12, true)).toBe('lag \u001b[31mhigh\u001b[0m now');
  expect(paintLine(line, 7, true)).toBe('lag \u001b[31mhi…\u001b[0m');
  expect(paintLine(line, 4, true)).toBe('lag…');
});

test('LOG-6 an event is one line for a person, without what would steer the terminal', () => {
  let written = '';
  const { write } = readableLines({
    write: (text: string) => {
      written += text;
      return true;
    },
  });
  const time = new Date(2026, 10, 23, 10, 4, 5).getTime();
  const message = 'Two\nlines \u001b[31m\u009b1m "red"';
  const fields = {
    pid: 7,
    hostname: 'h',
    stream: 'vehicles',
    sources: 2,
    message,
    err: { type: 'E', message: 'cause' },
  };
  write(`${JSON.stringify({ level: 40, time, ...fields, msg: 'source failing' })}\n`);
  write(`${JSON.stringify({ level: 30, time, err: { message }, message, msg: 'stopped' })}\n`);
  const [first, second, rest] = written.split('\n');
  expect(first).toMatch(/^10:04:05 warn {2}source failing stream=vehicles sources=2 message="Two.*red.*" err=cause$/);
  expect(second).toMatch(/^10:04:05 info {2}stopped message="[^=]*"$/);
  expect(rest).toBe('');
  expect(written.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
