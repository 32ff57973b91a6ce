/* The command with workers, which are processes of their own: they are killed, end in order, and hold to what one does. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCursor } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { keptFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { describe, expect, type TestContext, test } from 'vitest';
import { feedServer, vehicleFeed } from '../support/feed-server.ts';
import { answers, type RunningProcess, startCommand } from './support/commands.ts';
import { EVENT_CLIENTS, type EventReader } from './support/event-clients.ts';

type Context = Pick<TestContext, 'onTestFinished'>;

// Each request finds every vehicle elsewhere.
async function movingFeed({ onTestFinished }: Context): Promise<string> {
  const feed = await feedServer();
  let seconds = 1_700_000_000;
  feed.answer = (_request, response) => {
    seconds += 1;
    const vehicle = { position: { latitude: 51, longitude: 4, bearing: seconds % 360 } };
    response.writeHead(200).end(vehicleFeed(seconds, Array(5).fill(vehicle)));
  };
  onTestFinished(() => feed.close());
  return feed.url;
}

async function served(context: Context, workers: number) {
  const folder = await keptFolder();
  context.onTestFinished(() => rm(folder, { recursive: true }));
  const port = String(await reservedPort());
  const source = `{ gtfsRt: "${await movingFeed(context)}", every: 200ms }`;
  const config = `publicUrl: http://localhost:${port}/\nstore: memory\nstreams:\n  vehicles:\n    source: ${source}\n`;
  await writeFile(join(folder, 'config.yml'), config);
  const server = startCommand(['serve', 'config.yml', '--port', port, '--workers', String(workers)], folder);
  context.onTestFinished(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
  });
  const url = `http://127.0.0.1:${port}/vehicles`;
  await answers(`${url}/latest`, server);
  return { server, url, port };
}

async function workersOf({ child }: RunningProcess): Promise<number[]> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function readers({ onTestFinished }: Context, url: string, count: number): Promise<EventReader[]> {
  const client = EVENT_CLIENTS.find(({ name }) => name === 'fetch');
  const opening = Array.from({ length: count }, async () =>
    (client as NonNullable<typeof client>).open(`${url}/events`),
  );
  const all = await Promise.all(opening);
  onTestFinished(async () => {
    await Promise.all(all.map((reader) => reader.close()));
  });
  return all;
}

const sequences = ({ events }: EventReader) => events.map(({ id }) => parseCursor(id).sequence);

async function everyoneGets(all: readonly EventReader[], more: number): Promise<void> {
  const goals = all.map(({ events }) => events.length + more);
  // A process that takes the place of one that was killed is seconds of work.
  const areThere = () => all.every(({ events }, index) => events.length >= (goals[index] as number));
  await eventually(() => expect(areThere()).toBe(true), { forMs: 60_000 });
}

const metrics = async (port: string) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

describe.concurrent('workers', { timeout: 120_000 }, () => {
  test('workers are killed one after the other: each is replaced, no reader lacks or doubles a commit, and all end with the process that has the logs', async (context) => {
    const { server, url, port } = await served(context, 2);
    const first = await workersOf(server);
    expect(first).toHaveLength(2);
    // One that is still being loaded would end by the first signal, as any process does.
    await eventually(async () => {
      const text = await metrics(port);
      for (const name of ['worker-1', 'worker-2']) expect(text).toContain(`process="${name}"`);
    });
    const all = await readers(context, url, 12);
    await everyoneGets(all, 2);
    for (const worker of first) {
      // What is meant for the group is for the owner.
      process.kill(worker, 'SIGINT');
      await everyoneGets(all, 1);
      expect(isRunning(worker)).toBe(true);
      process.kill(worker, 'SIGKILL');
      await eventually(async () => {
        const now = await workersOf(server);
        expect(now).toHaveLength(2);
        expect(now).not.toContain(worker);
      });
      await everyoneGets(all, 3);
    }
    expect(server.errorOutput().match(/"how":"by SIGKILL","msg":"worker lost"/g)).toHaveLength(2);
    expect(new Set(all.flatMap(({ events }) => events.map(({ event }) => event)))).toEqual(new Set(['update']));
    for (const reader of all) {
      const got = sequences(reader);
      const from = got[0] as number;
      // Every poll moves all five vehicles.
      expect(got).toEqual(got.map((_, index) => from + 5 * index));
    }
    const last = await workersOf(server);
    server.child.kill('SIGKILL');
    await server.ended;
    await eventually(() => expect(last.filter(isRunning)).toEqual([]));
  });

  test('on SIGTERM the readers of all workers are counted, sent away, and everything ends', async (context) => {
    const { server, url, port } = await served(context, 2);
    const workers = await workersOf(server);
    const responses = await Promise.all(Array.from({ length: 40 }, () => fetch(`${url}/events`)));
    const health = async () => (await fetch(`http://127.0.0.1:${port}/health`)).json();
    // A worker that does not answer in a second is left out.
    const counted = { streams: { vehicles: { pushConnections: 40 } } };
    await eventually(async () => expect(await health()).toMatchObject(counted));
    await eventually(async () => {
      const text = await metrics(port);
      expect(text).toMatch(/^ldes_live_push_accepted_total\{stream="vehicles"\} 40$/m);
      expect(text).toMatch(/^ldes_live_requests_total\{stream="vehicles",kind="events",status="2xx"\} 40$/m);
      for (const name of ['main', 'worker-1', 'worker-2']) expect(text).toContain(`process="${name}"`);
    });
    const ends = responses.map((response) => response.text());
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    // In order, not cut.
    for (const content of await Promise.all(ends)) expect(content.endsWith('\n\n')).toBe(true);
    expect(workers.filter(isRunning)).toEqual([]);
    // No warning, and no fault.
    expect(server.errorOutput()).not.toMatch(/"level":[456]0/);
  });

  test('a header may be as large as at one process, and a port that is taken is told as by one', async (context) => {
    const { url, port } = await served(context, 1);
    const status = async (bytes: number) => {
      const response = await fetch(`${url}/latest`, { headers: { 'x-large': 'a'.repeat(bytes) } });
      await response.arrayBuffer();
      return response.status;
    };
    // Beside what the client itself puts into it.
    expect(await status(16_000)).toBe(200);
    expect(await status(16_384)).toBe(431);
    const second = startCommand(['serve', '--demo', '--port', port, '--workers', '2'], tmpdir());
    expect(await second.ended).toBe(1);
    expect(second.errorOutput()).toMatch(new RegExp(`ERR_PORT_BUSY: Port ${port} of 127\\.0\\.0\\.1 is in use`));
    expect(second.output()).toBe('');
  });
});
