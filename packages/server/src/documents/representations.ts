import type { DiskCache } from '@ldes-live/log';
import { errors } from '../errors.ts';
import { KeptDocument } from './kept-document.ts';
import { KeptDocuments } from './kept-documents.ts';
import { type Making, makeRepresentation } from './make-representation.ts';
import type { Representation } from './representation.ts';
import type { DocumentState, StreamDocument } from './stream-document.ts';
import { type Variant, variantOf } from './variant.ts';

/** What {@link Representations} takes. */
export interface RepresentationsOptions {
  readonly prefixes: Readonly<Record<string, string>>;
  /** How much to keep, bytes: the last document is kept however large it is. */
  readonly limitKeptBytes: number;
  /** How many may be made at a time. */
  readonly limitPendingBuilds: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Makes the bytes of documents, once for each state, format and encoding whatever the number of requests, and keeps
 * those of the documents that were asked for last, as many as the limit has room for. Of each document it keeps one
 * state.
 *
 * @see specs/documents.md DOC-10
 */
export class Representations {
  readonly #options: RepresentationsOptions;
  readonly #kept: KeptDocuments;
  #pending = 0;

  constructor(options: RepresentationsOptions) {
    this.#options = options;
    this.#kept = new KeptDocuments(options.limitKeptBytes);
  }

  /** What is there already of a document in its present state. */
  ready(url: string, state: DocumentState, variant: Variant): Representation | undefined {
    const kept = this.#kept.get(url);
    if (kept === undefined || kept.version !== state.version) return undefined;
    this.#kept.use(kept);
    return kept.entries[variant.index]?.ready;
  }

  /**
   * The document as it stands when this is called; concurrent calls share the work.
   *
   * @param diskCache - where bytes of sealed documents are kept for good
   * @throws {@link StreamError} `ERR_OVERLOADED` - it is not there, and as many as may be are being made
   */
  async get(document: StreamDocument, variant: Variant, diskCache?: DiskCache): Promise<Representation> {
    const state = document.state();
    const kept = this.#keptOf(document.url, state);
    const made = kept.entries[variant.index]?.made;
    if (made) return made;
    const { limitPendingBuilds, random } = this.#options;
    if (this.#pending >= limitPendingBuilds) {
      // Each is told a time of its own, so that they do not come back together.
      const retryAfterSeconds = 1 + Math.floor(random() * LONGEST_RETRY_SECONDS);
      throw errors.ERR_OVERLOADED({ limitPendingBuilds, retryAfterSeconds });
    }
    this.#pending += 1;
    try {
      return await this.#entry(kept, { document, state, variant, diskCache });
    } finally {
      this.#pending -= 1;
    }
  }

  /** Begins to make a variant, in the tick of the call, unless it is there or begun. */
  #entry(kept: KeptDocument, asked: Asked): Promise<Representation> {
    const { index, format } = asked.variant;
    const begun = kept.entries[index];
    if (begun) return begun.made;
    const making: Making = {
      ...asked,
      prefixes: this.#options.prefixes,
      identity: () => this.#entry(kept, { ...asked, variant: variantOf(format, 'identity') }),
    };
    const entry: { made: Promise<Representation>; ready?: Representation } = { made: makeRepresentation(making) };
    kept.entries[index] = entry;
    entry.made.then(
      (made) => {
        entry.ready = made;
        this.#kept.grow(kept, made.bytes.length + KEPT_REPRESENTATION_BYTES);
      },
      () => {
        // A failure is not kept: the next request tries again.
        kept.entries[index] = undefined;
      },
    );
    return entry.made;
  }

  #keptOf(url: string, state: DocumentState): KeptDocument {
    const before = this.#kept.get(url);
    if (before?.version === state.version) {
      this.#kept.use(before);
      return before;
    }
    const kept = new KeptDocument(url, state);
    this.#kept.add(kept, KEPT_DOCUMENT_BYTES);
    return kept;
  }
}

type Asked = Pick<Making, 'document' | 'state' | 'variant' | 'diskCache'>;

const LONGEST_RETRY_SECONDS = 5;

/** What a representation counts beside its bytes: itself, and the header fields that were written for it. */
export const KEPT_REPRESENTATION_BYTES = 3072;

/** What a kept document counts beside its representations. */
export const KEPT_DOCUMENT_BYTES = 1024;
