/* The program in C: its roles against each other and against servers that lose, double and stall. */
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, listen } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { Histogram } from '../src/histogram.ts';
import { httpLoad } from '../src/load/http-load.ts';
import { startPushLoad } from '../src/load/push-load.ts';
import { cpuOnlyMicros, startAsking } from '../src/subjects/c-loops.ts';
import { httpChunk } from '../src/subjects/node-servers.ts';
import { startSubject } from '../src/subjects/subject.ts';
import { monotonicMicros, publishOnSchedule, stamp } from '../src/timing.ts';

const NO_CORE = { core: undefined };
const EVENT = `event: update\nid: e-1\ndata: {"at":"${stamp(0)}","note":"${'-'.repeat(5000)}"}\n\n`;

test('readers in C get what the server in C writes, each update once and from when it was due', async () => {
  const folder = await temporaryFolder();
  const subject = await startSubject('C loop', { event: EVENT, folder, processes: 2 }, undefined);
  expect(subject?.ports).toHaveLength(2);
  if (subject === undefined) return;
  onTestFinished(() => subject.close());
  const load = await startPushLoad(subject, { readers: 101, processes: 2, cFolder: folder, ...NO_CORE });
  onTestFinished(() => load.stop());
  const { values, histograms, refused } = await load.deliver(subject, { count: 5, intervalMs: 40 });
  expect(values).toMatchObject({ expected: 505, events: 505, lost: 0, doubled: 0 });
  expect(values.bytes).toBe(httpChunk(EVENT).length);
  // Where the machine is busy, there are no delays.
  expect(refused ?? new Histogram(histograms?.delay ?? '').total).toBe(refused ?? 505);
  // Beside readers that do nothing but read.
  const size = { clients: 20, updates: 5, warmUps: 1, intervalMs: 20, settleMs: 0 };
  const cpuMicros = await cpuOnlyMicros(subject, { ...size, folder, ...NO_CORE });
  expect(cpuMicros).toBeGreaterThan(0);
  expect(cpuMicros).toBeLessThan(1000);
});

/** What two readers in C found of three updates, of which a server sent them what a test says when each was due. */
async function found(
  encoding: 'identity' | 'gzip',
  send: (sockets: readonly Socket[], micros: number, index: number) => void,
) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  const subject = { ports: [await listen(server)], path: '/' };
  const load = await startPushLoad(subject, { readers: 2, encoding, cFolder: await temporaryFolder(), ...NO_CORE });
  onTestFinished(async () => {
    await load.stop();
    server.close();
  });
  const schedule = { startMicros: monotonicMicros() + 20_000, intervalMicros: 30_000, count: 3 };
  await load.order({ order: 'watch', schedule });
  await publishOnSchedule(schedule, async (micros, index) => send(sockets, micros, index));
  await eventually(async () => expect((await load.stats()).events).toBe(6));
  const { lost, updates, stats } = await load.report();
  const { unlike, doubled, disordered } = stats;
  return {
    ...{ lost, unlike, doubled, disordered },
    delaysMs: updates.map((one) => (one.lastMicros - one.stampMicros) / 1000),
  };
}

test('readers in C find what is lost, doubled and out of order, in pieces and among comments', async () => {
  let before = '';
  const { delaysMs, ...counts } = await found('identity', ([one, other], micros, index) => {
    const text = EVENT.replace(/published-at:\d+/, stamp(micros));
    // The first reader never has the last update, another one twice, and after it the one before.
    if (index === 1) one?.write(text + text + before);
    before = text;
    other?.write(`:\n\n${text.slice(0, 60)}`);
    setTimeout(() => other?.write(`${text.slice(60)}:`), 5);
    setTimeout(() => other?.write('\n\n'), 8);
  });
  expect(counts).toEqual({ lost: 1, doubled: 1, disordered: 1, unlike: 0 });
  expect(delaysMs.map((ms) => ms >= 4)).toEqual([true, true, true]);
});

