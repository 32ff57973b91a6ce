import type { Commit, Draft, LatestEntry, LatestView } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';

/** What a commit changes of the latest state. */
export interface LatestChange {
  /** Entries that hold no longer: replaced by a newer version, or of an entity that ended. */
  readonly ended: readonly LatestEntry[];
  /** Entries that hold from now on, by sequence. */
  readonly begun: readonly LatestEntry[];
}

/**
 * What a commit changes of the latest state. Pure: the view stays as it is.
 *
 * @param commit - made of `drafts`, in their order
 * @throws {@link StreamError} `ERR_ENTITY_UNKNOWN` - a draft without an `id` deletes an entity that does not live
 */
export function latestChange(
  latest: Pick<LatestView, 'get'>,
  commit: Commit,
  drafts: readonly Draft[],
  stream: string,
): LatestChange {
  const ended: LatestEntry[] = [];
  const begun: LatestEntry[] = [];
  for (const [index, draft] of drafts.entries()) {
    const { entity, origin } = draft;
    const old = latest.get(entity);
    if (old) ended.push(old);
    else if (draft.kind === 'delete' && draft.id === undefined) throw errors.ERR_ENTITY_UNKNOWN({ stream, entity });
    if (draft.kind === 'upsert') {
      const entry = { entity, origin, sequence: commit.members[index]!.sequence, fingerprint: draft.fingerprint };
      begun.push(draft.versionTime === undefined ? entry : { ...entry, versionTime: draft.versionTime });
    }
  }
  return { ended, begun };
}
