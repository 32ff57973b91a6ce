import { createLiveClient, type MemberChange } from '@ldes-live/client';
import type { JobLink, LinkEdge } from './job-link.ts';
import { COMPLETE } from './job-state.ts';
import { jobIdOf, postJob } from './post-job.ts';

/**
 * Follows the stream of all jobs by our client, which has no way to ask for some entities only: the user passes by the jobs of
 * others. Resolves when it has caught up, so that nothing is missed.
 */
export async function openLiveLink(edge: LinkEdge<'live'>): Promise<JobLink> {
  const ending = new AbortController();
  const { way, target, random, onComplete } = edge;
  const client = createLiveClient({ mal: way.malSeconds, fetch: edge.fetch, random });
  const follower = client.follow(target.streamUrl as string, { from: 'now', signal: ending.signal });
  const caughtUp = new Promise<void>((resolve) => follower.on('caught-up', () => resolve()));
  const reading = (async () => {
    for await (const change of follower) {
      if (change.kind === 'upsert' && isComplete(change)) onComplete(jobIdOf(change.member.entity));
    }
  })();
  const failed = reading.catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  await Promise.race([caughtUp, failed]);
  // What fails later shows as jobs that are lost.
  failed.catch(() => undefined);
  return {
    make: async () => jobIdOf(await postJob(edge)),
    leave: () => {},
    status: () => {
      const { mode, malMisses, gaps } = follower.status;
      return { mode, malMisses, gaps };
    },
    close: () => ending.abort(),
  };
}

function isComplete({ member }: MemberChange): boolean {
  return member.quads.some(({ predicate, object }) => predicate.value === COMPLETE && object.value === 'true');
}
