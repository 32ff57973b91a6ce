import { setImmediate as nextTurn } from 'node:timers/promises';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { formatBytes, formatSpan, readableLines, TextOutput } from '../src/terminal.ts';
import { fit, type ScreenSize, styled, TerminalScreen } from '../src/terminal-screen.ts';
import { FakeTerminal, fakeEnvironment } from './fake-terminal.ts';

test.each([
  ['Tram 101', 8, 'Tram 101'],
  ['Tram 101', 7, 'Tram 1…'],
  ['Tram', 6, 'Tram  '],
  ['Tram', 0, ''],
  ['電車', 5, '電車 '],
  ['電車', 3, '電…'],
  ['電車', 2, '… '],
  ['電車電', 4, '電… '],
  ['e\u0301', 2, 'e\u0301 '],
  ['👩‍🚀 up', 3, '👩‍🚀…'],
  [styled('red', 'high'), 3, '\u001b[31mhi…\u001b[39m'],
])('%j in %i columns is %j', (text, columns, expected) => {
  expect(fit(text, columns)).toBe(expected);
  expect(stringWidth(fit(text, columns))).toBe(columns);
});

function shown(terminal: FakeTerminal, env: Record<string, string> = {}) {
  const screen = new TerminalScreen(fakeEnvironment(terminal, 0, env), new TextOutput(terminal));
  return (...lines: string[]) => screen.draw(() => lines);
}

test('lines take the place of those before, and what was below is cleared', async () => {
  const terminal = new FakeTerminal();
  const draw = shown(terminal);
  await draw('a', 'b', 'c');
  await draw('d');
  expect(terminal.screen).toEqual(['d']);
  await draw('e', 'f');
  expect(terminal.screen).toEqual(['e', 'f']);
});

test('each frame leaves the cursor shown and lines broken as before, and the screen of the terminal alone', async () => {
  const terminal = new FakeTerminal();
  await shown(terminal)('a');
  expect(terminal.text.startsWith('\u001b[?25l\u001b[?7l')).toBe(true);
  expect(terminal.text.endsWith('\u001b[?7h\u001b[?25h')).toBe(true);
  expect(terminal.text).not.toMatch(/\?1049|\?47|\[2J|\[H/);
});

test('lines that a terminal has broken since it was made narrower are drawn over, but no more than it has rows', async () => {
  const terminal = new FakeTerminal({ rows: 6 });
  const draw = shown(terminal);
  await draw('1234567', '12345', '');
  terminal.columns = 5;
  await draw('a');
  expect(terminal.text).toContain('\r\u001b[4A');
  await draw('b', 'c', 'd', 'e', 'f', 'g');
  terminal.columns = 1;
  terminal.rows = 3;
  await draw('h');
  expect(terminal.text).toContain('\r\u001b[2Ah');
});

test.each([
  [
    { columns: 40, rows: 10 },
    { columns: 39, rows: 9 },
  ],
  [
    { columns: 0, rows: 0 },
    { columns: 79, rows: 23 },
  ],
  [
    { columns: 1, rows: 1 },
    { columns: 1, rows: 1 },
  ],
])('of a terminal of %j there is room for %j: its last column and row stay free', async (size, room) => {
  const terminal = new FakeTerminal(size);
  const screen = new TerminalScreen(fakeEnvironment(terminal, 0), new TextOutput(terminal));
  const sizes: ScreenSize[] = [];
  await screen.draw((given) => {
    sizes.push(given);
    return Array.from({ length: 99 }, () => 'x'.repeat(99));
  });
  expect(sizes).toEqual([room]);
  expect(terminal.screen.map((line) => line.length)).toEqual(Array.from({ length: room.rows }, () => room.columns));
});

test('pieces stand out by escape sequences, each undone at its end; with NO_COLOR by none', async () => {
  const [coloured, plain] = [new FakeTerminal({ columns: 8 }), new FakeTerminal({ columns: 8 })];
  const line = `lag ${styled('red', 'high')} now`;
  await shown(coloured)(line);
  await shown(plain, { NO_COLOR: '1' })(line);
  expect(coloured.text).toContain('lag \u001b[31mhi…\u001b[39m\u001b[K');
  expect(plain.text).toContain('lag hi…\u001b[K');
});

test('a terminal that does not keep up is not drawn on until it does, nor one that shows it already', async () => {
  let taken = 0;
  const slow = new (class extends FakeTerminal {
    override _write(chunk: Buffer, encoding: string, done: () => void): void {
      taken += 1;
      void nextTurn().then(() => super._write(chunk, encoding, done));
    }
  })();
  const draw = shown(slow);
  const drawing = draw('a');
  await draw('b');
  await drawing;
  await draw('a');
  expect(taken).toBe(1);
  await draw('c');
  expect(slow.screen).toEqual(['c']);
});

test('an event is one line for a person, without what would steer the terminal', () => {
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

test('spans of time and numbers of bytes have three digits or so, and the next unit where they round up to it', () => {
  const spansMs = [0, 999, 1000, 99_949, 99_950, 5_939_999, 5_940_000];
  expect(spansMs.map(formatSpan)).toEqual(['0 ms', '999 ms', '1.0 s', '99.9 s', '2 min', '99 min', '2 h']);
  const bytes = [0, 1000, 99_940, 999_501, 5e18];
  expect(bytes.map(formatBytes)).toEqual(['0 B', '1.0 kB', '99.9 kB', '1.0 MB', '5000 PB']);
});
