import type { KeptDocument } from './kept-document.ts';

/** The part of the limit that documents of families get. @see specs/documents.md DOC-65 */
const FAMILY_SHARE = 1 / 4;

/**
 * The documents that are kept: those that were asked for last, as many as the limit has room for. Those of families are
 * superseded together, and have a part of the limit, so that however many there are they do not take the place of all
 * others.
 */
export class KeptDocuments {
  readonly #limitBytes: number;
  readonly #single = new Group();
  readonly #families = new Group();
  #newest: KeptDocument | undefined;

  /** @param limitBytes - the last document is kept however large it is */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** What is kept of a document, in whatever version. */
  get(url: string): KeptDocument | undefined {
    return this.#single.get(url) ?? this.#families.get(url);
  }

  /** Counts a document that is kept as asked for. */
  use(kept: KeptDocument): void {
    if (kept === this.#newest) return;
    this.#groupOf(kept).use(kept);
    this.#newest = kept;
  }

  /** Keeps a document in place of what was kept of it, and of its family in other versions. */
  add(kept: KeptDocument, bytes: number): void {
    const before = this.get(kept.url);
    if (before) this.#groupOf(before).drop(before);
    if (kept.family !== undefined) this.#families.supersede(kept.family, kept.version);
    this.#groupOf(kept).use(kept);
    this.#newest = kept;
    this.grow(kept, bytes);
  }

  /** Counts further bytes of a document, and drops what there is no room for; nothing if it is not kept any more. */
  grow(kept: KeptDocument, bytes: number): void {
    const group = this.#groupOf(kept);
    if (group.get(kept.url) !== kept) return;
    group.grow(kept, bytes);
    const shareBytes = this.#limitBytes * FAMILY_SHARE;
    this.#families.shrink(shareBytes, this.#newest);
    // One of a family that is larger than all of them may be takes nothing from the others all the same.
    this.#single.shrink(this.#limitBytes - Math.min(this.#families.bytes, shareBytes), this.#newest);
    this.#families.shrink(this.#limitBytes - this.#single.bytes, this.#newest);
  }

  #groupOf({ family }: KeptDocument): Group {
    return family === undefined ? this.#single : this.#families;
  }
}

/** Documents by URL, in the order of use. */
class Group {
  readonly #kept = new Map<string, KeptDocument>();
  bytes = 0;

  get(url: string): KeptDocument | undefined {
    return this.#kept.get(url);
  }

  // Taken out and put back, so that the map's order is that of use.
  use(kept: KeptDocument): void {
    this.#kept.delete(kept.url);
    this.#kept.set(kept.url, kept);
  }

  grow(kept: KeptDocument, bytes: number): void {
    kept.bytes += bytes;
    this.bytes += bytes;
  }

  drop(kept: KeptDocument): void {
    this.#kept.delete(kept.url);
    this.bytes -= kept.bytes;
  }

  supersede(family: string, version: string): void {
    for (const kept of this.#kept.values()) if (kept.family === family && kept.version !== version) this.drop(kept);
  }

  /** Drops what was asked for longest ago, but not one of them. */
  shrink(limitBytes: number, spared: KeptDocument | undefined): void {
    if (this.bytes <= limitBytes) return;
    for (const oldest of this.#kept.values()) {
      if (this.bytes <= limitBytes) return;
      if (oldest !== spared) this.drop(oldest);
    }
  }
}
