import { scriptedChannel } from '@ldes-live/test-support/channels';
import { expect, test } from 'vitest';
import { pushSettings } from '../../src/options.ts';
import { Workers } from '../../src/workers/owner.ts';
import { testServer } from '../test-server.ts';

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
  const { log, description } = await testServer();
  const workers = new Workers({
    streams: [{ description, log }],
    settings: pushSettings({ limitConnections: 10, limitAcceptsPerSecond: 7, limitQueueBytes: 1000 }),
    links: { breakEvenSeconds: 10, statedBreakEvens: {}, contextUrls: [] },
    prefixes: {},
    limitUrlBytes: 4096,
    limitTextBytes: 1_000_000,
    requestTimeoutMs: 300_000,
    sleep,
  });
  const channels = Array.from({ length: count }, scriptedChannel);
  for (const { channel } of channels) workers.attach(channel, count);
  const asked = (kind: string) => channels.map(({ sent }) => sent.filter((message) => message.kind === kind).length);
  return { workers, channels, asked, description };
}

test('PUSH-50 what counts for all is divided, and what counts for one is not', async () => {
  const { channels, description } = await attached(3);
  for (const { sent } of channels) {
    expect(sent.map(({ kind }) => kind)).toEqual(['log-opened', 'worker-serve']);
    expect(sent[1]).toMatchObject({ setup: { streams: [description], limitUrlBytes: 4096 } });
    expect((sent[1] as { setup: { settings: object } }).setup.settings).toEqual({
      ...pushSettings({ limitQueueBytes: 1000 }),
      limitConnections: 4,
      limitAcceptsPerSecond: 3,
      limitConnectionsPerAddress: 334,
      limitWaitingAccepts: 6667,
      limitReplayBytes: 89_478_486,
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
  channels[0]!.give({ kind: 'worker-drained' });
  await channels[0]!.leave();
  expect(isDrained).toBe(false);
  channels[1]!.close();
  await draining;
  expect(waits).toEqual([pushSettings().shutdownGraceMs + 1000]);
  const { workers: others } = await attached(1, async () => undefined);
  await others.drain();
});
