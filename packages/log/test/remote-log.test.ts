import type { Commit } from '@ldes-live/rdf-stream';
import { channelPair, lagging, scriptedChannel } from '@ldes-live/test-support/channels';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import type { ClusterRole } from '../src/cluster.ts';
import type { Log, ReadableLog } from '../src/log.ts';
import { LogServer } from '../src/log-server.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import { RemoteLogs } from '../src/remote-log.ts';
import { describeLogReader } from './suite.ts';
import { NOON_MS, openLog, plain, remove, type StoreSubject, upsert, vehicles } from './suite-place.ts';

const subject: StoreSubject = {
  name: 'of another process',
  persists: false,
  newPlace: async () => ({ open: async (options) => createMemoryStore(options), remove: async () => {} }),
  read: async (log) => (await remote(log)).reader,
};
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const opening = (id: number) => ({ kind: 'log-asked', id, stream: 'vehicles', question: { kind: 'open' } });
const named = (log: ReadableLog, stream = 'vehicles') => new Map([[stream, log]]);
const many = (length: number, state = 0, size = 0) =>
  Array.from({ length }, (_, key) => upsert(key, `${state}${'x'.repeat(size)}`));

const writer = { node: 'main', url: 'http://127.0.0.1:9' };
const place = { node: 'worker-1', owner: writer };

describeLogReader(subject);

/** One that reads a log over a channel, which ends with the test. */
async function remote(log: Log, server = new LogServer(named(log))) {
  const [left, right] = channelPair();
  onTestFinished(() => right.cut());
  server.attach(left);
  const logs = new RemoteLogs(right, place);
  return { server, logs, reader: await logs.open('vehicles'), cut: right.cut };
}

test('what crosses is serialised once for all who read', async () => {
  const log = await openLog(subject);
  const server = new LogServer(named(log));
  const channels = [scriptedChannel(), scriptedChannel()];
  for (const { channel, give } of channels) {
    server.attach(channel);
    give(opening(1));
  }
  await settled();
  await log.append(many(3));
  const [first, second] = channels.map(({ sent }) => sent.at(-1)!);
  expect(first).toMatchObject({ kind: 'log-commit', commit: { cursor: log.head.cursor } });
  expect(second).toBe(first);
});

test('a large commit crosses in parts, and who comes meanwhile gets it once, as do those that follow', async () => {
  const log = await openLog(subject);
  const { server, reader } = await remote(log);
  const seen: number[][] = [];
  const follow = (each: ReadableLog, index: number) => {
    seen[index] = [each.head.cursor.sequence];
    each.subscribe(({ members }) => seen[index]!.push(...members.map(({ sequence }) => sequence)));
  };
  follow(reader, 0);
  const { channel, sent, give } = scriptedChannel();
  server.attach(channel);
  give(opening(1));
  const between = scriptedChannel();
  server.attach(between.channel);
  let coming: ReturnType<typeof remote> | undefined;
  log.subscribe(() => {
    if (!coming) between.give(opening(1));
    coming ??= remote(log, server);
  });
  const [, ...others] = [many(3000, 1, 300), [upsert('a')], [remove(0)]].map((drafts) => log.append(drafts));
  await eventually(() => expect(coming).toBeDefined());
  const late = await coming!;
  follow(late.reader, 1);
  await Promise.all(others);
  await Promise.all([reader.caughtUp(), late.reader.caughtUp()]);
  const all = Array.from({ length: 3002 }, (_, index) => index + 1);
  expect(seen[0]).toEqual([0, ...all]);
  expect(seen[1]).toEqual(all.slice(seen[1]![0]! - 1));
  const ends = between.sent.flatMap(({ commit }) => (commit as Commit | undefined)?.cursor.sequence ?? []);
  expect(ends).toEqual([3001, 3002]);
  expect(late.reader.latest.sequences()).toEqual(log.latest.sequences());
  expect((await late.reader.readLatest()).map(plain)).toEqual((await log.readLatest()).map(plain));
  expect(sent.filter(({ kind, commit }) => kind === 'log-commit' && commit)).toHaveLength(3);
  expect(sent.filter(({ kind }) => kind === 'log-commit').length).toBeGreaterThan(3);
});

