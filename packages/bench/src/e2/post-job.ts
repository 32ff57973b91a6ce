import type { LinkEdge } from './job-link.ts';

/** Makes a job by a request; resolves to how the answer names it. */
export async function postJob({ fetch, target, user }: Pick<LinkEdge, 'fetch' | 'target' | 'user'>): Promise<string> {
  const response = await fetch(`${target.jobUrl}?user=${user}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${target.jobUrl} answered ${response.status}`);
  return ((await response.json()) as { readonly id: string }).id;
}

/** The id of a job by the IRI of its entity. */
export function jobIdOf(entity: string): string {
  return entity.slice(entity.lastIndexOf('/') + 1);
}
