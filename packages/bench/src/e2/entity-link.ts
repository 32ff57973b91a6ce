import type { JobLink, LinkEdge } from './job-link.ts';
import { COMPLETE } from './job-state.ts';
import { jobIdOf, postJob } from './post-job.ts';

/** Opens a stream of events for each job, which has the newest state of its entity and then what comes of it. */
export async function openEntityLink(edge: LinkEdge<'entity'>): Promise<JobLink> {
  const open = new Map<string, AbortController>();
  const leave = (id: string) => {
    open.get(id)?.abort();
    open.delete(id);
  };
  return {
    make: async () => {
      const entity = await postJob(edge);
      const id = jobIdOf(entity);
      const ending = new AbortController();
      open.set(id, ending);
      // Whoever leaves it aborts it; else the job counts as lost.
      readEvents(edge, entity, ending.signal).catch(() => undefined);
      return id;
    },
    leave,
    close: () => {
      for (const id of [...open.keys()]) leave(id);
    },
  };
}

async function readEvents(edge: LinkEdge<'entity'>, entity: string, signal: AbortSignal): Promise<void> {
  const url = `${edge.target.streamUrl}/events?from=latest&entity=${encodeURIComponent(entity)}`;
  const { body } = await edge.fetch(url, { headers: { accept: 'text/event-stream' }, signal });
  let rest = '';
  for await (const text of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() as string;
    for (const id of blocks.flatMap(completedBy)) edge.onComplete(id);
  }
}

interface UpdateEvent {
  readonly 'tree:member'?: readonly Readonly<Record<string, unknown>>[];
}

/** Ids of the jobs that a block of an event stream says to be complete. */
export function completedBy(block: string): readonly string[] {
  const lines = block.split('\n');
  if (!lines.includes('event: update')) return [];
  const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? '{}';
  const members = (JSON.parse(data) as UpdateEvent)['tree:member'] ?? [];
  return members
    .filter((member) => member[COMPLETE] === true)
    .map((member) => jobIdOf(String(member['dct:isVersionOf'])));
}
