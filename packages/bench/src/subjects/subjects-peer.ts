import { setImmediate } from 'node:timers/promises';
import { createMemoryStore, openLmdbStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer, hashToken } from '@ldes-live/server';
import { REPLIES, REQUESTS, TOKEN, updateDraft } from '../e4/messages.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Peer, SubjectsPeerOptions } from './peer.ts';
import { PUBLIC_URL } from './sized-commits.ts';

/** How late an update is when others are to have their turn between it and the next. */
const BEHIND_MICROS = 2000;

/**
 * The framework's server with a stream of requests and one of replies, both of which take posts. What is published is an
 * update for one user at random, on the stream of replies.
 */
export async function startSubjectsPeer({ users, seed, folder }: SubjectsPeerOptions): Promise<Peer> {
  const edge = { clock: Date.now, random: Math.random };
  const store = folder === undefined ? createMemoryStore(edge) : await openLmdbStore({ path: folder, ...edge });
  const open = async (name: string) => {
    const description = describeStream({ publicUrl: PUBLIC_URL, name });
    const ingest = { tokenHashes: [hashToken(TOKEN)] };
    const schedule = () => ({ kind: 'unknown' }) as const;
    return { description, log: await store.open(description), schedule, ingest };
  };
  const replies = await open(REPLIES);
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [await open(REQUESTS), replies] });
  const random = seededRandom(seed);
  return {
    port: await server.listen({ host: '127.0.0.1', port: 0 }),
    path: `/${REPLIES}/events`,
    publish: async (stampMicros) => {
      await replies.log.append([updateDraft(Math.floor(random() * users), stampMicros)]);
      // The schedule does not pause any more: nothing would be sent before all is published.
      if (monotonicMicros() - stampMicros > BEHIND_MICROS) await setImmediate();
    },
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}
