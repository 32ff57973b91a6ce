import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogStore, openLmdbStore, type StreamLog } from '@ldes-live/log';
import { type Draft, describeStream, formatCursor, literal, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer } from '@ldes-live/server';
import type { ScaledTime } from '../../support/scaled-time.ts';
import type { FaultChannel } from './fault-channel.ts';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts';

/** A member, and the life of the log that it is of. */
interface PublishedMember {
  readonly epoch: string;
  readonly member: Member;
}

/** A stream in an LMDB folder, published by a real server behind a proxy: it can go, come back, and be another. */
export interface TroubleWorld {
  readonly url: string;
  readonly proxy: FaultyProxy;
  readonly channel: FaultChannel;
  /** All that was published so far, in all lives of the log. */
  readonly published: readonly PublishedMember[];
  /** The head of the log as a cursor. */
  readonly head: string;
  /** Publishes new versions of numbered entities; a negative number is the end of one. */
  publish(...entities: readonly number[]): Promise<void>;
  /** The living entities and the sequence numbers of their newest versions. */
  state(): Promise<ReadonlyMap<string, number>>;
  /** Stops the server, its log with it. */
  stop(): Promise<void>;
  /** Starts a server, at another port: over the same log, over a new one, or without the stream. */
  start(what?: 'same' | 'rebuilt' | 'without'): Promise<void>;
  /** Goes on at another port, with no moment in which there is none. */
  move(): Promise<void>;
  close(): Promise<void>;
}

const NAME = 's';

export async function troubleWorld(time: ScaledTime, scale: number): Promise<TroubleWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-trouble-'));
  const proxy = await faultyProxy(time);
  const description = describeStream({ publicUrl: proxy.url, name: NAME });
  const published: PublishedMember[] = [];
  let lives = 1;
  let versions = 0;
  let store: LogStore | undefined;
  let log: StreamLog | undefined;
  let server: LiveServer | undefined;

  const serve = async (withStream: boolean) => {
    const { clock } = time;
    const other = describeStream({ publicUrl: proxy.url, name: 'other' });
    const shown = withStream ? description : other;
    const made = await createLiveServer({
      publicUrl: proxy.url,
      streams: [
        {
          description: shown,
          log: log as StreamLog,
          schedule: () => ({ kind: 'unknown' }),
          sources: () => [],
        },
      ],
      clock,
      push: { heartbeatMs: 15_000 / scale, shutdownGraceMs: 0 },
    });
    proxy.port = await made.listen({ host: '127.0.0.1', port: 0 });
    return made;
  };
  const world: TroubleWorld = {
    url: description.url,
    proxy,
    channel: proxy.plan(NAME, { documents: [], events: [] }),
    published,
    get head() {
      return formatCursor((log as StreamLog).head.cursor);
    },
    publish: async (...entities) => {
      const { cursor, members } = await (log as StreamLog).append(
        entities.map((entity) => draftOf(entity, ++versions)),
      );
      published.push(...members.map((member) => ({ epoch: cursor.epoch, member })));
    },
    state: async () => {
      const members = await (log as StreamLog).latestMembers();
      return new Map(members.map(({ entity, sequence }) => [entity, sequence]));
    },
    stop: async () => {
      await server?.close();
      await store?.close();
      server = undefined;
      store = undefined;
    },
    start: async (what = 'same') => {
      if (what === 'rebuilt') lives += 1;
      store = await openLmdbStore({ path: join(folder, String(lives)), clock: time.clock, random: Math.random });
      log = await store.open(description);
      server = await serve(what !== 'without');
    },
    move: async () => {
      const before = server;
      server = await serve(true);
      proxy.sever();
      await before?.close();
    },
    close: async () => {
      await world.stop();
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  const draftOf = (number: number, version: number): Draft => {
    const entity = `${description.url}/entities/${Math.abs(number)}`;
    if (number < 0) return { kind: 'delete', entity, origin: 'test' };
    const said = quad(namedNode(entity), namedNode('http://example.org/version'), literal(String(version)));
    return { kind: 'upsert', entity, origin: 'test', fingerprint: String(version), quads: [said] };
  };
  await world.start();
  return world;
}
