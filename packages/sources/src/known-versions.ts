import type { LatestView } from '@ldes-live/rdf-stream';
import type { FeedRecord } from './judge-snapshot.ts';
import type { Snapshot } from './source.ts';

/**
 * Which versions with IRIs of their own a snapshot need not bring: those that the log holds, and those that the
 * snapshot taken last brought. Without the latter, a feed that lists more than retention keeps would have what was
 * erased published anew with every poll.
 *
 * @see specs/sources.md SRC-14
 */
export async function knownVersions(
  { entities }: Snapshot,
  { versions }: FeedRecord,
  latest: LatestView,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  const unknown = new Set<string>();
  for (const { id } of entities) if (id !== undefined) (versions?.has(id) ? known : unknown).add(id);
  if (unknown.size > 0) for (const id of await latest.hasVersions([...unknown])) known.add(id);
  return known;
}
