/* A server that reads its configuration again at SIGHUP, under readers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, reservedPort } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { answers, startCommand } from './support/commands.ts';

const READERS = 100;

test('LOG-1 `configuration reloaded`, `reload failed` and `restart needed`: sources are exchanged, a faulty file changes nothing, and no reader is dropped', {
  timeout: 60_000,
}, async ({ onTestFinished }) => {
  const feeds = await Promise.all(
    [1, 2].map((level) => httpServer((_request, response) => response.end(JSON.stringify([{ id: 1, level }])))),
  );
  const folder = await temporaryFolder();
  const port = await reservedPort();
  const base = `http://localhost:${port}/`;
  const mapping = `mapping: { subject: "{+base}{id}", properties: [{ path: level, predicate: "http://a.example/level" }] }`;
  const configure = (source: string, rest = '') =>
    writeFileSync(
      join(folder, 'config.yml'),
      `publicUrl: ${base}\nstore: memory\n${rest}streams:\n  water:\n    source: { ${source}, ${mapping} }\n`,
    );
  const sourceOf = (feed: { readonly url: string } | undefined) => `json: "${feed?.url}", every: 200ms`;
  configure(sourceOf(feeds[0]));
  const server = startCommand(['serve', 'config.yml', '--port', String(port), '--host', 'localhost'], folder);
  onTestFinished(() => server.stop());
  await answers(`${base}water/latest`, server);
  const readers = await Promise.all(Array.from({ length: READERS }, () => readEvents(`${base}water/events`)));
  const reload = async (line: RegExp) => {
    const { length } = server.errorOutput();
    server.child.kill('SIGHUP');
    await eventually(() => expect(server.errorOutput().slice(length)).toMatch(line), { forMs: 10_000 });
  };

  configure(sourceOf(feeds[1]));
  await reload(/"added":\[\],"removed":\[\],"changed":\["water"\],"msg":"configuration reloaded"/);
  // The first feed never changes: what comes is of the second.
  await eventually(() => expect(readers.every(({ events }) => events.length === 1)).toBe(true), { forMs: 10_000 });

  configure('jsn: "http://a.example/", every: 1s');
  await reload(/"code":"ERR_CONFIG_INVALID","message":"[^"]*config\.yml:5:.*jsn.*"msg":"reload failed"/);

  configure(sourceOf(feeds[1]), 'push: { connections: 7 }\n');
  await reload(/"keys":\["push"\],"msg":"restart needed"/);
  await reload(/"changed":\[\],"msg":"configuration reloaded"/);

  expect((await fetch(`${base}water/latest`)).status).toBe(200);
  expect(readers.filter(({ state }) => state.ended)).toEqual([]);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});
