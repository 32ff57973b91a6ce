/* Nodes of one cluster, over real NATS servers: who writes, who follows, and what becomes of what is lost on the way. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeStream } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { keptFolder, temporaryFolder } from '@ldes-live/test-support/folders';
import { hasNats, type NatsServers, natsWay, startNats } from '@ldes-live/test-support/nats';
import { reservedPort } from '@ldes-live/test-support/net';
import { DiscardPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../src/lmdb-store.ts';
import type { Log } from '../src/log.ts';
import { type NatsStore, type NatsStoreOptions, openNatsStore } from '../src/nats/nats-store.ts';
import { plain, upsert, vehicles } from './suite-place.ts';
import { fill, pagesOf } from './suite-removal.ts';

let servers: NatsServers;
let names = 0;

const newName = () => {
  names += 1;
  return `cluster-${names}`;
};

beforeAll(async () => {
  if (hasNats) servers = await startNats();
});
afterAll(() => servers?.close());

/** A cluster of its own on the server, whose nodes close with the test. */
async function cluster() {
  const folder = await keptFolder();
  const stream = newName();
  const stores = new Set<NatsStore>();
  onTestFinished(async () => {
    await Promise.all([...stores].map((store) => store.close()));
    await rm(folder, { recursive: true });
  });
  const node = async (name: string, given: Partial<NatsStoreOptions> = {}) => {
    const store = await openNatsStore({
      ...{ servers: servers.urls, replicas: 1, stream, node: name, url: `http://${name}:3000` },
      ...{ isCandidate: true, path: join(folder, name), clock: Date.now, random: Math.random },
      ...given,
    });
    stores.add(store);
    const close = async () => {
      stores.delete(store);
      await store.close();
    };
    return { store, close, log: await store.open(vehicles), cluster: store.cluster };
  };
  return { stream, node };
}

/** All of a log that readers can see. */
async function contentOf(log: Log) {
  return {
    ...{ head: log.head, latest: [...log.latest.entries()], removals: log.removals, heldFrom: log.heldFrom },
    members: (await log.read(log.heldFrom - 1, 10_000)).map(plain),
    newest: (await log.readLatest()).map(plain),
  };
}

const many = (length: number, state = 0, size = 0) =>
  Array.from({ length }, (_, key) => upsert(key, `${state}${'x'.repeat(size)}`));