test('readers in C follow a compressed stream by its bytes, which are the same for all', async () => {
  const chunk = (letter: string) => httpChunk(letter.repeat(300));
  const { delaysMs, ...counts } = await found('gzip', ([one, other], _micros, index) => {
    const text = chunk('abc'[index] as string);
    // A comment, which all get.
    for (const socket of [one, other]) socket?.write(httpChunk(':\n\n'));
    other?.write(text.slice(0, 100));
    setTimeout(() => other?.write(text.slice(100)), 5);
    // The first reader has one update twice, another one never, and what no other reader gets.
    if (index === 0) one?.write(text + text);
    if (index === 2) one?.write(text + chunk('x'));
  });
  expect(counts).toEqual({ lost: 1, doubled: 1, disordered: 0, unlike: 1 });
  expect(delaysMs).toHaveLength(3);
});

/** Clients in C of a server. */
async function ask(clients: number, answer: (response: ServerResponse) => void) {
  const server = await httpServer((_request, response) => answer(response));
  onTestFinished(() => server.close());
  const target = { ports: [Number(new URL(server.url).port)], path: '/latest' };
  const asking = await startAsking({ ...target, clients, folder: await temporaryFolder(), ...NO_CORE });
  onTestFinished(() => asking?.stop());
  return asking;
}

test('clients in C ask in a closed loop after a pause, and in an open loop by the clock', async () => {
  const asking = await ask(20, (response) => response.end('{}'));
  if (asking === undefined) return;
  const closed = await asking.closed(300, 50);
  expect(closed.served).toBeGreaterThanOrEqual(20);
  expect(closed.served).toBeLessThanOrEqual(20 * 6);
  expect(closed).toMatchObject({ asked: closed.served, failed: 0, late: 0 });
  expect(closed.delay.total).toBe(closed.served);
  expect(closed.servedInTenths.reduce((sum, served) => sum + served, 0)).toBe(closed.served);
  const open = await asking.open(300, 100);
  expect(open.asked).toBe(20 * 3);
  expect(open.effort).toMatchObject({ processes: 1, wallMicros: expect.any(Number) });
});

test('what a stalled server owes in an open loop is late, from when each request was due', async () => {
  const held: ServerResponse[] = [];
  let isStalled = false;
  const asking = await ask(1, (response) => {
    if (isStalled) held.push(response);
    else response.end('{}');
  });
  if (asking === undefined) return;
  isStalled = true;
  const running = asking.open(600, 20);
  await eventually(() => expect(held).toHaveLength(1));
  setTimeout(() => {
    isStalled = false;
    held[0]?.end('{}');
  }, 200);
  const { asked, served, late, delay } = await running;
  expect(asked).toBe(30);
  expect(served).toBeGreaterThan(20);
  expect(late).toBeGreaterThanOrEqual(5);
  expect(delay.maxMicros).toBeGreaterThan(180_000);
  // Those after the first waited for less, each by a period.
  expect(delay.countBelow(190)).toBeGreaterThan(delay.countBelow(60));
});

test.each([true, false])(
  'a document is asked for over and over, and another status is an error (in C: %s)',
  async (isInC) => {
    let turn = 0;
    const server = await httpServer(({ url, headers }, response) => {
      turn += 1;
      if (url === '/304') response.writeHead(304).end();
      else response.setHeader('content-length', 4).end(`"${headers['x-tag']}"`);
    });
    onTestFinished(() => server.close());
    const target = { port: Number(new URL(server.url).port), headers: { 'x-tag': 'ab' } };
    const load = { ...target, connections: 2, durationMs: 100, ...(isInC && { folder: await temporaryFolder() }) };
    const { requests, values, refused } = await httpLoad({ ...load, path: '/', status: 200 });
    expect(requests).toBeGreaterThan(2);
    expect(requests).toBeLessThanOrEqual(turn);
    expect(values.responseBytes).toBeGreaterThan(50);
    // In Node.js it costs as much as what it asks.
    expect([values.requestsPerSecond === undefined, refused !== undefined]).toEqual([!isInC, !isInC]);
    expect(await httpLoad({ ...load, path: '/304', status: 304 })).toMatchObject({ requests: expect.any(Number) });
    await expect(httpLoad({ ...load, path: '/304', status: 200 })).rejects.toThrow('answers were not 200');
  },
);
