/* A feed that is down and comes back, as everybody sees it who looks at the server: a dead feed must not look alive. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLiveClient } from '@ldes-live/client';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, reservedPort } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { answers, startCommand } from './support/commands.ts';

const POLL_MS = 2000;

test('LOG-1, MAL-115 `source failing` and `source recovered`: header, events, metrics and health tell of a feed within one poll interval, and so do the client and its command', {
  timeout: 90_000,
}, async () => {
  let isDown = false;
  /** When it was first asked since it is down, or up again. */
  let turnedMs: number | undefined;
  const feed = await httpServer((_request, response) => {
    turnedMs ??= performance.now();
    if (isDown) response.writeHead(503).end();
    else response.end(JSON.stringify([{ id: 1, level: 4 }]));
  });
  const folder = await temporaryFolder();
  const port = await reservedPort();
  const base = `http://localhost:${port}/`;
  const mapping = `{ subject: "{+base}{id}", properties: [{ path: level, predicate: "http://a.example/level" }] }`;
  const source = `{ json: "${feed.url}", every: ${POLL_MS}ms, mapping: ${mapping} }`;
  writeFileSync(
    join(folder, 'config.yml'),
    `publicUrl: ${base}\nstore: memory\npush: { grace: 0s }\nstreams:\n  water: { source: ${source} }\n`,
  );
  const server = startCommand(['serve', 'config.yml', '--port', String(port), '--host', 'localhost'], folder);
  const stop = new AbortController();
  const command = () => startCommand(['follow', `${base}water`, '--mal', '1'], folder);
  let printing: ReturnType<typeof command> | undefined;
  try {
    await answers(`${base}water/latest`, server);
    // One by push, one by pull.
    const followers = [1, 60].map((mal) => createLiveClient({ mal }).follow(`${base}water`, { signal: stop.signal }));
    for (const follower of followers) void follower.run().catch(() => {});
    await eventually(() => {
      for (const { status } of followers) expect(status).toMatchObject({ source: { state: 'ok' }, isCaughtUp: true });
    });
    printing = command();
    await printing.prints(/ {2}push: /);
    const reader = await readEvents(`${base}water/events`);
    const statuses = ({ events }: typeof reader) =>
      events.filter(({ event }) => event === 'status').map(({ data }) => JSON.parse(data).source);
    const text = async (path: string) => (await fetch(`${base}${path}`)).text();
    const faces = async () => ({
      header: (await fetch(`${base}water/latest`)).headers.get('ldes-source')?.replace(/@\d+$/, '@'),
      up: /^ldes_live_source_up\{.*\} ([01])$/m.exec(await text('metrics'))?.[1],
      health: JSON.parse(await text('health')).streams.water.sources[0].state,
      last: statuses(reader).at(-1),
      failing: server.errorOutput().includes('"msg":"source failing"'),
      recovered: server.errorOutput().includes('"msg":"source recovered"'),
    });
    const turn = async (down: boolean, expected: Awaited<ReturnType<typeof faces>>) => {
      isDown = down;
      turnedMs = undefined;
      await eventually(() => expect(turnedMs).toBeDefined(), { forMs: 60_000 });
      await eventually(async () => expect(await faces()).toEqual(expected), { forMs: POLL_MS });
      expect(performance.now() - Number(turnedMs)).toBeLessThan(POLL_MS);
    };
    const quiet = {
      header: 'ok',
      up: '1',
      health: 'ok',
      last: undefined,
      failing: false,
      recovered: false,
    };
    expect(await faces()).toEqual(quiet);
    await turn(true, {
      ...quiet,
      ...{ header: 'failing;since=@', up: '0', health: 'failing', last: 'failing', failing: true },
    });
    const [pushed] = followers as [(typeof followers)[0]];
    const failing = () => expect(pushed.status.source).toEqual({ state: 'failing', since: expect.any(String) });
    await eventually(failing);
    const { dataAgeMs } = pushed.status;
    await printing.prints(/ {2}the source has been failing since \d\d:\d\d:\d\d; the newest data are [\d.]+ m?s old\n/);
    await eventually(() => expect(pushed.status.dataAgeMs).toBeGreaterThan(dataAgeMs as number));
    const late = await readEvents(`${base}water/events`);
    await eventually(() => expect(statuses(late)).toEqual(['failing']));
    await turn(false, { ...quiet, last: 'ok', failing: true, recovered: true });
    await eventually(() =>
      expect([statuses(late), statuses(reader)]).toEqual([
        ['failing', 'ok'],
        ['failing', 'ok'],
      ]),
    );
    await eventually(() => expect(pushed.status.source).toEqual({ state: 'ok' }));
    await printing.prints(/ {2}the source works again; the newest data are [\d.]+ m?s old\n/);
    const asked = await readEvents(`${base}water/events`);
    // With what it is told first, a reader would be told of it.
    await eventually(() => expect(asked.state.text).toContain('retry:'));
    expect(statuses(asked)).toEqual([]);
    for (const { close } of [reader, late, asked]) close();
  } finally {
    stop.abort();
    await printing?.stop();
    await server.stop();
  }
});
