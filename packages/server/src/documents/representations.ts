import { createHash } from 'node:crypto';
import { type Format, formats, writeQuads } from '@ldes-live/codec';
import type { DocumentState, StreamDocument } from './stream-document.ts';

/** A document in one format: its bytes, made once for each state. */
export interface Representation {
  /** The state that it shows. */
  readonly state: DocumentState;
  /** Entity tag, quoted. */
  readonly etag: string;
  /** Epoch milliseconds. */
  readonly lastModifiedMs: number;
  readonly bytes: Buffer;
}

interface Entry {
  readonly version: string;
  readonly made: Promise<Representation>;
}

/**
 * Makes the bytes of documents, once for each state and format whatever the number of requests, and keeps
 * the most recently asked for.
 *
 * @see specs/documents.md DOC-10
 */
export class Representations {
  readonly #prefixes: Readonly<Record<string, string>>;
  readonly #limitKept: number;
  readonly #kept = new Map<string, Entry>();

  /** @param options.limitKept - documents in one format to keep, 1 or more */
  constructor(options: { prefixes: Readonly<Record<string, string>>; limitKept: number }) {
    this.#prefixes = options.prefixes;
    this.#limitKept = options.limitKept;
  }

  /** The document as it stands when this is called; concurrent calls share the work. */
  get(document: StreamDocument, format: Format): Promise<Representation> {
    const key = `${formats[format].mediaType} ${document.url}`;
    const state = document.state();
    const kept = this.#kept.get(key);
    // Taken out and put back, so that the map's order is that of use.
    this.#kept.delete(key);
    const entry = kept?.version === state.version ? kept : this.#make(document, state, format, key);
    this.#kept.set(key, entry);
    if (this.#kept.size > this.#limitKept) {
      const oldest = this.#kept.keys().next().value;
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    return entry.made;
  }

  #make(document: StreamDocument, state: DocumentState, format: Format, key: string): Entry {
    const made = document.build().then(({ quads, lastModifiedMs }) => {
      const bytes = Buffer.from(writeQuads(quads, format, this.#prefixes));
      const tag = state.tag ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
      // A strong entity tag is of one representation, so the formats' differ (RFC 9110, section 8.8.3).
      return { state, bytes, lastModifiedMs, etag: `"${tag}${formats[format].suffix}"` };
    });
    const entry = { version: state.version, made };
    // A failure is not kept: the next request tries again.
    made.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry;
  }
}
