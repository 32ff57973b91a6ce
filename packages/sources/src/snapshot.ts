import type { StreamError, UpsertDraft } from '@ldes-live/rdf-stream';

/** What one body of a feed says, as far as any polled source is concerned. */
export interface Snapshot {
  /** What it describes; the last one counts where an entity, or a version with an `id`, is described twice. */
  readonly drafts: readonly UpsertDraft[];
  /** IRIs of the entities that it says have ended. */
  readonly deletedEntities: readonly string[];
  /** IRIs of the entities that it has but that cannot be read: they stay as they are. */
  readonly unreadableEntities: readonly string[];
  /** How many it has that cannot be read, not even whose they are: each may be one that seems absent. */
  readonly unnamedRecords?: number;
  /** Whether it names only what changed, so that absence says nothing. */
  readonly differential: boolean;
  /** What was noticed of the data, by name. */
  readonly findings: Readonly<Record<string, number>>;
  /** What comes to be noticed of the same data as it grows old, besides `findings`; the present in epoch milliseconds. */
  readonly laterFindings?: (nowMs: number) => Readonly<Record<string, number>>;
  /** What could not be read, a few of them, in words for people. */
  readonly problems?: readonly StreamError[];
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerTimeMs?: number;
  /** For how long after its time it holds, milliseconds, if it says so. */
  readonly ttlMs?: number;
}

/** What a body is read by, besides its bytes. */
export interface BodyReading {
  /** Hash of the bytes. */
  readonly bodyHash: string;
  /** The present, epoch milliseconds. */
  readonly nowMs: number;
  /** The body before it that could be read, whether or not it counted. */
  readonly seen?: SeenBody;
}

/** What is remembered of a body that could be read. */
export interface SeenBody {
  /** Hash of its bytes. */
  readonly bodyHash: string;
  /** When it was last seen: brought, or said to be unchanged; epoch milliseconds. */
  readonly seenAtMs: number;
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerTimeMs?: number;
}
