import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CommandProcess, startCommand } from './support/serve-process.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/ldes-live.js', import.meta.url));
const ESCAPE = '\u001b';
const PATIENT = { timeout: 60_000 };

let demo: CommandProcess;
let url: string;
beforeAll(async () => {
  demo = startCommand(['serve', '--demo', '--port', '0']);
  await vi.waitFor(() => expect(demo.output(), demo.errorOutput()).toContain('Ctrl-C'), { timeout: 60_000 });
  url = `${/publishes (http:\S+)/.exec(demo.output())?.[1]}vehicles`;
}, 120_000);
afterAll(async () => {
  demo.child.kill();
  await demo.ended;
});

function shell(line: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn('sh', ['-c', line], { env: { ...process.env, ...env }, stdio: 'pipe' });
  let [output, errorOutput] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, output: () => output, errorOutput: () => errorOutput, ended };
}

const follow = (...options: readonly string[]) =>
  [process.execPath, COMMAND, 'follow', url, ...options].map((word) => `'${word}'`).join(' ');

test('JSON-LD goes through a pipe: an object a line that says all of itself, and nothing else', PATIENT, async () => {
  const pipe = shell(`${follow('--mal', '1', '--format', 'jsonld', '--count', '30')} | cat`);
  expect(await pipe.ended).toBe(0);
  const lines = pipe.output().split('\n');
  expect(lines.pop()).toBe('');
  expect(lines).toHaveLength(30);
  for (const line of lines) {
    const { '@context': context, '@id': id, ...said } = JSON.parse(line);
    // No document besides is needed to read it.
    expect(JSON.stringify(context)).not.toMatch(/"@import"|^"http/);
    expect(id).toMatch(/^http:.*#\d{4}-/);
    expect(said).toHaveProperty('dct:isVersionOf');
  }
  expect(pipe.errorOutput()).toMatch(/ {2}push: /);
});

test('it ends without a word when its reader has enough', PATIENT, async () => {
  const pipe = shell(`{ ${follow('--mal', '1', '--format', 'jsonld')}; echo "ended by $?" >&2; } | head -n 1`);
  expect(await pipe.ended).toBe(0);
  expect(JSON.parse(pipe.output())['dct:isVersionOf']).toContain('/entities/');
  expect(pipe.errorOutput()).toContain('ended by 0');
  expect(pipe.errorOutput()).not.toContain('EPIPE');
});

test.skipIf(!hasTerminals())(
  'on a terminal it draws in place, and Ctrl-C leaves the terminal as it was',
  PATIENT,
  async () => {
    // `script` gives it a terminal of its own, and what is typed reaches it as from a keyboard.
    const line = `stty cols 70 rows 12; exec ${follow('--mal', '1')}`;
    const terminal = shell(`script -qefc "$LINE" /dev/null`, { LINE: line, TERM: 'xterm' });
    await vi.waitFor(() => expect(terminal.output().split(`${ESCAPE}[J`).length).toBeGreaterThan(5), {
      timeout: 30_000,
    });
    await vi.waitFor(() => expect(terminal.output()).toMatch(/lag .*[▁▂▃▄▅▆▇█×]/), { timeout: 30_000 });
    terminal.child.stdin.write('\u0003');
    expect(await terminal.ended).toBe(0);
    const output = terminal.output();
    expect(output).toMatch(/changes, last by push: /);
    for (const [hidden, shown] of [
      ['[?25l', '[?25h'],
      ['[?7l', '[?7h'],
    ] as const) {
      expect(output.lastIndexOf(ESCAPE + shown)).toBeGreaterThan(output.lastIndexOf(ESCAPE + hidden));
    }
    expect(output).not.toContain(`${ESCAPE}[?1049`);
    // No frame goes further up than it is high, or it would draw over what was there before.
    const ups = output.split(ESCAPE).flatMap((piece) => /^\[(\d+)A/.exec(piece)?.[1] ?? []);
    expect(Math.max(...ups.map(Number))).toBeLessThanOrEqual(11);
  },
);

test.skipIf(!hasTerminals())('on a dumb terminal it prints lines', PATIENT, async () => {
  const terminal = shell(`script -qefc "$LINE" /dev/null`, {
    LINE: follow('--mal', '1', '--count', '5'),
    TERM: 'dumb',
  });
  expect(await terminal.ended).toBe(0);
  expect(terminal.output()).toMatch(/ {2}(pull|push) {2}5 new/);
  expect(terminal.output()).not.toContain(ESCAPE);
});

/** Whether the program `script` of util-linux is there: others take other options. */
function hasTerminals(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}
