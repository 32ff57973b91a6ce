import { channelPair, scriptedChannel } from '@ldes-live/test-support/channels';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, createWorkerServer } from '../../src/index.ts';
import { completeOptions, pushSettings } from '../../src/options.ts';
import { type ToWorker, Workers } from '../../src/owner.ts';
import { EPOCH, fill, PUBLIC_URL, type TestServer, testServer } from '../test-server.ts';

const never = () => new Promise<undefined>(() => undefined);
const metric = (name: string, type: string, value: number) => ({
  ...{ name, type, help: name, aggregator: 'sum' },
  values: [{ labels: {}, value }],
});
const counted = (value: number) => metric('commits_total', 'counter', value);
const held = (value: number) => metric('connections', 'gauge', value);
const report = (connections: number, commits: number) => ({
  kind: 'worker-report',
  report: { connections: { s: connections }, metrics: [counted(commits), held(connections)] },
});

async function attached(count: number, sleep: (durationMs: number) => Promise<undefined> = never) {
  const server = await testServer();
  const { description, log } = server;
  const options = completeOptions({
    publicUrl: PUBLIC_URL,
    streams: [],
    limitKeptBytes: 1000,
    limitPendingBuilds: 7,
    push: { limitConnections: 10, limitAcceptsPerSecond: 7, limitQueueBytes: 1000 },
  });
  const stream = {
    ...{ description, log, schedule: () => ({ kind: 'unknown' }) as const },
    ...{ health: () => [], sourceState: () => undefined },
  };
  const workers = new Workers({ options, sleep, streams: () => [stream] });
  workers.serve();
  const channels = Array.from({ length: count }, scriptedChannel);
  for (const { channel } of channels) workers.attach(channel, count);
  onTestFinished(() => workers.close());
  const asked = (kind: string) => channels.map(({ sent }) => sent.filter((message) => message.kind === kind).length);
  return { ...server, options, workers, channels, asked };
}

test('what counts for all is divided, and what counts for one is not', async () => {
  const { channels, description, options } = await attached(3);
  const { push: all, breakEvenSeconds, limitTextBytes, limitUrlBytes, publicUrl } = options;
  for (const { sent } of channels) {
    expect(sent.map(({ kind }) => kind)).toEqual(['log-place', 'worker-config']);
    const told = sent[1] as unknown as ToWorker & { kind: 'worker-config' };
    expect(told.streams).toMatchObject([{ description }]);
    expect(told.options).toEqual({
      ...{ breakEvenSeconds, limitTextBytes, limitUrlBytes, publicUrl, streams: [], vocabularies: {} },
      ...{ limitKeptBytes: 334, limitPendingBuilds: 3 },
      push: {
        ...all,
        limitConnections: 4,
        limitAcceptsPerSecond: 3,
        limitConnectionsPerAddress: Math.ceil(all.limitConnectionsPerAddress / 3),
        limitWaitingAccepts: Math.ceil(all.limitWaitingAccepts / 3),
        limitReplayBytes: Math.ceil(all.limitReplayBytes / 3),
      },
    });
  }
});

test('of a worker that does not answer in a second, what it reported last counts', async () => {
  const world = { isLate: false };
  const { workers, channels, asked } = await attached(2, async () => (world.isLate ? undefined : never()));
  const both = Promise.all([workers.reports(), workers.reports()]);
  // One that hangs is not asked again and again.
  expect(asked('worker-report')).toEqual([1, 1]);
  for (const { give } of channels) give(report(5, 3));
  for (const reports of await both) expect(reports.connections('s')).toBe(10);
  world.isLate = true;
  const reports = await workers.reports();
  expect(reports.connections('s')).toBe(10);
  expect(reports.metrics.flat()).toEqual([counted(3), held(5), counted(3), held(5)]);
  expect(asked('worker-report')).toEqual([2, 2]);
  // Who ends was counted up to then.
  channels[0]!.close();
  expect(reports.connections('s')).toBe(5);
  expect(reports.metrics.flat()).toMatchObject([counted(3), counted(3), held(5)]);
});

test('a stop waits for all workers that there are, and for none longer than it may', async () => {
  const waits: number[] = [];
  const { workers, channels, asked } = await attached(2, (durationMs) => {
    waits.push(durationMs);
    return never();
  });
  let isDrained = false;
  const draining = workers.drain().then(() => {
    isDrained = true;
  });
  expect(asked('worker-drain')).toEqual([1, 1]);
  channels[0]!.give({ kind: 'worker-drain' });
  await channels[0]!.leave();
  expect(isDrained).toBe(false);
  channels[1]!.close();
  await draining;
  expect(waits).toEqual([pushSettings().shutdownGraceMs + 1000]);
  await (await attached(1, async () => undefined)).workers.drain();
});

test('streams come and go while a worker runs: who reads what stays goes on, the others are ended in order', async () => {
  const one = await testServer();
  const other = await testServer();
  const stream = ({ log }: TestServer, name: string) => ({ description: { ...one.description, name }, log });
  const owner = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream(one, 'stays')], logger: false });
  onTestFinished(() => owner.close());
  const [left, right] = channelPair();
  onTestFinished(() => right.cut());
  owner.attachWorker(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: 'http://127.0.0.1:9', logger: false });
  onTestFinished(() => worker.close());
  const base = `http://127.0.0.1:${await worker.listen({ host: '127.0.0.1', port: 0 })}`;
  const read = async (name: string) => {
    const reader = await readEvents(`${base}/${name}/events`);
    onTestFinished(() => reader.close());
    return reader;
  };
  const staying = await read('stays');
  await owner.setStreams([stream(one, 'stays'), stream(other, 'comes')]);
  await eventually(async () => expect((await read('comes')).response.status).toBe(200));
  const coming = await read('c%6Fmes');
  await fill(other, 1, 1);
  await coming.count(1);
  await owner.setStreams([stream(one, 'stays'), stream(one, 'comes')]);
  await eventually(() => expect(coming.state.ended).toBe(true));
  await fill(one, 2, 1);
  await staying.count(2);
  await eventually(async () =>
    expect((await fetch(`${base}/comes/latest`)).headers.get('ldes-cursor')).toBe(`${EPOCH}-2`),
  );
  await owner.setStreams([]);
  await eventually(() => expect(staying.state.ended).toBe(true));
  await eventually(async () => expect((await fetch(`${base}/stays/events`)).status).toBe(503));
});
