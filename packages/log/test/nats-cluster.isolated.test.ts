/* Nodes of one cluster, over real NATS servers: who writes, who follows, and what becomes of what is lost on the way. */

import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { hasNats, natsWay, startNats } from '@ldes-live/test-support/nats';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { connect as connectNats, headers } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { cluster, contentOf, many, servers } from './nats-world.ts';
import { plain, upsert, vehicles } from './suite-place.ts';
import { fill, pagesOf } from './suite-removal.ts';

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

  test('a node that does not write appends nothing, and says so', async () => {
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

  test('a node that was away takes what it lacks, by entries', async () => {
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

  test('where entries are gone a node begins with a snapshot, be it new or away for too long', async () => {
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

  test('a node begins although the entries that it reads are dropped meanwhile', async () => {
    const { node } = await cluster();
    const a = await node('a', { snapshotEntries: 3 });
    let isOver = false;
    const publish = async () => {
      for (let state = 0; !isOver; state += 1) {
        await a.log.append([upsert('a', state)]);
        await delay(15);
      }
    };
    const publishing = publish();
    for (let nth = 0; nth < 6; nth += 1) {
      const late = await node(`late-${nth}`);
      expect(late.log.head.cursor.sequence).toBeGreaterThan(0);
      await late.close();
    }
    isOver = true;
    await publishing;
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
    const copy = join(await temporaryFolder(), 'copy');
    await cp(path, copy, { recursive: true });
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
    // A copy that went on by itself is another history.
    const other = await openLmdbStore({ path: copy, clock: Date.now, random: Math.random });
    await (await other.open(vehicles)).append([upsert('by-itself')]);
    await other.close();
    await expect(node('c', { path: copy })).rejects.toMatchObject({ code: 'ERR_CLUSTER_EPOCH' });
  });

  test('a snapshot of another life of the log is nobody\u2019s, and a log that closes ends one that is being made', async () => {
    const { node, stream } = await cluster();
    const a = await node('a', { snapshotEntries: 8 });
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    const objects = await new Objm(jetstream(connection)).open(`${stream}-snapshots`);
    const metadata = { epoch: 'another', position: '100000' };
    await objects.putBlob({ name: 'vehicles', metadata }, new Uint8Array(10));
    for (let state = 0; state < 10; state += 1) await a.log.append([upsert('a', state)]);
    await eventually(async () =>
      expect((await objects.info('vehicles'))?.metadata?.epoch).toBe(a.log.head.cursor.epoch),
    );
    expect((await manager.streams.info(stream)).state.messages).toBeGreaterThan(9);
    const b = await node('b');
    expect(await contentOf(b.log)).toEqual(await contentOf(a.log));
    for (let state = 0; state < 7; state += 1) await a.log.append(many(200, state));
    await a.log.append([upsert('last')]);
    await a.close();
    expect(b.cluster.problems).toEqual([]);
  });

  test('a node that cannot read the log leaves the place of the one that writes to others', async () => {
    const { node, stream } = await cluster();
    const a = await node('a');
    const b = await node('b');
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const fields = headers();
    fields.set('Ldes-Epoch', a.log.head.cursor.epoch);
    fields.set('Ldes-Version', '2');
    const expect2 = {
      lastSubjectSequence: (await (await jetstreamManager(connection)).streams.info(stream)).state.last_seq,
    };
    await jetstream(connection).publish(`${stream}.log.vehicles`, 'x', {
      headers: fields,
      msgID: 'vehicles/z',
      expect: expect2,
    });
    await eventually(() => expect(b.cluster.problems).toMatchObject([{ code: 'ERR_CLUSTER_VERSION' }]));
    await a.close();
    await delay(2000);
    expect(b.cluster.role.role).toBe('cut-off');
    const lease = await new Kvm(connection).open(`${stream}-lease`);
    expect((await lease.get('writer'))?.operation).not.toBe('PUT');
  });

  test('CLU-23 what is no status, and what no log can have, changes nothing', async () => {
    const { node, stream } = await cluster();
    const a = await node('a');
    const b = await node('b');
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    for (const text of ['{}', 'null', '{"node":1,"url":"","revision":9e15,"logs":{}}', 'no JSON']) {
      connection.publish(`${stream}.status`, text);
      connection.publish(`${stream}.tail.vehicles`, text);
    }
    connection.publish(`${stream}.tail.vehicles`, '{"position":1000000000000000,"sequence":1,"completeToMs":1}');
    await connection.flush();
    await delay(4000);
    await a.log.append(many(3));
    await b.log.caughtUp();
    expect(b.cluster.role.role).toBe('follower');
    expect(b.log.head).toEqual(a.log.head);
  });

  test('a store closes while a log of it is being opened and NATS is silent', async () => {
    const { node } = await cluster();
    const toNats = await natsWay(servers.ports[0]!);
    const { store } = await node('a', { servers: toNats.urls });
    toNats.held.up = true;
    const opening = store.open({ ...vehicles, name: 'other' }).catch(({ code }) => code);
    await delay(5);
    await Promise.race([store.close(), delay(12_000).then(() => Promise.reject(new Error('it did not close')))]);
    expect(await opening).toBe('ERR_STORE_CLOSED');
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

  test('a node that is cut off says since when, appends nothing that others do not have, and comes back', async () => {
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