test('commits that come before all living entities have are taken after them', async () => {
  const log = await openLog(subject);
  await log.append(many(12_000));
  const { channel, give, sent } = scriptedChannel();
  const server = new LogServer(named(log));
  const serving = scriptedChannel();
  server.attach(serving.channel);
  const logs = new RemoteLogs(channel, place);
  const opened = logs.open('vehicles');
  for (const question of sent) serving.give(question);
  await settled();
  await log.append([remove(0), upsert(5999, 1), upsert('new')]);
  const answers = () => serving.sent.filter(({ kind }) => kind === 'log-answer');
  while (!answers().at(-1)?.isLast) await serving.leave();
  for (const message of serving.sent) give(message);
  const reader = await opened;
  const kinds = serving.sent.map(({ kind }) => kind).filter((kind) => kind !== 'log-place');
  expect(kinds).toEqual(['log-answer', 'log-commit', 'log-answer']);
  expect(reader.head).toEqual(log.head);
  expect(reader.latest.sequences()).toEqual(log.latest.sequences());
});

test('a reader that takes no more is cut, past the limit and not at it', async () => {
  const log = await openLog(subject);
  const { channel, sent, cuts, leave, give } = scriptedChannel();
  const server = new LogServer(named(log));
  server.attach(channel, 10_000);
  give(opening(1));
  await settled();
  const waiting = () => sent.reduce((sum, { bytes }) => sum + ((bytes as Uint8Array | undefined)?.length ?? 0), 0);
  await log.append([upsert('a')]);
  await leave();
  const left = waiting();
  while (waiting() - left <= 10_000) {
    expect(cuts()).toBe(0);
    await log.append([upsert('a')]);
  }
  const before = sent.length;
  expect(cuts()).toBe(0);
  await log.append([upsert('a')]);
  await log.append([upsert('a')]);
  expect([cuts(), sent.length]).toEqual([1, before]);
});

test('what waits to be serialised counts too', async () => {
  const log = await openLog(subject);
  const { channel, cuts, give } = scriptedChannel();
  new LogServer(named(log)).attach(channel, 3_000_000);
  give(opening(1));
  await settled();
  const appends = [1, 2, 3].map((state) => log.append(many(1000, state, 1200)));
  await Promise.all(appends);
  expect(cuts()).toBe(1);
});

test('one answer of a kind is made at a time, and the next when it has left', async () => {
  const log = await openLog(subject);
  await log.append(many(3));
  const { channel, sent, give, leave } = scriptedChannel();
  new LogServer(named(log)).attach(channel);
  const ask = (id: number, question: object) => give({ kind: 'log-asked', id, stream: 'vehicles', question });
  for (const id of [1, 2]) ask(id, { kind: 'read', after: 0, limit: 3 });
  for (const id of [3, 4]) ask(id, { kind: 'members', sequences: [2] });
  const answered = () => sent.flatMap(({ kind, id }) => (kind === 'log-answer' ? [id] : []));
  await eventually(() => expect(answered()).toEqual([1, 3]));
  await leave();
  await eventually(() => expect(answered()).toEqual([1, 3, 2, 4]));
});

test('what the owner fails to read fails for who asked, and nothing else does', async () => {
  const log = await openLog(subject);
  await log.append(many(3));
  const broken = new Proxy(log, {
    get: (_, name: keyof Log) => {
      if (name === 'read') return async () => Promise.reject(new Error('no luck'));
      const value = log[name];
      return typeof value === 'function' ? value.bind(log) : value;
    },
  });
  const { reader } = await remote(broken);
  const failed = { code: 'ERR_OWNER_FAILED', details: { stream: 'vehicles', reason: 'Error: no luck' } };
  await expect(reader.read(0, 1)).rejects.toMatchObject(failed);
  expect(await reader.readMembers([2])).toHaveLength(1);
});

test('whoever reads or waits is told when the owner goes', async () => {
  const log = await openLog(subject);
  await log.append(many(3));
  const { reader, logs, server } = await remote(log);
  const lost = { code: 'ERR_LOG_LOST', details: { stream: 'vehicles' } };
  const [read, caughtUp, opening] = [reader.read(0, 3), reader.caughtUp(), logs.open('other')].map((each) =>
    each.catch((error) => error),
  );
  server.close();
  expect(await read).toMatchObject(lost);
  expect(await caughtUp).toMatchObject(lost);
  expect(await opening).toMatchObject({ code: 'ERR_LOG_LOST', details: { stream: 'other' } });
  await expect(reader.readLatest()).rejects.toMatchObject(lost);
  await expect(logs.open('vehicles')).rejects.toMatchObject(lost);
});

