/* What is wrong with a cluster, its servers or its machines has a name, and loses nothing. */
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describeStream } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { hasNats, startNats } from '@ldes-live/test-support/nats';
import { reservedPort } from '@ldes-live/test-support/net';
import { DiscardPolicy, type JetStreamPublishOptions, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { connect as connectNats, headers, type MsgHdrs } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { NatsJournal, type NatsJournalOptions } from '../src/nats/journal.ts';
import { type NatsStoreOptions, openNatsStore } from '../src/nats/nats-store.ts';
import { readSnapshot } from '../src/nats/snapshot.ts';
import { cluster, contentOf, many, newName, servers } from './nats-world.ts';
import { vehicles } from './suite-place.ts';

describe.skipIf(!hasNats)('what is wrong with a cluster has a name', () => {
  const options = async (given: Partial<NatsStoreOptions>): Promise<NatsStoreOptions> => ({
    ...{ servers: servers.urls, replicas: 1, stream: newName(), node: 'a', url: 'http://a' },
    ...{ isCandidate: true, path: join(await temporaryFolder(), 'data'), clock: Date.now, random: Math.random },
    ...given,
  });
  const refused = async (given: Partial<NatsStoreOptions>, code: string) =>
    expect(openNatsStore(await options(given))).rejects.toMatchObject({ code });

  test('a server that is not there, and one that refuses', async () => {
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

  test('a server without JetStream', async () => {
    const bare = await startNats({ hasJetStream: false });
    onTestFinished(() => bare.close());
    await refused({ servers: bare.urls }, 'ERR_NATS_JETSTREAM');
  });

  test('a stream that is another, or keeps less than it should', async () => {
    const connection = await connectNats({ servers: [...servers.urls] });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'orders', subjects: ['orders.*'] });
    await refused({ stream: 'orders' }, 'ERR_NATS_STREAM');
    await manager.streams.add({ name: 'brief', subjects: ['brief.log.*'], allow_direct: true, max_age: 1e9 });
    await refused({ stream: 'brief' }, 'ERR_NATS_STREAM');
    await refused({ replicas: 3 }, 'ERR_NATS_REPLICAS');
    await manager.streams.add({ name: 'few', subjects: ['few.log.*'], allow_direct: true, discard: DiscardPolicy.New });
    await refused({ stream: 'few', replicas: 3 }, 'ERR_NATS_STREAM');
  });

  test('a log of another epoch, of another version, and one that a plain store has', async () => {
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

  test('a NATS stream that was emptied under a cluster at work', async () => {
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

  test.each([10023, 10054])(
    'CLU-4 an entry that stands is known to, where its second attempt is refused by %i',
    async (code) => {
      // In a cluster NATS looks at limits before duplicates.
      const sent: { id: string; fields: MsgHdrs }[] = [];
      const publish = async (_: string, __: Uint8Array, { msgID, headers: fields }: JetStreamPublishOptions) => {
        sent.push({ id: msgID as string, fields: fields as MsgHdrs });
        throw sent.length === 1 ? new Error('timeout') : Object.assign(new Error('refused'), { code });
      };
      const getMessage = async () => {
        const header = headers();
        header.set('Nats-Msg-Id', sent[0]!.id);
        return { seq: 7, header };
      };
      const journal = new NatsJournal({
        ...({ client: { publish }, manager: { streams: { getMessage } } } as unknown as NatsJournalOptions),
        ...{ name: 'ldes', stream: 'vehicles', epoch: () => 'e', limitMessageBytes: 1e6, tell: () => {} },
      });
      const entry = { kind: 'unlink', first: 1, last: 250 } as const;
      const place = { id: 'a.1.x.1', afterId: '', epoch: 'e', after: 6 };
      expect(await journal.publish(entry, place, AbortSignal.timeout(5000))).toBe(7);
      expect(sent).toHaveLength(2);
    },
  );

  test.each([
    ['no deflated text', Buffer.from('not deflated')],
    ['no JSON', deflateRawSync('{\n')],
    ['cut short', deflateRawSync('{"version":1,"latest":2}\n')],
  ])('a snapshot that is %s', async (_, bytes) => {
    const get = async () => ({ data: new Blob([bytes]).stream() });
    const reading = readSnapshot({ get } as unknown as ObjectStore, 'vehicles');
    await expect(reading).rejects.toMatchObject({ code: 'ERR_SNAPSHOT_DAMAGED', details: { stream: 'vehicles' } });
  });

  test('a node with another publicUrl', async () => {
    const { node, stream } = await cluster();
    await node('a');
    const store = await openNatsStore(await options({ stream, node: 'b' }));
    onTestFinished(() => store.close());
    const moved = describeStream({ publicUrl: 'https://live.example.org/', name: 'vehicles' });
    await expect(store.open(moved)).rejects.toMatchObject({ code: 'ERR_STREAM_MOVED' });
  });

  test('no room in NATS refuses the append alone, and there may be room again', async () => {
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
