import { type Change, createLiveClient, type Follower, type LiveStatus } from '@ldes-live/client';
import { parseCursor } from '@ldes-live/rdf-stream';
import { vi } from 'vitest';
import type { ScaledTime } from '../../support/scaled-time.ts';
import type { TroubleWorld } from './trouble-world.ts';

/** A look at the client, and how late the oldest change was by then that was published and not delivered. */
interface TroubleSample extends LiveStatus {
  readonly lateMs: number;
}

/** What a client has of its surroundings, as far as a test makes them. */
export interface TroubleEnvironment {
  isOnline(): boolean;
  onOnline(listener: () => void): () => void;
  pushSlot(url: string): Promise<(() => void) | undefined>;
}

/** A client that follows a stream in trouble, in the background; where it throws it is asked again, a second later. */
export interface TroubleReader {
  readonly follower: Follower;
  readonly changes: readonly Change[];
  readonly thrown: readonly unknown[];
  readonly samples: readonly TroubleSample[];
  /** Waits until it stands at the head of the log. */
  arrive(): Promise<void>;
  /** Waits until something holds of it. */
  sees(what: (reader: TroubleReader) => boolean): Promise<void>;
  close(): Promise<void>;
}

const LOOK_WALL_MS = 10;

/** @param options.time - of the client; the world's is that by which changes are late */
export function troubleReader(options: {
  readonly world: TroubleWorld;
  readonly worldTime: ScaledTime;
  readonly time: ScaledTime;
  readonly mal: number;
  readonly environment?: TroubleEnvironment;
}): TroubleReader {
  const { world, worldTime, time, mal, environment } = options;
  const stop = new AbortController();
  const changes: Change[] = [];
  const thrown: unknown[] = [];
  const samples: TroubleSample[] = [];
  const client = createLiveClient({
    mal,
    clock: time.clock,
    sleep: time.sleep,
    // Of scaled time: a machine that is busy for a moment is no silent server.
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
  const looking = setInterval(() => {
    samples.push({ ...follower.status, lateMs: lateness(world, worldTime.clock(), follower.state.cursor) });
  }, LOOK_WALL_MS);
  const reader: TroubleReader = {
    follower,
    changes,
    thrown,
    samples,
    arrive: () => reader.sees(() => follower.state.cursor === world.head),
    sees: (what) =>
      vi
        .waitUntil(() => what(reader), { timeout: 25_000, interval: 5 })
        .then(
          () => {},
          (error) => {
            const { state, reason } = follower.status;
            throw new Error(`${error.message}: ${state}, ${reason}, at ${follower.state.cursor} of ${world.head}`);
          },
        ),
    close: async () => {
      clearInterval(looking);
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
