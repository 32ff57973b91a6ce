import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import { type Draft, describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import type { ScaledTime } from '../../support/scaled-time.ts';
import type { FaultChannel, FaultPlan } from './fault-channel.ts';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts';

/** A stream of a real server behind a faulty proxy, for one use. */
export interface FaultStream {
  readonly url: string;
  readonly log: StreamLog;
  /** What the server states of the next update; nothing at first. */
  schedule: Schedule;
  /** Sets what befalls its exchanges. */
  plan(plan: FaultPlan): FaultChannel;
  /** A new state of a numbered entity, or its end. */
  draft(entity: number, kind: 'upsert' | 'delete'): Draft;
}

/** Streams as they are needed. One server has many of them: to make a server takes longer than to follow a stream. */
export interface FaultWorlds {
  next(): Promise<FaultStream>;
  close(): Promise<void>;
}

const STREAMS_PER_SERVER = 25;

/** @param time - of the servers, so that what they promise in seconds comes in milliseconds */
export function faultWorlds(time: ScaledTime, scale: number): FaultWorlds {
  const closes: (() => Promise<void>)[] = [];
  let opening: Promise<FaultStream[]> = Promise.resolve([]);
  return {
    next: async () => {
      // One after the other, so that no two open a server for the same need.
      const taken = opening.then(async (left) => {
        const open = left.length > 0 ? left : await openStreams(time, scale, closes);
        return { stream: open[0] as FaultStream, left: open.slice(1) };
      });
      opening = taken.then(({ left }) => left);
      return (await taken).stream;
    },
    close: async () => {
      await Promise.all(closes.map((close) => close()));
    },
  };
}

async function openStreams(time: ScaledTime, scale: number, closes: (() => Promise<void>)[]): Promise<FaultStream[]> {
  const { clock } = time;
  const proxy = await faultyProxy(time);
  const store = createMemoryStore({ clock, random: Math.random });
  const streams = await Promise.all(
    Array.from({ length: STREAMS_PER_SERVER }, (_, index) => openStream(proxy, store, `s${index}`)),
  );
  const server = await createLiveServer({
    publicUrl: proxy.url,
    streams: streams.map(({ stream, description }) => ({
      description,
      log: stream.log,
      schedule: () => stream.schedule,
      sources: () => [],
    })),
    clock,
    push: { heartbeatMs: 15_000 / scale, shutdownGraceMs: 0 },
  });
  proxy.port = await server.listen({ host: '127.0.0.1', port: 0 });
  closes.push(async () => {
    await proxy.close();
    await server.close();
    await store.close();
  });
  return streams.map(({ stream }) => stream);
}

async function openStream(proxy: FaultyProxy, store: ReturnType<typeof createMemoryStore>, name: string) {
  const description = describeStream({ publicUrl: proxy.url, name });
  const versions = new Map<number, number>();
  const stream: FaultStream = {
    url: description.url,
    log: await store.open(description),
    schedule: { kind: 'unknown' },
    plan: (plan) => proxy.plan(name, plan),
    draft: (number, kind) => {
      const entity = `${description.url}/entities/${number}`;
      if (kind === 'delete') return { kind, entity, origin: 'test' };
      const version = String((versions.get(number) ?? 0) + 1);
      versions.set(number, Number(version));
      const said = quad(namedNode(entity), namedNode('http://example.org/version'), literal(version));
      return { kind, entity, origin: 'test', fingerprint: version, quads: [said] };
    },
  };
  return { stream, description };
}
