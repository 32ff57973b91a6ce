import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Front } from '@ldes-live/bench/fronts';
import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer, type PushOptions } from '@ldes-live/server';
import { freePort, valueDraft } from '../../support/published-log.ts';
import { isOpen, type Way } from './ways.ts';

/** A publisher whose log and schedule a test controls, and ways to it. */
export interface CachedWorld {
  /** What its IRIs begin with. */
  readonly publicUrl: string;
  readonly log: StreamLog;
  /** URL of a path of the stream (`/latest`) on a way. */
  on(way: Way, path?: string): string;
  /**
   * Waits for the instant at which an update was said to come, gives two entities new values in one commit, and then
   * says that the next one comes after so many milliseconds; undefined: at any moment. None comes before its time.
   */
  update(intervalMs?: number): Promise<void>;
  /** Requests that reached the publisher for a path of the stream so far, straight ones too. */
  arrived(path: string): number;
  /** Ends the publisher, and begins it anew over the same log where it has ended. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

interface Started {
  readonly request: IncomingMessage;
}

/**
 * @param publicBy - the way that the publisher's IRIs lead on; straight when absent
 * @param pushOptions - how push behaves, and its limits
 */
export async function cachedWorld(
  ways: readonly Way[],
  publicBy?: Way,
  pushOptions: PushOptions = {},
): Promise<CachedWorld> {
  const port = await freePort();
  // Readers that are cut come back soon.
  const push = { retryMs: 100, ...pushOptions };
  const origin = new URL(`http://127.0.0.1:${port}/`);
  const frontPort = await freePort();
  const publicUrl = publicBy?.program ? `http://127.0.0.1:${frontPort}/` : origin.href;
  const description = describeStream({ publicUrl, name: 'vehicles' });
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  let statedMs: number | undefined;
  const schedule = (): Schedule =>
    statedMs === undefined ? { kind: 'unknown' } : { kind: 'interval', intervalMs: 2500, nextMs: statedMs };
  const arrivals = new Map<string, number>();
  const count = (message: unknown) => {
    const { request } = message as Started;
    if (request.socket.localPort !== port || request.url === undefined) return;
    arrivals.set(request.url, (arrivals.get(request.url) ?? 0) + 1);
  };
  subscribe('http.server.request.start', count);
  let server: LiveServer | undefined;
  let commits = 0;
  const fronts = new Map<Way, Pick<Front, 'url' | 'close'>>();
  const world: CachedWorld = {
    publicUrl,
    log,
    on: (way, path = '') => `${fronts.get(way)?.url}vehicles${path}`,
    update: async (intervalMs) => {
      // A timer may be early by a part of a millisecond, an update never.
      while (statedMs !== undefined && Date.now() <= statedMs) await delay(statedMs - Date.now() + 1);
      commits += 1;
      await log.append([valueDraft(publicUrl, 1, commits), valueDraft(publicUrl, 2, commits)]);
      statedMs = intervalMs === undefined ? undefined : Date.now() + intervalMs;
    },
    arrived: (path) => arrivals.get(`/vehicles${path}`) ?? 0,
    stop: async () => {
      await server?.close();
      server = undefined;
    },
    start: async () => {
      if (server) return;
      server = await createLiveServer({
        publicUrl,
        streams: [{ description, log, schedule, sources: () => [] }],
        push,
      });
      await server.listen({ host: '127.0.0.1', port });
    },
    close: async () => {
      unsubscribe('http.server.request.start', count);
      for (const front of fronts.values()) await front.close();
      await world.stop();
      await log.close();
    },
  };
  await world.start();
  for (const way of ways.filter(isOpen)) {
    fronts.set(way, await way.open(origin, way === publicBy ? frontPort : undefined));
  }
  return world;
}
