import { type Draft, namedNode, quad } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import type { Literal } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { pushSettings } from '../src/options.ts';
import { listening } from './push-server.ts';
import { entityOf, upsert } from './test-server.ts';
import { watchedLiteral } from './watched-literal.ts';

const MIB = 1024 * 1024;

// A draft that says one literal.
function saying(said: Literal): Draft {
  const quads = [quad(namedNode(entityOf(1)), namedNode('http://example.org/value'), said)];
  return { ...upsert(1, 1), quads } as Draft;
}

test('PUSH-3 a commit is encoded once for all connections that are up to date: they get the same bytes', async () => {
  const server = await listening();
  // How often a commit's content is read, with so many readers.
  const readsFor = async () => {
    const { term, count } = watchedLiteral('x');
    await server.log.append([saying(term)]);
    return count.reads;
  };
  const unread = await readsFor();
  const first = await server.readBytes();
  await eventually(async () => expect(await server.connections()).toBe(1));
  const forOne = await readsFor();
  expect(forOne).toBeGreaterThan(unread);
  await eventually(() => expect(first.ids()).toEqual([server.cursor(2)]));

  const others = await Promise.all([server.readBytes(), server.readBytes(), server.readBytes()]);
  await eventually(async () => expect(await server.connections()).toBe(4));
  expect(await readsFor()).toBe(forOne);
  await eventually(() => {
    for (const reader of [first, ...others]) expect(reader.ids().at(-1)).toBe(server.cursor(3));
  });
  const frames = [first, ...others].map((reader) =>
    reader.content().slice(reader.content().lastIndexOf('event: update')),
  );
  expect(new Set(frames).size).toBe(1);
});

test('PUSH-8 something is sent at once, and again while there are no events', async () => {
  const server = await listening({ push: { heartbeatMs: 20 } });
  const reader = await server.read();
  await eventually(() => expect(reader.comments.length).toBeGreaterThan(3));
});

const SETTINGS = [
  ['heartbeatMs', 'ERR_HEARTBEAT', [1, 15_000], [0, -1, 15_001, Number.NaN]],
  ...(
    [
      'retryMs',
      'limitQueueBytes',
      'limitStallMs',
      'limitFrameBytes',
      'limitReplayBytes',
      'limitReplayMembers',
      'limitNarrowing',
      'limitConnections',
      'limitConnectionsPerAddress',
      'limitAcceptsPerSecond',
      'limitWaitingAccepts',
      'limitAgeMs',
    ] as const
  ).map((name) => [name, 'ERR_LIMIT', [1, 2 ** 40], [0, -1, 1.5, Number.NaN]] as const),
  ['shutdownGraceMs', 'ERR_LIMIT', [0, 1, 2 ** 40], [-1, 1.5, Number.NaN]],
] as const;

test.each(SETTINGS)('%s has a range, and a value beside it is refused (%s)', (name, code, right, wrong) => {
  for (const value of right) expect(pushSettings({ [name]: value })).toMatchObject({ [name]: value });
  for (const value of wrong) {
    expect(() => pushSettings({ [name]: value }), String(value)).toThrow(expect.objectContaining({ code }));
  }
});

test('the limits are what they are said to be if not set otherwise', () => {
  expect(pushSettings()).toEqual({
    heartbeatMs: 15_000,
    retryMs: 1000,
    limitQueueBytes: MIB,
    limitStallMs: 60_000,
    limitFrameBytes: 32 * MIB,
    limitReplayBytes: 256 * MIB,
    limitReplayMembers: 100_000,
    limitNarrowing: 100,
    limitConnections: 50_000,
    limitConnectionsPerAddress: 1000,
    limitAcceptsPerSecond: 4000,
    limitWaitingAccepts: 20_000,
    limitAgeMs: 3_600_000,
    shutdownGraceMs: 8000,
  });
});
