import type { Draft } from '@ldes-live/rdf-stream';

/** How large a commit may be. */
export interface BatchLimits {
  readonly limitBatchMembers: number;
  readonly limitBatchCharacters: number;
}

/** Drafts that are to be one commit: each of another entity, and of another version. */
export class DraftBatch {
  readonly #limits: BatchLimits;
  readonly #drafts: Draft[] = [];
  readonly #entities = new Set<string>();
  readonly #versions = new Set<string>();
  #characters = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get drafts(): readonly Draft[] {
    return this.#drafts;
  }

  /** Whether one may be put in: not where another of its entity or version is, or where it makes too much. */
  fits(draft: Draft, characters: number): boolean {
    const { limitBatchMembers, limitBatchCharacters } = this.#limits;
    // One by itself always fits.
    if (this.#drafts.length === 0) return true;
    if (this.#drafts.length >= limitBatchMembers || this.#characters + characters > limitBatchCharacters) return false;
    return !this.#entities.has(draft.entity) && !(draft.id !== undefined && this.#versions.has(draft.id));
  }

  put(draft: Draft, characters: number): void {
    if (draft.id !== undefined) this.#versions.add(draft.id);
    this.#entities.add(draft.entity);
    this.#drafts.push(draft);
    this.#characters += characters;
  }
}
