import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { PostConnections } from '../../src/e4/post-connections.ts';
import { Requesters } from '../../src/e4/requesters.ts';
import { latencyBuckets } from '../../src/load/latency-histogram.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import { publishOnSchedule } from '../../src/load/publish-on-schedule.ts';
import { startSubjectsPeer } from '../../src/subjects/subjects-peer.ts';

const USERS = 7;

async function connected(quietMs = 5000) {
  const peer = await startSubjectsPeer({ users: USERS, seed: 1 });
  const { port, path } = peer;
  const requesters = await Requesters.open({
    port,
    path,
    users: USERS,
    providers: 3,
    postConnections: 2,
    seed: 1,
    opening: 4,
    quietMs,
    localAddress: '127.0.0.1',
  });
  const end = async () => {
    requesters.stop();
    await peer.close();
  };
  return { peer, requesters, end };
}

const scheduleOf = (count: number) => ({ startMicros: monotonicMicros(), intervalMicros: 2000, count });

test('every request is answered to its user once, through a provider', async () => {
  const { requesters, end } = await connected();
  const count = 40;
  const report = await requesters.round('requests', scheduleOf(count));
  expect(report).toMatchObject({ arrived: count, lost: 0, doubled: 0, strays: 0, received: count });
  const posts = { statuses: { 201: count }, unanswered: 0 };
  expect(report.posts).toEqual({ requests: posts, replies: posts });
  expect(latencyBuckets(report.latency).reduce((sum, bucket) => sum + bucket.count, 0)).toBe(count);
  await end();
});

test('every update reaches its user once, and a publisher that stalls is late', async () => {
  const { peer, requesters, end } = await connected();
  const schedule = { ...scheduleOf(20), startMicros: monotonicMicros() - 300_000 };
  const report = requesters.round('updates', schedule);
  await publishOnSchedule(schedule, peer.publish);
  expect(await report).toMatchObject({ arrived: 20, lost: 0, doubled: 0, strays: 0, received: 0 });
  expect((await report).latency.max).toBeGreaterThan(250_000);
  await end();
});

test('what never comes is told as lost', async () => {
  const { requesters, end } = await connected(50);
  expect(await requesters.round('updates', scheduleOf(3))).toMatchObject({ arrived: 0, lost: 3 });
  await end();
});

test('posts go on by new connections when the server has closed those that were idle', async () => {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(201).end()));
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const posts = new PostConnections({ port, stream: 'requests', connections: 2, localAddress: '127.0.0.1' });
  const statuses: Record<string, number> = {};
  const until = (count: number) =>
    eventually(() => {
      const taken = posts.take();
      expect(taken.unanswered).toBe(0);
      for (const [status, more] of Object.entries(taken.statuses)) statuses[status] = (statuses[status] ?? 0) + more;
      expect(statuses).toEqual({ 201: count });
    });
  for (let count = 0; count < 5; count += 1) posts.post('');
  await until(5);
  expect(sockets).toHaveLength(2);
  server.closeIdleConnections();
  await eventually(() => expect(posts.size).toBe(0));
  posts.post('');
  await until(6);
  posts.stop();
  server.close();
});
