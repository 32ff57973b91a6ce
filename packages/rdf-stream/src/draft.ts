import type { Quad } from '@rdfjs/types';

/**
 * What a source wants published of one entity, before the log gives it its place and time.
 */
export type Draft = UpsertDraft | DeleteDraft;

interface DraftBase {
  /** IRI of the entity. */
  readonly entity: string;
  /** Which feed of the stream it came from; absence is judged within one origin. */
  readonly origin: string;
  /**
   * IRI of this version, where the source has one of its own, such as that of an observation. A log holds it once.
   * @defaultValue made of the entity's IRI and the publication time
   */
  readonly id?: string;
}

/** A new state of an entity. */
export interface UpsertDraft extends DraftBase {
  readonly kind: 'upsert';
  /** The state, said of the entity's IRI itself, or of `id` where there is one; blank nodes for what is nested. */
  readonly quads: readonly Quad[];
  /** Equal for equal content: a source compares it to tell whether anything changed. */
  readonly fingerprint: string;
  /** The source's own time of this state, as xsd:dateTime; said in the quads too. */
  readonly versionTime?: string;
}

/** The end of an entity. */
export interface DeleteDraft extends DraftBase {
  readonly kind: 'delete';
}
