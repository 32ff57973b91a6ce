import type { JobLink, LinkEdge } from './job-link.ts';

/** Opens the link of a user by his way; resolves when he can make jobs. */
export async function openLink(edge: LinkEdge): Promise<JobLink> {
  const { kind } = edge.way;
  // Each process loads what it measures, and nothing else.
  if (kind === 'polling') return (await import('./polling-link.ts')).openPollingLink(edge as LinkEdge<typeof kind>);
  if (kind === 'websocket')
    return (await import('./websocket-link.ts')).openWebSocketLink(edge as LinkEdge<typeof kind>);
  if (kind === 'live') return (await import('./live-link.ts')).openLiveLink(edge as LinkEdge<typeof kind>);
  return (await import('./entity-link.ts')).openEntityLink(edge as LinkEdge<typeof kind>);
}
