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
  /** Whether the state before it was of another second, so that the date tells the two apart. */
  readonly isDated: boolean;
  readonly bytes: Buffer;
}

interface Entry {
  readonly version: string;
  readonly made: Promise<Representation>;
  /** 0 until it is made. */
  bytes: number;
}

/**
 * Makes the bytes of documents, once for each state and format whatever the number of requests, and keeps
 * those that were asked for last, as many as the limit has room for.
 *
 * @see specs/documents.md DOC-10
 */
export class Representations {
  readonly #prefixes: Readonly<Record<string, string>>;
  readonly #limitKeptBytes: number;
  readonly #kept = new Map<string, Entry>();
  #keptBytes = 0;

  /** @param options.limitKeptBytes - how much to keep, bytes; one document is kept however large it is */
  constructor(options: { prefixes: Readonly<Record<string, string>>; limitKeptBytes: number }) {
    this.#prefixes = options.prefixes;
    this.#limitKeptBytes = options.limitKeptBytes;
  }

  /** The document as it stands when this is called; concurrent calls share the work. */
  get(document: StreamDocument, format: Format): Promise<Representation> {
    const key = `${formats[format].mediaType} ${document.url}`;
    const state = document.state();
    const kept = this.#kept.get(key);
    const isCurrent = kept?.version === state.version;
    // Taken out and put back, so that the map's order is that of use.
    if (kept) this.#drop(key, kept);
    const entry = isCurrent ? kept : this.#make(document, state, format, key, kept?.made);
    this.#kept.set(key, entry);
    this.#keptBytes += entry.bytes;
    return entry.made;
  }

  #make(
    document: StreamDocument,
    state: DocumentState,
    format: Format,
    key: string,
    before: Promise<Representation> | undefined,
  ): Entry {
    const made = document.build().then(async ({ quads, lastModifiedMs }) => {
      const replaced = await before?.catch(() => undefined);
      const second = (ms: number) => Math.floor(ms / 1000);
      const isDated = replaced === undefined || second(replaced.lastModifiedMs) !== second(lastModifiedMs);
      const bytes = Buffer.from(writeQuads(quads, format, this.#prefixes));
      const tag = state.tag ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
      // A strong entity tag is of one representation, so the formats' differ (RFC 9110, section 8.8.3).
      return { state, bytes, lastModifiedMs, isDated, etag: `"${tag}${formats[format].suffix}"` };
    });
    const entry: Entry = { version: state.version, made, bytes: 0 };
    made.then(
      ({ bytes }) => this.#account(key, entry, bytes.length),
      // A failure is not kept: the next request tries again.
      () => this.#drop(key, entry),
    );
    return entry;
  }

  #account(key: string, entry: Entry, bytes: number): void {
    entry.bytes = bytes;
    if (this.#kept.get(key) !== entry) return;
    this.#keptBytes += bytes;
    for (const [oldestKey, oldest] of this.#kept) {
      if (this.#keptBytes <= this.#limitKeptBytes || oldest === entry) return;
      this.#drop(oldestKey, oldest);
    }
  }

  #drop(key: string, entry: Entry): void {
    if (this.#kept.get(key) !== entry) return;
    this.#kept.delete(key);
    this.#keptBytes -= entry.bytes;
  }
}
