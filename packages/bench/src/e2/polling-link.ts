import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import type { Job } from './job-board.ts';
import type { JobLink, LinkEdge } from './job-link.ts';
import { postJob } from './post-job.ts';

/** Asks for each job, at instants that lie one interval apart since it was made, until it is complete. */
export async function openPollingLink(edge: LinkEdge<'polling'>): Promise<JobLink> {
  const asking = new Map<string, AbortController>();
  const leave = (id: string) => {
    asking.get(id)?.abort();
    asking.delete(id);
  };
  return {
    make: async () => {
      const id = await postJob(edge);
      const ending = new AbortController();
      asking.set(id, ending);
      // Whoever leaves it aborts it; else the job counts as lost.
      pollJob(edge, id, ending.signal).catch(() => undefined);
      return id;
    },
    leave,
    close: () => {
      for (const id of [...asking.keys()]) leave(id);
    },
  };
}

async function pollJob(edge: LinkEdge<'polling'>, id: string, signal: AbortSignal): Promise<void> {
  const everyMicros = edge.way.everyMs * 1000;
  const startMicros = monotonicMicros();
  for (let isComplete = false; !isComplete; ) {
    const passed = Math.floor((monotonicMicros() - startMicros) / everyMicros);
    await until(startMicros + (passed + 1) * everyMicros, signal);
    const response = await edge.fetch(`${edge.target.jobUrl}/${id}`, { signal });
    isComplete = ((await response.json()) as Job).complete;
  }
  edge.onComplete(id);
}

async function until(dueMicros: number, signal: AbortSignal): Promise<void> {
  for (let wait = dueMicros - monotonicMicros(); wait > 0; wait = dueMicros - monotonicMicros()) {
    await delay(Math.ceil(wait / 1000), undefined, { signal });
  }
}
