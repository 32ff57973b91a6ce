import { stripVTControlCharacters } from 'node:util';
import type { LiveStatus } from '@ldes-live/client';
import { expect, test } from 'vitest';
import { presentationFor } from '../../src/follow/presentation.ts';
import { TextOutput } from '../../src/terminal/text-output.ts';
import { Recorder } from '../fake-process.ts';
import { change, gap, START } from './view/made-changes.ts';

const ESCAPE = '\u001b';
const UP = new RegExp(`\r${ESCAPE}\\[\\d+A`);
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`);

const status: LiveStatus = {
  state: 'pushing',
  mode: 'push',
  reason: 'because',
  isInTrouble: false,
  lagBoundMs: 196,
  isCaughtUp: true,
  malMisses: 0,
  gaps: 0,
  requests: 3,
  bytes: 100,
  conflated: 0,
};

function presented(format: 'summary' | 'jsonld' | 'nq', terminal: object, env: Record<string, string> = {}) {
  const stdout = Object.assign(new Recorder(), terminal);
  const stderr = new Recorder();
  const { signal: interrupted } = new AbortController();
  const edge = { env, stdout, stderr, interrupted, clock: () => START, random: () => 0 };
  const command = { kind: 'follow', url: 'http://a/s', mal: 1, format } as const;
  return { stdout, stderr, presentation: presentationFor(command, edge, new TextOutput(stdout)) };
}

const terminal = { isTTY: true, columns: 60, rows: 12 };

test('a terminal gets a view that takes its own place, within its width and height', async () => {
  const { stdout, stderr, presentation } = presented('summary', terminal);
  await presentation.look(status);
  await presentation.tell(
    Array.from({ length: 30 }, (_, index) => change(`${index}`.repeat(40))),
    status,
  );
  const before = stdout.text.length;
  await presentation.look(status);
  const second = stdout.text.slice(before);
  expect(second).toMatch(UP);
  const lines = second.split('\n').map((line) => stripVTControlCharacters(line).replace('\r', ''));
  expect(lines).toHaveLength(12);
  for (const line of lines) expect(line.length).toBeLessThan(60);
  expect(stderr.text).toBe('');
});

test('a terminal that does not tell its size counts as one of 80 columns and 24 rows', async () => {
  const { stdout, presentation } = presented('summary', { isTTY: true, columns: 0, rows: 0 });
  await presentation.tell(
    Array.from({ length: 30 }, (_, index) => change(`${index}`)),
    status,
  );
  await presentation.look(status);
  const lines = stripVTControlCharacters(stdout.text).split('\n');
  expect(lines[0]?.trimStart()).toMatch(/^http:\/\/a\/s +MAL 1 s$/);
  expect(lines).toHaveLength(24);
});

test('nothing is drawn while nothing is new', async () => {
  const { stdout, presentation } = presented('summary', terminal);
  await presentation.look(status);
  const { length } = stdout.text;
  await presentation.look(status);
  expect(stdout.text).toHaveLength(length);
});

test('NO_COLOR leaves out colours, and the view stays', async () => {
  const coloured = presented('summary', terminal);
  await coloured.presentation.look(status);
  expect(coloured.stdout.text).toMatch(COLOUR);
  const plain = presented('summary', terminal, { NO_COLOR: '1' });
  await plain.presentation.look(status);
  expect(plain.stdout.text).not.toMatch(COLOUR);
  expect(plain.stdout.text).toContain('\u001b[K');
});

test.each([
  ['output is no terminal', {}, { TERM: 'xterm' }],
  ['the terminal is dumb', terminal, { TERM: 'dumb' }],
])('where the %s, lines are printed', async (_, stream, env) => {
  const { stdout, presentation } = presented('summary', stream, env);
  await presentation.look(status);
  await presentation.tell([change('1')], status);
  expect(stdout.text).not.toContain('\u001b');
  expect(stdout.text.split('\n')).toHaveLength(3);
});

test.each(['jsonld', 'nq'] as const)(
  '%s on a terminal is what programs get; gaps and status go elsewhere',
  async (format) => {
    const { stdout, stderr, presentation } = presented(format, terminal);
    await presentation.look(status);
    await presentation.tell([gap], status);
    expect(stdout.text).toBe('');
    expect(stderr.text).toMatch(/ {2}push: because\n.* {2}gap {3}e-1 cannot be continued/);
  },
);
