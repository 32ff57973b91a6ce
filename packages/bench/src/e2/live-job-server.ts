import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { freePort } from '../free-port.ts';
import { JobBoard } from './job-board.ts';
import type { JobServer } from './job-server.ts';
import { jobState } from './job-state.ts';

/**
 * A service whose jobs are entities of a stream: `POST /job` makes one, and whoever follows the stream learns of it.
 *
 * @param breakEvenSeconds - the MAL below which push is advised; as servers have it when absent
 */
export async function startLiveJobServer(breakEvenSeconds?: number): Promise<JobServer> {
  const board = new JobBoard();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const description = describeStream({ publicUrl, name: 'jobs' });
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const log = await store.open(description);
  const entityOf = (id: string) => `${description.url}/entities/${id}`;
  board.onComplete(({ id }) => void log.append([jobState(entityOf(id), true)]));
  const server = await createLiveServer({
    publicUrl,
    // Nobody can tell when a job will be complete.
    streams: [{ description, log, schedule: () => ({ kind: 'unknown' }) }],
    // Nobody is measured while it closes.
    push: { shutdownGraceMs: 0 },
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    extend: async (app) => {
      app.post<{ readonly Querystring: { readonly user: string } }>('/job', async ({ query }) => {
        const { id } = board.make(Number(query.user));
        await log.append([jobState(entityOf(id), false)]);
        return { id: entityOf(id), complete: false };
      });
    },
  });
  await server.listen({ host: '127.0.0.1', port });
  return {
    board,
    target: { jobUrl: `${publicUrl}job`, streamUrl: description.url },
    close: async () => {
      board.close();
      await server.close();
      await store.close();
    },
  };
}