test('logs come, go and take the place of others while they are read', async () => {
  const store = createMemoryStore({ clock: () => NOON_MS, random: Math.random });
  onTestFinished(() => store.close());
  const [one, other, third] = await Promise.all(
    ['vehicles', 'others', 'third'].map((name) => store.open({ ...vehicles, name })),
  );
  await other!.append([upsert('b')]);
  const { server, logs, reader } = await remote(one!);
  await expect(logs.open('others')).rejects.toMatchObject({ code: 'ERR_LOG_CLOSED', details: { stream: 'others' } });
  server.setLogs(new Map([...named(one!), ...named(other!, 'others')]));
  const second = await logs.open('others');
  expect(second.head).toEqual(other!.head);
  server.setLogs(named(third!, 'others'));
  await expect(reader.caughtUp()).rejects.toMatchObject({ code: 'ERR_LOG_CLOSED' });
  await eventually(() => expect(() => second.subscribe(() => {})).toThrow('closed'));
  const exchanged = await logs.open('others');
  expect(exchanged.head).toEqual(third!.head);
  await third!.append([upsert('c')]);
  await exchanged.caughtUp();
  expect(exchanged.latest.size).toBe(1);
  server.setLogs(new Map());
  await eventually(() => expect(() => exchanged.subscribe(() => {})).toThrow('closed'));
});

test('PUSH-64 few questions do for many who have to catch up, and none that left too early', async () => {
  const log = await openLog(subject);
  const [left, right] = channelPair();
  const { hold, release, ...slow } = lagging(right);
  onTestFinished(right.cut);
  new LogServer(named(log)).attach(left);
  const asked: object[] = [];
  const send = async (message: object) => {
    asked.push(message);
    await slow.send(message);
  };
  const reader = await new RemoteLogs({ ...slow, send }, place).open('vehicles');
  void hold();
  asked.length = 0;
  const seen: [number, number][] = [];
  for (const id of [1, 2, 3]) {
    await log.append([upsert(id)]);
    void reader.caughtUp().then(() => seen.push([id, reader.head.cursor.sequence]));
    await settled();
  }
  expect(asked).toHaveLength(1);
  release();
  await eventually(() => expect(seen).toHaveLength(3));
  expect(asked).toHaveLength(2);
  for (const [id, sequence] of seen) expect(sequence).toBeGreaterThanOrEqual(id);
});

test('messages of others on the same channel are left to them', async () => {
  const log = await openLog(subject);
  const [left, right] = channelPair();
  onTestFinished(right.cut);
  const [atOwner, atReader]: object[][] = [[], []];
  left.onMessage((message) => atOwner!.push(message));
  right.onMessage((message) => atReader!.push(message));
  new LogServer(named(log)).attach(left);
  const logs = new RemoteLogs(right, place);
  await Promise.all([left.send({ kind: 'else' }), right.send({ kind: 'else' })]);
  await (await logs.open('vehicles')).caughtUp();
  for (const messages of [atOwner, atReader]) expect(messages).toContainEqual({ kind: 'else' });
});

test('who reads is told what the owner is among others, at once where that changes, and what it says of itself', async () => {
  const log = await openLog(subject);
  const changes = new Set<() => void>();
  const onChange = (listener: () => void) => {
    changes.add(listener);
    return () => changes.delete(listener);
  };
  const role: ClusterRole = { role: 'writer' };
  const cluster = { node: 'a', role, problems: [], told: undefined, lag: () => 0, onChange, describe: () => {} };
  const server = new LogServer(named(log), { cluster, status: () => ({ streams: {} }) });
  const own = (await remote(log, server)).logs.cluster;
  const following = { role: 'follower', writer: own.owner };
  expect(own).toMatchObject({ ...place, told: { streams: {} }, role: following });
  for (const become of [
    { role: 'cut-off', sinceMs: 5 },
    { role: 'follower', writer },
  ] as const) {
    const changed = new Promise<void>((resolve) => own.onChange(resolve));
    Object.assign(cluster, { role: become });
    for (const change of changes) change();
    await changed;
    // It is the owner that asks a third one.
    expect(own.role).toEqual(become.role === 'cut-off' ? become : following);
  }
  server.close();
  expect(changes.size).toBe(0);
});

test('what was removed is known to who reads without a commit, and a reader that hangs is told one thing at a time', async () => {
  const log = await openLog(subject);
  await log.append(many(500));
  const { reader, server } = await remote(log);
  const { channel, sent } = scriptedChannel();
  server.attach(channel);
  await log.unlink({ first: 1, last: 250 });
  for (let count = 0; count < 3; count += 1) server.tell();
  await eventually(() => expect(reader.removals).toEqual(log.removals));
  expect(sent.map(({ kind }) => kind)).toEqual(['log-place']);
});
