import type { UpsertDraft } from '@ldes-live/rdf-stream';

/** What one body of a feed says, as far as any polled source is concerned. */
export interface Snapshot {
  /** The entities that it describes; the last one counts where an entity is described twice. */
  readonly drafts: readonly UpsertDraft[];
  /** IRIs of the entities that it says have ended. */
  readonly deletedEntities: readonly string[];
  /** IRIs of the entities that it has but that cannot be read: they stay as they are. */
  readonly unreadableEntities: readonly string[];
  /** Whether it names only what changed, so that absence says nothing. */
  readonly differential: boolean;
  /** What was noticed of the data, by name. */
  readonly findings: Readonly<Record<string, number>>;
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerTimeMs?: number;
}
