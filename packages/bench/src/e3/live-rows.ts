import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { freePort } from '../free-port.ts';
import { rowDrafts } from './row-drafts.ts';
import type { RowServer } from './row-server.ts';

const NAME = 'rows';
const MOST_CONNECTIONS = 10_000;

/**
 * The framework's server with a log in memory: a batch is a commit, and a row is a member of it.
 *
 * @param asked - what its consumers ask for: its events, or the stream, which leads a client to them
 */
export async function startLiveRows(asked: 'events' | 'stream'): Promise<RowServer> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const description = describeStream({ publicUrl, name: NAME });
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const log = await store.open(description);
  const server = await createLiveServer({
    publicUrl,
    streams: [{ description, log, schedule: () => ({ kind: 'unknown' }) }],
    push: { shutdownGraceMs: 0, limitConnectionsPerAddress: MOST_CONNECTIONS },
  });
  await server.listen({ host: '127.0.0.1', port });
  return {
    port,
    path: asked === 'events' ? `/${NAME}/events` : `/${NAME}`,
    send: (rows) => log.append(rowDrafts(publicUrl, rows)),
    // What waits is bounded: it gives whoever is behind the newest state instead, which shows as rows that are lost.
    queuedBytes: () => 0,
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}
