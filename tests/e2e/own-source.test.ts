/* The program with a source of its own in the README of the server: what goes wrong around it must not end it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream, parseCursor } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, reservedPort } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { answers, ROOT, startProcess } from './support/commands.ts';

const READERS = 50;
const GARAGES = 20;

/** The program, with other places than those of the README, and a store that fails while a file is there. */
function programOf(feedUrl: string, port: number, folder: string): string {
  const readme = readFileSync(`${ROOT}packages/server/README.md`, 'utf8');
  const [, code = ''] = /^```js publisher\.js\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const failing = `
    const append = log.append.bind(log);
    const { existsSync } = await import('node:fs');
    const full = () => Promise.reject(Object.assign(new StreamError('ERR_STORE_WRITE', 'The disk is full.')));
    log.append = (drafts) => (existsSync(${JSON.stringify(join(folder, 'full'))}) ? full() : append(drafts));`;
  return [
    ["'http://localhost:8083/garages.json'", JSON.stringify(feedUrl)],
    ["'http://localhost:3200/'", `'http://localhost:${port}/'`],
    ['port: 3200', `port: ${port}`],
    ["'./data'", JSON.stringify(join(folder, 'data'))],
    ['import { describeStream,', 'import { StreamError, describeStream,'],
    ['const log = await store.open(description);', `const log = await store.open(description);${failing}`],
  ].reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from as string, to as string);
  }, code);
}

test('DOC-22 a program with a source of its own survives a source that throws or hangs, a store that fails for 10 s, and ends in order under load', {
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  let fault: 'broken' | 'hanging' | undefined;
  let polls = 0;
  const feed = await httpServer((_request, response) => {
    polls += 1;
    if (fault === 'hanging') return;
    const garages = Array.from({ length: GARAGES }, (_, garage) => ({
      id: `https://parking.example/${garage}`,
      availablecapacity: polls,
    }));
    response.end(fault ? '<html>' : JSON.stringify(garages));
  });
  const folder = await temporaryFolder();
  const port = await reservedPort();
  const base = `http://127.0.0.1:${port}/`;
  // From standard input, so that it finds its packages as those who copy it do.
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const program = startProcess(process.execPath, ['--input-type=module', '-'], { cwd });
  onTestFinished(() => program.stop());
  program.child.stdin.end(programOf(feed.url, port, folder));
  await answers(`${base}health`, program);
  const readers = await Promise.all(
    Array.from({ length: READERS }, () => readEvents(`${base}garages/events?from=latest`)),
  );
  const status = async () => ((await (await fetch(`${base}health`)).json()) as { status: string }).status;
  const isStatus = (expected: string) =>
    eventually(async () => expect(await status()).toBe(expected), { forMs: 30_000, everyMs: 100 });
  const seen = () => Math.min(...readers.map(({ events }) => parseCursor(events.at(-1)?.id ?? '').sequence));
  const goesOn = async () => {
    const before = seen();
    await eventually(() => expect(seen()).toBeGreaterThan(before + 2 * GARAGES), { forMs: 30_000 });
  };
  await isStatus('ok');

  for (fault of ['broken', 'hanging'] as const) {
    await isStatus('degraded');
    fault = undefined;
    await isStatus('ok');
  }
  await goesOn();

  writeFileSync(join(folder, 'full'), '');
  await isStatus('degraded');
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  expect((await fetch(`${base}garages/latest`)).status).toBe(200);
  rmSync(join(folder, 'full'));
  await isStatus('ok');
  await goesOn();

  program.child.kill('SIGTERM');
  await Promise.all(readers.map(({ ended }) => ended));
  expect(await program.ended).toBe(0);
  expect(program.errorOutput()).toMatch(/"code":"ERR_SOURCE_FAILED".*"msg":"source failing"/);
  expect(program.errorOutput()).toMatch(/"code":"ERR_STORE_WRITE".*"msg":"append failed"/);
  const store = await openLmdbStore({ path: join(folder, 'data'), clock: Date.now, random: Math.random });
  const log = await store.open(describeStream({ publicUrl: `http://localhost:${port}/`, name: 'garages' }));
  // Whatever a reader saw is there, and each garage has every state once.
  expect(log.head.cursor.sequence).toBeGreaterThanOrEqual(
    Math.max(...readers.map(({ events }) => parseCursor(events.at(-1)?.id ?? '').sequence)),
  );
  const members = await log.read(0, 10_000);
  const states = members.map(({ entity, nquads = '' }) => `${entity} ${/#free> "(\d+)"/.exec(nquads)?.[1]}`);
  expect(new Set(states).size).toBe(members.length);
  await store.close();
});
