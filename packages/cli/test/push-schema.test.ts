import { createLiveServer } from '@ldes-live/server';
import { expect, test } from 'vitest';
import { configPlan } from '../src/serve/serve-plan.ts';
import { HEAD, mistakesOf, parse, source } from './parsed-config.ts';

const withPush = (push: string) => `${HEAD}push: ${push}\nstreams: { a: { ${source} } }\n`;

const ALL = `{ heartbeat: 10s, retry: 2s, queueBytes: 262144, stall: 30s, frameBytes: 1000000, replayMembers: 1000,
  narrowing: 5, connections: 200, connectionsPerAddress: 20, acceptsPerSecond: 50, waitingAccepts: 100, age: 30m, grace: 30s }`;

test('push is read with all that may be said of it, as the server calls it', async () => {
  const { push } = parse(withPush(ALL));
  expect(push).toEqual({
    heartbeatMs: 10_000,
    retryMs: 2000,
    limitQueueBytes: 262_144,
    limitStallMs: 30_000,
    limitFrameBytes: 1_000_000,
    limitReplayMembers: 1000,
    limitNarrowing: 5,
    limitConnections: 200,
    limitConnectionsPerAddress: 20,
    limitAcceptsPerSecond: 50,
    limitWaitingAccepts: 100,
    limitAgeMs: 1_800_000,
    shutdownGraceMs: 30_000,
  });
  expect(configPlan({ config: parse(withPush(ALL)), files: {} }, '/etc/live.yml').push).toEqual(push);
});

test('of push nothing has to be said', () => {
  expect(configPlan({ config: parse(withPush('{}')), files: {} }, '/etc/live.yml').push).toEqual({});
  expect(
    configPlan({ config: parse(`${HEAD}streams: { a: { ${source} } }\n`), files: {} }, '/etc/live.yml'),
  ).not.toHaveProperty('push');
});

test.each([
  ['heartbeat', ['1s', '15s'], ['999ms', '15.001s']],
  ['retry', ['100ms', '10m'], ['99ms', '10.001m']],
  ['queueBytes', ['1'], ['0', '1.5', '1kB']],
  ['stall', ['1s', '24h'], ['999ms', '24.001h']],
  ['frameBytes', ['1'], ['0']],
  ['replayMembers', ['1'], ['0']],
  ['narrowing', ['1'], ['0']],
  ['connections', ['1', '9007199254740991'], ['0', '-1']],
  ['connectionsPerAddress', ['1'], ['0']],
  ['acceptsPerSecond', ['1'], ['0', '0.5']],
  ['waitingAccepts', ['1'], ['0']],
  ['age', ['10s', '20d'], ['9.999s', '20.001d', '3600']],
  ['grace', ['0s', '1h'], ['1.001h', '8']],
] as const)('push.%s may be %j, and not %j; the server takes what it may be', async (key, taken, refused) => {
  for (const value of taken) {
    const { push } = parse(withPush(`{ ${key}: ${value} }`));
    const server = await createLiveServer({ publicUrl: 'http://localhost/', streams: [], ...(push && { push }) });
    await server.close();
  }
  for (const value of refused) {
    const [mistake, ...others] = mistakesOf(withPush(`{ ${key}: ${value} }`));
    expect(others).toEqual([]);
    expect(mistake).toMatch(`push.${key}: found`);
  }
});

test('a misspelt key of push is told with the one that is meant', () => {
  expect(mistakesOf(withPush('{ conections: 10 }'))).toEqual([
    expect.stringContaining('push.conections: unknown key; did you mean connections?'),
  ]);
  expect(mistakesOf(withPush('fast'))).toEqual([expect.stringContaining('expected a mapping with any of heartbeat,')]);
});
