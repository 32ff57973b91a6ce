import type { Commit } from './commit.ts';
import type { Cursor } from './cursor.ts';
import type { Draft } from './draft.ts';
import { errors } from './errors.ts';
import { versionDraft } from './version-draft.ts';

/** The end of a log: what the next commit follows. */
export interface LogHead {
  /** The cursor of the last commit; sequence 0 when there is none. */
  readonly cursor: Cursor;
  /** Publication time of the last commit, epoch milliseconds; 0 when there is none. */
  readonly timeMs: number;
}

/**
 * Makes the commit that drafts become at the end of a log. Pure: nothing is stored.
 *
 * Its time is `nowMs`, or one millisecond after the last commit where the clock has not advanced, so
 * that publication times strictly increase from commit to commit and version IRIs are never used twice.
 *
 * @param drafts - at least one, each of another entity
 * @throws {@link StreamError} `ERR_DRAFT_REPEATED` - two drafts of one entity
 * @throws {@link StreamError} `ERR_VERSION_REPEATED` - two drafts of one version
 * @see specs/documents.md DOC-4
 */
export function commitDrafts(drafts: readonly Draft[], head: LogHead, nowMs: number, sequencePath: string): Commit {
  const time = new Date(Math.max(nowMs, head.timeMs + 1)).toISOString();
  const entities = new Set<string>();
  const versions = new Set<string>();
  const members = drafts.map((draft, index) => {
    if (entities.has(draft.entity)) throw errors.ERR_DRAFT_REPEATED({ entity: draft.entity });
    entities.add(draft.entity);
    if (draft.id !== undefined) {
      if (versions.has(draft.id)) throw errors.ERR_VERSION_REPEATED({ version: draft.id });
      versions.add(draft.id);
    }
    return versionDraft(draft, { sequence: head.cursor.sequence + index + 1, time, sequencePath });
  });
  return {
    cursor: { epoch: head.cursor.epoch, sequence: head.cursor.sequence + members.length },
    time,
    members,
  };
}
