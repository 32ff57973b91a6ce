import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
// It builds what the commands run.
import './support/serve-process.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PATIENT = { timeout: 120_000 };

const [, section = ''] =
  /^## From unknown JSON to a stream\n([\s\S]*?)^## /m.exec(readFileSync(`${ROOT}README.md`, 'utf8')) ?? [];
/** The commands of the tutorial, as they stand. */
const commands = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  (block as string).trim().split('\n'),
);

/** A folder of somebody who has the project: its examples, and its command. */
const folder = mkdtempSync(join(tmpdir(), 'ldes-live-tutorial-'));
for (const name of ['examples', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name));

const running: ChildProcess[] = [];
afterAll(async () => {
  for (const child of running) await stopped(child);
  rmSync(folder, { recursive: true });
});

/** Ends a command with what it has started, since npx starts it by a shell. */
async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await closed;
}

/** Runs a command in a shell, as a reader does. */
function run(command: string) {
  const child = spawn('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.push(child);
  let [output, errorOutput] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { output: () => output, errorOutput: () => errorOutput, ended };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('the tutorial leads from unknown JSON to a running stream, by the commands as they stand', PATIENT, async () => {
  const [data, server] = [await freePort(), await freePort()];
  // The same commands, on ports that nobody else has.
  const here = (command: string | undefined, options = '') =>
    `${command?.replaceAll('localhost:8085', `localhost:${data}`).replaceAll('localhost:3000', `localhost:${server}`)}${options}`;
  const [standIn, init, map, serve, follow, ...others] = commands;
  expect(others).toEqual([]);

  const source = run(here(standIn, ` --port ${data}`));
  await vi.waitFor(() => expect(source.output()).toContain('/weather.json'), PATIENT);

  const initialised = run(here(init, ` --public-url http://localhost:${server}/`));
  expect(await initialised.ended, initialised.errorOutput()).toBe(0);
  // What it says to do next is what the tutorial does.
  for (const next of [map?.replace(' --count 1', ''), serve, follow?.replace('--mal 1 --count 8', '--mal 10')]) {
    expect(initialised.output()).toContain(`  ${here(next)}`);
  }

  const mapped = run(here(map));
  expect(await mapped.ended, mapped.errorOutput()).toBe(0);
  expect(mapped.output()).toContain('/entities/HARBOUR>');
  expect(mapped.output()).toMatch(/own:temperature "?\d+\.\d"?/);
  expect(mapped.output()).toMatch(/dct:modified "\d{4}-/);
  expect(mapped.output()).toContain('geo:asWKT "POINT (2.9108 51.2335)"');
  expect(mapped.errorOutput()).toContain(
    '3 records: 3 mapped (1 shown), 0 not.\nEvery field of the records is mapped or left out.\n',
  );

  const served = run(here(serve, ` --port ${server}`));
  await vi.waitFor(() => expect(served.output(), served.errorOutput()).toContain('It listens on'), PATIENT);
  const followed = run(here(follow));
  expect(await followed.ended, followed.errorOutput()).toBe(0);
  expect(followed.output()).not.toBe('');

  const latest = await fetch(`http://localhost:${server}/weather/latest`, { headers: { accept: 'text/turtle' } });
  const text = await latest.text();
  for (const code of ['HARBOUR', 'DUNES', 'AIRFIELD']) expect(text).toContain(`/weather/entities/${code}`);
  // The sensor that is broken says nothing, and not that the pressure is -9999.
  expect(text).not.toContain('9999');
  // npx may have its own say there.
  expect(served.errorOutput()).not.toContain('ERR_');
});