describe.skipIf(!hasNats)('nodes of a cluster', { timeout: 60_000 }, () => {
  test('CLU-1 all nodes have the same log: epoch, cursors, times, members, removals', async () => {
    const { node } = await cluster();
    const a = await node('a');
    const b = await node('b');
    expect([a.cluster.role, b.cluster.role]).toEqual([
      { role: 'writer' },
      { role: 'follower', writer: { node: 'a', url: 'http://a:3000' } },
    ]);
    const seen: string[][] = [[], []];
    for (const [index, { log }] of [a, b].entries()) log.subscribe(({ time }) => seen[index]!.push(time));
    await fill(a.log);
    await a.log.unlink(pagesOf(0, 1));
    await a.log.erase(pagesOf(0, 0));
    await b.log.caughtUp();
    expect(await contentOf(b.log)).toEqual(await contentOf(a.log));
    expect(seen[1]).toEqual(seen[0]);
    expect([a.cluster.lag('vehicles'), b.cluster.lag('vehicles')]).toEqual([0, 0]);
    const c = await node('c');
    expect(await contentOf(c.log)).toEqual(await contentOf(a.log));
  });

  test('CLU-2 a node that does not write appends nothing, and says so', async () => {
    const { node } = await cluster();
    const a = await node('a');
    const b = await node('b');
    const fenced = { code: 'ERR_LOG_FENCED', details: { stream: 'vehicles', node: 'b' } };
    await expect(b.log.append([upsert('a')])).rejects.toMatchObject(fenced);
    await a.log.append([upsert('a')]);
    await expect(b.log.unlink(pagesOf(0, 0))).rejects.toMatchObject({ code: 'ERR_REMOVAL_RANGE' });
  });

  test('CLU-5 when the node that writes stops, another goes on with the same log', async () => {
    const { node } = await cluster();
    const a = await node('a');
    const b = await node('b');
    const { cursor } = await a.log.append(many(3));
    const startedMs = performance.now();
    await a.close();
    await eventually(() => expect(b.cluster.role).toEqual({ role: 'writer' }), { forMs: 10_000 });
    expect(performance.now() - startedMs).toBeLessThan(3000);
    const commit = await b.log.append([upsert(0, 'new')]);
    expect(commit.cursor).toEqual({ ...cursor, sequence: 4 });
    const again = await node('a');
    expect(again.cluster.role).toMatchObject({ role: 'follower', writer: { node: 'b' } });
    expect(await contentOf(again.log)).toEqual(await contentOf(b.log));
  });

  test('CLU-6 a node that was away takes what it lacks, by entries', async () => {
    const { node } = await cluster();
    const a = await node('a');
    const b = await node('b');
    await a.log.append(many(3));
    await b.close();
    await a.log.append(many(3, 1));
    await a.log.append(many(3, 2));
    const again = await node('b');
    expect(await contentOf(again.log)).toEqual(await contentOf(a.log));
  });

  test('CLU-7 where entries are gone a node begins with a snapshot, be it new or away for too long', async () => {
    const { node, stream } = await cluster();
    const a = await node('a', { snapshotEntries: 5 });
    await fill(a.log);
    const b = await node('b');
    await b.close();
    await a.log.unlink(pagesOf(0, 1));
    await a.log.erase(pagesOf(0, 1));
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    let state = 0;
    for (let isPurged = false; !isPurged; isPurged = (await manager.streams.info(stream)).state.first_seq > 8) {
      state += 1;
      await a.log.append([upsert(`more-${state % 7}`, state), { ...upsert('own'), id: `urn:own:${state}` }]);
    }
    const content = await contentOf(a.log);
    for (const name of ['b', 'c']) {
      const late = await node(name);
      expect(await contentOf(late.log)).toEqual(content);
      expect(await late.log.latest.hasVersions([`urn:own:${state}`, 'urn:own:x'])).toEqual(
        new Set([`urn:own:${state}`]),
      );
      await late.close();
    }
  });

  test('CLU-12 a cluster goes on with the log that a store had by itself, on every node', async () => {
    const { node } = await cluster();
    const path = join(await temporaryFolder(), 'data');
    const alone = await openLmdbStore({ path, clock: Date.now, random: Math.random });
    const log = await alone.open(vehicles);
    await fill(log);
    await log.unlink(pagesOf(0, 1));
    await log.erase(pagesOf(0, 0));
    const before = await contentOf(log);
    await alone.close();
    const a = await node('a', { path });
    expect(await contentOf(a.log)).toEqual(before);
    const { cursor } = await a.log.append([upsert('next')]);
    expect(cursor).toEqual({ ...before.head.cursor, sequence: before.head.cursor.sequence + 1 });
    const b = await node('b');
    expect(await contentOf(b.log)).toEqual(await contentOf(a.log));
    await b.close();
    await a.close();
    const again = await node('b');
    expect(again.log.head.cursor).toEqual(cursor);
  });

  test('CLU-8 a commit of 20,000 members is one commit on every node', async () => {
    const { node } = await cluster();
    const a = await node('a');
    const b = await node('b');
    const seen: number[] = [];
    b.log.subscribe(({ members }) => seen.push(members.length));
    await a.log.append(many(20_000, 1));
    await b.log.caughtUp();
    expect(seen).toEqual([20_000]);
    expect(b.log.head).toEqual(a.log.head);
    expect((await b.log.read(19_000, 1000)).map(plain)).toEqual((await a.log.read(19_000, 1000)).map(plain));
  });

  test('CLU-8 an entry above what a message may have goes in parts, and one that was never whole is passed by', async () => {
    const small = await startNats({ lines: 'max_payload: 8192' });
    onTestFinished(() => small.close());
    const { node, stream } = await cluster();
    const there = { servers: small.urls };
    const a = await node('a', there);
    let seed = 1;
    const noise = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed.toString(36);
    };
    const large = () => Array.from({ length: 300 }, (_, key) => upsert(key, noise() + noise() + noise()));
    await a.log.append(large());
    await a.close();
    // A node that died between two parts of an entry.
    const connection = await connectNats({ servers: [...small.urls] });
    const manager = await jetstreamManager(connection);
    const subject = `${stream}.log.vehicles`;
    const last = (await manager.streams.getMessage(stream, { last_by_subj: subject }))!;
    const { headers } = await import('@nats-io/transport-node');
    const fields = headers();
    for (const name of ['Ldes-Epoch', 'Ldes-Version']) fields.set(name, last.header.get(name));
    fields.set('Ldes-Part', '1/3');
    await jetstream(connection).publish(subject, last.data, {
      ...{ headers: fields, msgID: 'vehicles/dead.1/1', expect: { lastSubjectSequence: last.seq } },
    });
    await connection.close();
    const b = await node('b', there);
    await eventually(() => expect(b.cluster.role.role).toBe('writer'));
    expect(b.log.head.cursor.sequence).toBe(300);
    await b.log.append(large());
    const again = await node('a', there);
    expect(await contentOf(again.log)).toEqual(await contentOf(b.log));
  });

  test('CLU-9 a node that is cut off says since when, appends nothing that others do not have, and comes back', async () => {
    const { node } = await cluster();
    const toNats = await natsWay(servers.ports[0]!);
    const a = await node('a', { servers: toNats.urls });
    const b = await node('b');
    await a.log.append(many(3));
    toNats.cut(true);
    const cutMs = Date.now();
    const pending = a.log.append([upsert('late')]).then(
      ({ cursor }) => cursor.sequence,
      ({ code }) => code,
    );
    await eventually(() => expect(b.cluster.role.role).toBe('writer'), { forMs: 12_000 });
    expect(Date.now() - cutMs).toBeLessThan(8000);
    await eventually(() => expect(a.cluster.role).toMatchObject({ role: 'cut-off' }));
    expect(a.cluster.role).toMatchObject({ sinceMs: expect.toSatisfy((ms: number) => Math.abs(ms - cutMs) < 6000) });
    await expect(a.log.append([upsert('x')])).rejects.toMatchObject({ code: 'ERR_LOG_FENCED' });
    expect((await a.log.readLatest()).length).toBe(3);
    await b.log.append([upsert('other')]);
    toNats.cut(false);
    await eventually(() => expect(a.cluster.role).toMatchObject({ role: 'follower', writer: { node: 'b' } }), {
      forMs: 10_000,
    });
    expect(await pending).toBe('ERR_LOG_FENCED');
    await a.log.caughtUp();
    expect(await contentOf(a.log)).toEqual(await contentOf(b.log));
    expect(a.log.latest.size).toBe(4);
  });

  test.each(['up', 'down'] as const)(
    'CLU-4 what is sent %s and never arrives is found out, and stands at most once',
    async (direction) => {
      const { node } = await cluster();
      const toNats = await natsWay(servers.ports[0]!);
      const a = await node('a', { servers: toNats.urls });
      const b = await node('b');
      await a.log.append(many(3));
      toNats.held[direction] = true;
      const pending = a.log.append([upsert('late')]);
      await delay(700);
      toNats.held[direction] = false;
      toNats.cut(true);
      toNats.cut(false);
      expect((await pending).cursor.sequence).toBe(4);
      expect((await a.log.append([upsert('next')])).cursor.sequence).toBe(5);
      await b.log.caughtUp();
      expect(await contentOf(b.log)).toEqual(await contentOf(a.log));
    },
  );
});

