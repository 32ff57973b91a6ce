import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_LIMITS } from '@ldes-live/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CommandProcess, startCommand } from './support/serve-process.ts';

const PATIENT = { timeout: 60_000 };
const here = fileURLToPath(new URL('.', import.meta.url));
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const readme = read('packages/client/README.md');
const programs = [
  ...readme.matchAll(/^## (.*)\n(?:(?!^## )[\s\S])*?^```ts\n([\s\S]*?)^```$/gm),
  ...read('README.md').matchAll(/^## (Follow a stream)\n(?:(?!^## )[\s\S])*?^```ts\n([\s\S]*?)^```$/gm),
].map(([, title, code]) => [title as string, code as string] as const);

let demo: CommandProcess;
let base = '';

beforeAll(async () => {
  demo = startCommand(['serve', '--demo', '--port', '0'], here);
  await vi.waitFor(
    () => {
      base = /publishes (http:\/\/localhost:\d+\/)\n/.exec(demo.output())?.[1] ?? '';
      expect(base).not.toBe('');
    },
    { timeout: 60_000 },
  );
}, 60_000);
afterAll(async () => {
  demo?.child.kill();
  await demo?.ended;
});

test('every program of the README is found', () => {
  expect(programs.length).toBe(readme.split('```ts\n').length);
});

test.each(programs)('the program of "%s" runs as it stands', PATIENT, async (_, code) => {
  // From standard input, so that it finds its packages as those who copy it do.
  const child = spawn(process.execPath, ['--input-type=module', '-'], { cwd: here, stdio: 'pipe' });
  let [output, errorOutput] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close').then(([exitCode, signal]) => exitCode ?? signal);
  child.stdin.end(code.replaceAll('http://localhost:3000/', base));
  // Some go on for ever: they have shown what they do by their first lines.
  const shown = vi.waitFor(() => expect(output.split('\n').length).toBeGreaterThan(5), { timeout: 40_000 });
  await Promise.race([ended, shown]);
  child.kill();
  expect(errorOutput).toBe('');
  expect([0, 'SIGTERM']).toContain(await ended);
  expect(output).not.toBe('');
});

test('the README has each limit with its default', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\| [^|]+\| (\d+) +\|$/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]);
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIMITS);
});

test('the errors that the README names are in the specification', () => {
  const codes = new Set(readme.match(/ERR_[A-Z_]+/g));
  const sections = read('specs/errors.md');
  expect(codes.size).toBeGreaterThan(10);
  expect([...codes].filter((code) => !sections.includes(`### ${code}\n`))).toEqual([]);
});
