import type { ReadableLog } from '@ldes-live/log';
import type { SourceState } from '@ldes-live/rdf-stream';
import { channelPair, scriptedChannel } from '@ldes-live/test-support/channels';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkerServer } from '../../src/index.ts';
import { pushSettings } from '../../src/options.ts';
import { Workers } from '../../src/workers/owner.ts';
import { fill, testServer } from '../test-server.ts';

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
  const { log, description } = server;
  const workers = new Workers({
    streams: [{ description, log, breakEvenSeconds: 10, contextUrls: [] }],
    settings: pushSettings({ limitConnections: 10, limitAcceptsPerSecond: 7, limitQueueBytes: 1000 }),
    prefixes: {},
    limitUrlBytes: 4096,
    limitTextBytes: 1_000_000,
    requestTimeoutMs: 300_000,
    sleep,
  });
  const channels = Array.from({ length: count }, scriptedChannel);
  for (const { channel } of channels) workers.attach(channel, count);
  const asked = (kind: string) => channels.map(({ sent }) => sent.filter((message) => message.kind === kind).length);
  return { ...server, workers, channels, asked };
}

test('PUSH-50 what counts for all is divided, and what counts for one is not', async () => {
  const { channels, description } = await attached(3);
  const all = pushSettings({ limitQueueBytes: 1000 });
  for (const { sent } of channels) {
    expect(sent.map(({ kind }) => kind)).toEqual(['worker-serve', 'log-opened', 'worker-streams']);
    expect(sent[2]).toMatchObject({ streams: [{ description }] });
    expect((sent[0] as { setup: { settings: object } }).setup.settings).toEqual({
      ...all,
      limitConnections: 4,
      limitAcceptsPerSecond: 3,
      limitConnectionsPerAddress: Math.ceil(all.limitConnectionsPerAddress / 3),
      limitWaitingAccepts: Math.ceil(all.limitWaitingAccepts / 3),
      limitReplayBytes: Math.ceil(all.limitReplayBytes / 3),
    });
  }
});

test('PUSH-54 of a worker that does not answer in a second, what it reported last counts', async () => {
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

test('PUSH-53 a stop waits for all workers that there are, and for none longer than it may', async () => {
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

test('PUSH-46 streams come and go while a worker runs: who reads what stays goes on, the others are ended in order', async () => {
  const world = await attached(0);
  const { log: one, description } = world;
  const other = await testServer();
  const sources = { state: undefined as SourceState | undefined, changed: () => {} };
  const stream = (name: string, log: ReadableLog) => ({
    ...{ description: { ...description, name }, log, breakEvenSeconds: 10, contextUrls: [] },
    sourceState: () => sources.state,
    onSourceState: (listener: () => void) => {
      sources.changed = listener;
      return () => {};
    },
  });
  const [left, right] = channelPair();
  onTestFinished(() => right.cut());
  world.workers.setStreams([stream('stays', one)]);
  world.workers.attach(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: 'http://127.0.0.1:9', logger: false });
  onTestFinished(() => worker.close());
  const base = `http://127.0.0.1:${await worker.listen({ host: '127.0.0.1', port: 0 })}`;
  const read = async (name: string) => {
    const reader = await readEvents(`${base}/${name}/events`);
    onTestFinished(() => reader.close());
    return reader;
  };
  const staying = await read('stays');
  world.workers.setStreams([stream('stays', one), stream('comes', other.log)]);
  await eventually(async () => expect((await read('comes')).response.status).toBe(200));
  const coming = await read('c%6Fmes');
  await fill({ ...other, log: other.log }, 1, 1);
  await coming.count(1);
  world.workers.setStreams([stream('stays', one), stream('comes', one)]);
  await eventually(() => expect(coming.state.ended).toBe(true));
  await fill(world, 2, 1);
  await staying.count(2);
  sources.state = { kind: 'failing', sinceMs: Date.UTC(2026, 10, 24) };
  sources.changed();
  const second = await read('comes');
  await second.count(1);
  expect(second.events[0]).toMatchObject({ event: 'status' });
  world.workers.setStreams([]);
  await eventually(() => expect(staying.state.ended).toBe(true));
  expect((await fetch(`${base}/stays/events`)).status).toBe(503);
});
