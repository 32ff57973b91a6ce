import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mergeRounds, type RequestLoop, readRound, startRequestLoop } from '../../src/e1/request-loop.ts';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';

const CLIENTS = 20;

describe('clients in C', () => {
  let folder: string;
  let server: Server;
  let requests: number;
  let loop: RequestLoop | undefined;

  async function start(answer: Parameters<typeof createServer>[1]): Promise<RequestLoop> {
    server = createServer({}, answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    loop = await startRequestLoop({ ports: [port], path: '/latest', clients: CLIENTS, core: undefined, folder });
    if (!loop) throw new Error('there is no compiler');
    return loop;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ldes-live-test-'));
    requests = 0;
  });

  afterEach(async () => {
    await loop?.stop();
    server.close();
    await rm(folder, { recursive: true });
  });

  test('ask again as soon as they are answered', async () => {
    const body = Buffer.alloc(100_000, 'x');
    const { closed } = await start((_request, response) => {
      requests += 1;
      response.setHeader('content-length', body.length).end(body);
    });
    const { served, servedInTenths, failed, responseTime } = await closed(200, 0);
    expect(served).toBeGreaterThan(CLIENTS);
    expect(servedInTenths).toHaveLength(10);
    expect(servedInTenths.reduce((sum, count) => sum + count, 0)).toBe(served);
    // The first answers were before, and those under way at the end do not count.
    expect(requests - served).toBeLessThanOrEqual(2 * CLIENTS);
    expect(failed).toBe(0);
    expect(countOf(responseTime)).toBe(served);
  });

  test('pause after each answer for as long as they are told', async () => {
    const { closed } = await start((_request, response) => {
      requests += 1;
      response.setHeader('content-length', 2).end('ok');
    });
    const { served } = await closed(1000, 100);
    // At once or within the first pause, and after no less than the others.
    expect(served).toBeGreaterThan(CLIENTS);
    expect(served).toBeLessThanOrEqual(10 * CLIENTS);
    expect(requests - served).toBeLessThanOrEqual(2 * CLIENTS);
  });

  test('ask at their instants, and count what is due while they wait from when it was due', async () => {
    const waiting: (() => void)[] = [];
    let isStalled = false;
    const { open } = await start((_request, response) => {
      const answer = () => response.setHeader('content-length', 2).end('ok');
      if (isStalled) waiting.push(answer);
      else answer();
    });
    isStalled = true;
    const running = open(600, 100);
    setTimeout(() => {
      isStalled = false;
      for (const answer of waiting) answer();
    }, 350);
    const { asked, served, late, responseTime } = await running;
    expect(asked).toBe(6 * CLIENTS);
    expect(late).toBeGreaterThanOrEqual(2 * CLIENTS);
    expect(served).toBeLessThanOrEqual(asked);
    expect(responseTime.max).toBeGreaterThan(200_000);
  });

  test('count answers that are errors, and come back when they are cut', async () => {
    const { closed } = await start((_request, response) => {
      requests += 1;
      response.statusCode = requests > CLIENTS ? 503 : 200;
      response.setHeader('connection', 'close').setHeader('content-length', 0).end();
    });
    const { served, failed } = await closed(200, 0);
    expect(served).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
  });
});

test('what the program tells is read', () => {
  expect(readRound('10 9 1 0 5000 1000000 300 700 0 1 1 1 1 1 1 1 1 1 5 8 300 1')).toEqual({
    asked: 10,
    served: 9,
    late: 1,
    failed: 0,
    cpuMicros: 5000,
    wallMicros: 1_000_000,
    longestLoopLagMicros: 300,
    servedInTenths: [0, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    responseTime: { max: 700, counts: [5, 8, 300, 1] },
    processes: 1,
  });
});

test('what several processes met is added up', () => {
  const one = readRound('10 9 1 0 5000 1000000 300 700 0 1 1 1 1 1 1 1 1 1 5 8 300 1');
  const both = mergeRounds([one, { ...one, longestLoopLagMicros: 900 }]);
  expect(both).toMatchObject({ asked: 20, served: 18, cpuMicros: 10_000, longestLoopLagMicros: 900, processes: 2 });
  expect(both.servedInTenths).toEqual([0, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
  expect(both.responseTime.counts).toEqual([5, 16, 300, 2]);
});

function countOf(latency: Parameters<LatencyHistogram['add']>[0]): number {
  const histogram = new LatencyHistogram();
  histogram.add(latency);
  return histogram.total;
}
