/* A stream whose server goes, comes back and becomes another one, and a client that follows it, in virtual time.
 *
 * The log outlives its server, as a folder does. Each look at the client keeps how late it truly was.
 */
import {
  type Change,
  createLiveClient,
  type Follower,
  type LiveClientOptions,
  type LiveStatus,
} from '@ldes-live/client';
import { createMemoryStore, type Log } from '@ldes-live/log';
import { type Draft, describeStream, formatCursor, type Member, parseCursor } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer } from '@ldes-live/server';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { valueDraft } from '../../support/published-log.ts';
import { type FaultChannel, type FaultyProxy, faultyProxy } from './proxy.ts';

/** A member, and the life of the log that it is of. */
interface PublishedMember {
  readonly epoch: string;
  readonly member: Member;
}

/** A stream published by a real server behind a proxy: it can go, come back, and be another. */
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
  /** Stops the server. */
  stop(): Promise<void>;
  /** Starts a server, at another port: over the same log, over a new one, or without the stream. */
  start(what?: 'same' | 'rebuilt' | 'without'): Promise<void>;
  /** Goes on at another port, with no moment in which there is none. */
  move(): Promise<void>;
  close(): Promise<void>;
}

const NAME = 's';

export async function troubleWorld(time: VirtualTime): Promise<TroubleWorld> {
  const proxy = await faultyProxy(time);
  const description = describeStream({ publicUrl: proxy.url, name: NAME });
  const published: PublishedMember[] = [];
  let versions = 0;
  const newLog = () => createMemoryStore({ clock: time.clock, random: Math.random }).open(description);
  let log: Log = await newLog();
  let server: LiveServer | undefined;

  const serve = async (withStream: boolean) => {
    const other = describeStream({ publicUrl: proxy.url, name: 'other' });
    const shown = withStream ? description : other;
    const made = await createLiveServer({
      publicUrl: proxy.url,
      streams: [{ description: shown, log, schedule: () => ({ kind: 'unknown' }) }],
      clock: time.clock,
      push: { shutdownGraceMs: 0 },
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
      return formatCursor(log.head.cursor);
    },
    publish: async (...entities) => {
      const { cursor, members } = await log.append(entities.map((entity) => draftOf(entity, ++versions)));
      published.push(...members.map((member) => ({ epoch: cursor.epoch, member })));
    },
    state: async () => {
      const members = await log.readLatest();
      return new Map(members.map(({ entity, sequence }) => [entity, sequence]));
    },
    stop: async () => {
      await server?.close();
      server = undefined;
    },
    start: async (what = 'same') => {
      if (what === 'rebuilt') log = await newLog();
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
    },
  };
  const draftOf = (number: number, version: number): Draft => {
    const draft = valueDraft(description.url, Math.abs(number), version);
    return number > 0 ? draft : { kind: 'delete', entity: draft.entity, origin: 'test' };
  };
  await world.start();
  return world;
}

/** A look at the client, and how late the oldest change was by then that was published and not delivered. */
interface TroubleSample extends LiveStatus {
  readonly lateMs: number;
}

/** A client that follows a stream in trouble, in the background; where it throws it is asked again, a second later. */
export interface TroubleReader {
  readonly follower: Follower;
  readonly status: LiveStatus;
  readonly changes: readonly Change[];
  readonly thrown: readonly unknown[];
  readonly samples: readonly TroubleSample[];
  /** Waits until it stands at the head of the log. */
  arrive(): Promise<void>;
  /** Waits until something holds of it. */
  sees(what: (reader: TroubleReader) => boolean): Promise<void>;
  close(): Promise<void>;
}

const LOOK_MS = 500;
/** How long something may take that is waited for. */
const LIMIT_MS = 1_500_000;

/** @param options.clockOffMs - how far the client's clock is off the world's, milliseconds */
export function troubleReader(options: {
  readonly world: TroubleWorld;
  readonly time: VirtualTime;
  readonly clockOffMs?: () => number;
  readonly mal: number;
  readonly environment?: Required<LiveClientOptions>['environment'];
}): TroubleReader {
  const { world, time, clockOffMs = () => 0, mal, environment } = options;
  const stop = new AbortController();
  const changes: Change[] = [];
  const thrown: unknown[] = [];
  const samples: TroubleSample[] = [];
  const client = createLiveClient({
    mal,
    clock: () => time.clock() + clockOffMs(),
    sleep: time.sleep,
    limits: { openMs: 15_000 },
    ...(environment && { environment }),
  });
  const follower = client.follow(world.url, { from: 'start', signal: stop.signal });
  const read = async () => {
    while (!stop.signal.aborted) {
      try {
        for await (const change of follower) changes.push(change);
      } catch (error) {
        if (stop.signal.aborted) return;
        thrown.push(error);
        await time.sleep(1000, stop.signal).catch(() => {});
      }
    }
  };
  const reading = read();
  const stopLooking = time.every(LOOK_MS, () => {
    samples.push({ ...follower.status, lateMs: lateness(world, time.clock(), follower.state.cursor) });
  });
  const reader: TroubleReader = {
    follower,
    get status() {
      return follower.status;
    },
    changes,
    thrown,
    samples,
    arrive: () => reader.sees(() => follower.state.cursor === world.head),
    sees: async (what) => {
      const endMs = time.nowMs + LIMIT_MS;
      await time.settled();
      while (!what(reader)) {
        if (time.nowMs > endMs) {
          const { state, reason } = follower.status;
          throw new Error(`not seen: ${state}, ${reason}, at ${follower.state.cursor} of ${world.head}`);
        }
        await time.next();
      }
    },
    close: async () => {
      stopLooking();
      stop.abort();
      await reading;
    },
  };
  return reader;
}

function lateness({ published }: TroubleWorld, nowMs: number, cursor: string | undefined): number {
  const read = cursor === undefined ? undefined : parseCursor(cursor);
  const epoch = published.at(-1)?.epoch;
  const lacking = published.find(
    ({ epoch: of, member }) => of === epoch && (read?.epoch !== epoch || member.sequence > read.sequence),
  );
  return lacking ? nowMs - Date.parse(lacking.member.time) : 0;
}
