/* A server that reads its configuration again at SIGHUP, under readers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventReader, readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, reservedPort } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { answers, startCommand } from './support/commands.ts';

const READERS = 30;
const MAPPING = `mapping: { subject: "{+base}{id}", properties: [{ path: level, predicate: "http://a.example/level" }] }`;

test.each([
  { processes: 'one process', options: [] },
  { processes: 'workers', options: ['--workers', '2'] },
])(
  'LOG-1 `configuration reloaded`, `reload failed` and `restart needed`, with $processes: streams come, go and change, a faulty file changes nothing, and readers of what stays are not dropped',
  {
    timeout: 120_000,
  },
  async ({ options }) => {
    const feeds = await Promise.all(
      [1, 2].map((level) => httpServer((_request, response) => response.end(JSON.stringify([{ id: 1, level }])))),
    );
    const folder = await temporaryFolder();
    const port = await reservedPort();
    const base = `http://localhost:${port}/`;
    const fromFeed = (feed: number, rest = '') =>
      `{ source: { json: "${feeds[feed]?.url}", every: 200ms, ${MAPPING} }${rest} }`;
    const configure = (streams: Readonly<Record<string, string>>, push = '{ grace: 1s }') =>
      writeFileSync(
        join(folder, 'config.yml'),
        `publicUrl: ${base}\nstore: ./data\npush: ${push}\nstreams:\n${Object.entries(streams)
          .map(([name, stream]) => `  ${name}: ${stream}\n`)
          .join('')}`,
      );
    const began = { water: fromFeed(0), air: fromFeed(0), soil: fromFeed(0, ', queries: true') };
    configure(began);
    const server = startCommand(
      ['serve', 'config.yml', '--port', String(port), '--host', 'localhost', ...options],
      folder,
    );
    try {
      await answers(`${base}water/latest`, server);
      const readersOf = async (name: string, count = READERS) => {
        const readers = await Promise.all(Array.from({ length: count }, () => readEvents(`${base}${name}/events`)));
        expect(readers.map(({ response }) => response.status)).toEqual(readers.map(() => 200));
        return readers;
      };
      const [water, air, soil] = await Promise.all(['water', 'air', 'soil'].map((name) => readersOf(name)));
      const open = (readers: readonly EventReader[] = []) => readers.filter(({ state }) => !state.ended).length;
      const reload = async (line: RegExp) => {
        const { length } = server.errorOutput();
        server.child.kill('SIGHUP');
        await eventually(() => expect(server.errorOutput().slice(length)).toMatch(line), { forMs: 20_000 });
        return server.errorOutput().slice(length);
      };
      const query = async (name: string) => (await fetch(`${base}${name}/sparql`, { method: 'OPTIONS' })).status;
      const catalogued = async () => (await fetch(base, { headers: { accept: 'application/n-triples' } })).text();
      const live = await readEvents(`${base}soil/sparql?query=${encodeURIComponent('SELECT * { ?s ?p ?o }')}`, {
        accept: 'text/event-stream',
      });
      expect([await query('soil'), await query('rain')]).toEqual([204, 404]);

      const rain = fromFeed(1, ', queries: true');
      configure({ water: began.water, air: fromFeed(1), rain });
      await reload(/"added":\["rain"\],"removed":\["soil"\],"changed":\["air"\],"msg":"configuration reloaded"/);
      // The first feed never changes: what comes is of the second.
      await eventually(() => expect(air?.every(({ events }) => events.length === 1)).toBe(true), { forMs: 10_000 });
      await eventually(() => expect([open(soil), live.state.ended]).toEqual([0, true]), { forMs: 10_000 });
      expect(live.state.text).toContain('event: end');
      expect([await query('soil'), await query('rain')]).toEqual([404, 204]);
      expect((await fetch(`${base}soil/latest`)).status).toBe(404);
      expect(await (await fetch(`${base}rain/latest`)).text()).toContain('a.example/level');
      const catalog = await catalogued();
      expect([catalog.includes(`${base}rain`), catalog.includes(`${base}soil`)]).toEqual([true, false]);
      const [reader] = await readersOf('rain', 1);
      configure({ water: began.water, air: fromFeed(1), rain: fromFeed(0, ', queries: true') });
      await reload(/"changed":\["rain"\],"msg":"configuration reloaded"/);
      await eventually(() => expect(reader?.events).toHaveLength(1), { forMs: 10_000 });

      configure({ water: '{ source: { jsn: "http://a.example/", every: 1s } }' });
      await reload(/"code":"ERR_CONFIG_INVALID","message":"[^"]*config\.yml:5:.*jsn.*"msg":"reload failed"/);
      configure({ water: '{ source: { gtfsRt: "ftp://me:SECRET@a.example/x?key=SECRET", every: 1s } }' });
      expect(await reload(/ftp:\/\/\*{3}@a\.example\/x.*"msg":"reload failed"/)).not.toContain('SECRET');

      // What it had is still there.
      configure({ ...began, air: fromFeed(1) }, '{ grace: 1s, connections: 70 }\nweb: false');
      expect(
        await reload(/"added":\["soil"\],"removed":\["rain"\],"changed":\[\],"msg":"configuration reloaded"/),
      ).toMatch(/"keys":\["push","web"\],"msg":"restart needed"/);
      expect((await fetch(`${base}soil/latest`)).headers.get('ldes-cursor')).toMatch(/-1$/);
      expect(await reload(/"changed":\[\],"msg":"configuration reloaded"/)).not.toContain('restart needed');

      expect([open(water), open(air)]).toEqual([READERS, READERS]);
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
    } finally {
      await server.stop();
    }
  },
);