describe.skipIf(!hasNats)('what is wrong with a cluster has a name', () => {
  const options = async (given: Partial<NatsStoreOptions>): Promise<NatsStoreOptions> => ({
    ...{ servers: servers.urls, replicas: 1, stream: newName(), node: 'a', url: 'http://a' },
    ...{ isCandidate: true, path: join(await temporaryFolder(), 'data'), clock: Date.now, random: Math.random },
    ...given,
  });
  const refused = async (given: Partial<NatsStoreOptions>, code: string) =>
    expect(openNatsStore(await options(given))).rejects.toMatchObject({ code });

  test('CLU-10 a server that is not there, and one that refuses', async () => {
    await refused({ servers: [`nats://127.0.0.1:${await reservedPort()}`] }, 'ERR_NATS_UNREACHABLE');
    const closed = await startNats({ lines: 'authorization { user: city, password: secret }' });
    onTestFinished(() => closed.close());
    const folder = await temporaryFolder({ good: 'city:secret\n', bad: 'city:guess\n' });
    await refused({ servers: closed.urls }, 'ERR_NATS_CREDENTIALS');
    await refused({ servers: closed.urls, credentials: join(folder, 'bad') }, 'ERR_NATS_CREDENTIALS');
    await refused({ servers: closed.urls, credentials: join(folder, 'none') }, 'ERR_NATS_CREDENTIALS');
    const store = await openNatsStore(await options({ servers: closed.urls, credentials: join(folder, 'good') }));
    await store.close();
  });

  test('CLU-10 a server without JetStream', async () => {
    const bare = await startNats({ hasJetStream: false });
    onTestFinished(() => bare.close());
    await refused({ servers: bare.urls }, 'ERR_NATS_JETSTREAM');
  });

  test('CLU-10 a stream that is another, or keeps less than it should', async () => {
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'orders', subjects: ['orders.*'] });
    await refused({ stream: 'orders' }, 'ERR_NATS_STREAM');
    await manager.streams.add({ name: 'brief', subjects: ['brief.log.*'], allow_direct: true, max_age: 1e9 });
    await refused({ stream: 'brief' }, 'ERR_NATS_STREAM');
    await refused({ replicas: 3 }, 'ERR_NATS_STREAM');
    await manager.streams.add({ name: 'few', subjects: ['few.log.*'], allow_direct: true, discard: DiscardPolicy.New });
    await refused({ stream: 'few', replicas: 3 }, 'ERR_NATS_STREAM');
  });

  test('CLU-10 a log of another epoch, of another version, and one that a plain store has', async () => {
    const { node, stream } = await cluster();
    const a = await node('a');
    await a.log.append(many(3));
    const other = await cluster();
    const path = join(await temporaryFolder(), 'data');
    const b = await other.node('b', { path });
    await b.log.append(many(1));
    await b.close();
    const wrong = await openNatsStore(await options({ stream, path }));
    await expect(wrong.open(vehicles)).rejects.toMatchObject({ code: 'ERR_CLUSTER_EPOCH' });
    await wrong.close();
    const plainStore = await openLmdbStore({ path, clock: Date.now, random: Math.random });
    await expect(plainStore.open(vehicles)).rejects.toMatchObject({ code: 'ERR_STORE_CLUSTERED' });
    await plainStore.close();
    await a.close();
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    const subject = `${stream}.log.vehicles`;
    const last = (await manager.streams.getMessage(stream, { last_by_subj: subject }))!;
    const { headers } = await import('@nats-io/transport-node');
    const fields = headers();
    fields.set('Ldes-Epoch', last.header.get('Ldes-Epoch'));
    fields.set('Ldes-Version', '2');
    await jetstream(connection).publish(subject, last.data, {
      ...{ headers: fields, msgID: 'vehicles/later.1', expect: { lastSubjectSequence: last.seq } },
    });
    const store = await openNatsStore(await options({ stream, isCandidate: false }));
    onTestFinished(() => store.close());
    await expect(store.open(vehicles)).rejects.toMatchObject({ code: 'ERR_CLUSTER_VERSION', details: { found: '2' } });
    expect(store.cluster.problems).toMatchObject([{ code: 'ERR_CLUSTER_VERSION' }]);
  });

  test('CLU-10 a NATS stream that was emptied under a cluster at work', async () => {
    const { node, stream } = await cluster();
    const a = await node('a');
    await a.log.append(many(3));
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    const { config } = await manager.streams.info(stream);
    await manager.streams.delete(stream);
    await manager.streams.add(config);
    await expect(a.log.append(many(3, 1))).rejects.toMatchObject({ code: 'ERR_CLUSTER_EPOCH', details: { found: '' } });
    expect(a.log.head.cursor.sequence).toBe(3);
  });

  test('CLU-10 a node with another publicUrl', async () => {
    const { node, stream } = await cluster();
    await node('a');
    const store = await openNatsStore(await options({ stream, node: 'b' }));
    onTestFinished(() => store.close());
    const moved = describeStream({ publicUrl: 'https://live.example.org/', name: 'vehicles' });
    await expect(store.open(moved)).rejects.toMatchObject({ code: 'ERR_STREAM_MOVED' });
  });

  test('CLU-10 no room in NATS refuses the append alone, and there may be room again', async () => {
    const { node, stream } = await cluster();
    const a = await node('a');
    await a.log.append(many(3));
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(stream);
    await manager.streams.update(stream, { max_bytes: state.bytes + 100 });
    await expect(a.log.append(many(30, 1))).rejects.toMatchObject({ code: 'ERR_NATS_STORAGE' });
    expect(a.log.head.cursor.sequence).toBe(3);
    await manager.streams.update(stream, { max_bytes: -1 });
    expect((await a.log.append(many(30, 2))).cursor.sequence).toBe(33);
  });

  test('CLU-11 a node whose clock is an hour off follows, and does not write', async () => {
    const { node } = await cluster();
    const off = node('off', { clock: () => Date.now() + 3_600_000 });
    const a = await node('a');
    const { cluster: place, log } = await off;
    expect(place.problems).toMatchObject([{ code: 'ERR_CLUSTER_CLOCK' }]);
    expect(a.cluster.role.role).toBe('writer');
    await a.log.append(many(3));
    await log.caughtUp();
    expect(await contentOf(log)).toEqual(await contentOf(a.log));
  });
});
