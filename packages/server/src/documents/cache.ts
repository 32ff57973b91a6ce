/* The bytes of documents: url + version + variant -> { bytes, etag, lastModified }. Made once however many ask; of each
 * document one version is cached, in whatever variants it was asked for.
 *   get('…/latest', 'k3x9a-1043', turtle in gzip)
 *     cached or begun    -> that one
 *     else build         -> quads -> Turtle (once, for all encodings) -> gzip -> etag "k3x9a-1043.ttl.gz"
 *     of a sealed page   -> taken from the disk cache, or built and put there
 * state() of a document and its build() run in one tick, so that the tag and the bytes are of the same head. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type DiskCache, WorkSlice } from '@ldes-live/log';
import {
  documentChunks,
  type Format,
  memberQuads,
  TurtleWriter,
  writeMembers,
  writeQuads,
} from '@ldes-live/rdf-stream';
import { LRUCache } from 'lru-cache';
import { errors } from '../errors.ts';
import type { RepeatedLines } from '../logging.ts';
import {
  type DocumentContent,
  type DocumentState,
  type Encoding,
  type Representation,
  type StreamDocument,
  type Variant,
  variantOf,
} from './document.ts';

export interface DocumentCacheOptions {
  readonly prefixes: Readonly<Record<string, string>>;
  /** How much to keep, bytes: the last document is kept however large it is. */
  readonly limitBytes: number;
  readonly limitPendingBuilds: number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly lines: Pick<RepeatedLines, 'warn'>;
}

const MAX_RETRY_SECONDS = 5;

/** What a representation counts beside its bytes: itself, and the header fields that were written for it. */
export const REPRESENTATION_BYTES = 3072;

export const DOCUMENT_BYTES = 1024;

export class DocumentCache {
  readonly #options: DocumentCacheOptions;
  readonly #memory: DocumentMemory;
  #pending = 0;

  constructor(options: DocumentCacheOptions) {
    this.#options = options;
    this.#memory = new DocumentMemory(options.limitBytes);
  }

  ready(url: string, state: DocumentState, variant: Variant): Representation | undefined {
    return this.#memory.get(url, state)?.entries[variant.index]?.ready;
  }

  /**
   * The document as it stands when this is called; concurrent calls share the work.
   *
   * @param diskCache - where bytes of sealed documents are kept for good
   * @throws {@link StreamError} `ERR_OVERLOADED` - it is not there, and as many as may be are being built
   */
  async get(document: StreamDocument, variant: Variant, diskCache?: DiskCache): Promise<Representation> {
    const state = document.state();
    const cached = this.#memory.get(document.url, state) ?? this.#memory.add(document.url, state);
    const begun = cached.entries[variant.index]?.build;
    if (begun) return begun;
    const { limitPendingBuilds, random, lines } = this.#options;
    if (this.#pending >= limitPendingBuilds) {
      lines.warn({ limit: limitPendingBuilds }, 'documents overloaded');
      // Each is given a time of its own, so that they do not come back together.
      const retryAfterSeconds = 1 + Math.floor(random() * MAX_RETRY_SECONDS);
      throw errors.ERR_OVERLOADED({ limitPendingBuilds, retryAfterSeconds });
    }
    this.#pending += 1;
    try {
      return await this.#entry(cached, { document, state, variant, diskCache });
    } finally {
      this.#pending -= 1;
    }
  }

  /** Forgets the documents at a URL and below it: what is there now may be another stream's. */
  forget(url: string): void {
    this.#memory.forget(url);
  }

  /** Begins to build a variant, in the tick of the call, unless it is there or begun. */
  #entry(cached: CachedDocument, asked: Asked): Promise<Representation> {
    const { index } = asked.variant;
    const begun = cached.entries[index];
    if (begun) return begun.build;
    const build = this.#build(cached, asked);
    const entry: CachedEntry = { build };
    cached.entries[index] = entry;
    build.then(
      (built) => {
        entry.ready = built;
        this.#memory.grow(cached, built.bytes.length + REPRESENTATION_BYTES);
      },
      () => {
        // A failure is not kept: the next request tries again.
        cached.entries[index] = undefined;
      },
    );
    return build;
  }

  async #build(cached: CachedDocument, asked: Asked): Promise<Representation> {
    const { state, variant, diskCache } = asked;
    const make = () => (variant.encoding === 'identity' ? this.#write(asked) : this.#encode(cached, asked));
    // Nothing may come before it where there is no disk cache: the document is built in the tick of its state.
    const built = await (state.disk && diskCache ? this.#takeOrKeep(diskCache, state.disk, variant, make) : make());
    // A strong entity tag is of one representation, so those of formats and encodings differ (RFC 9110, section 8.8.3).
    return { state, variant, ...built, etag: `"${built.tag}${variant.suffix}"` };
  }

  async #write({ document, state, variant }: Asked): Promise<Built> {
    const content = await document.build(variant.format);
    const bytes = await writeDocument(content, variant.format, this.#options.prefixes);
    const tag = state.isTag ? state.version : createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const { lastModifiedMs, previouslyModifiedMs } = content;
    const secondOf = (ms: number) => Math.floor(ms / 1000);
    const isDated = previouslyModifiedMs !== undefined && secondOf(previouslyModifiedMs) !== secondOf(lastModifiedMs);
    return { bytes, tag, lastModifiedMs, isDated };
  }

  async #encode(cached: CachedDocument, asked: Asked): Promise<Built> {
    const { format, encoding } = asked.variant;
    const written = await this.#entry(cached, { ...asked, variant: variantOf(format, 'identity') });
    const { tag, lastModifiedMs, isDated } = written;
    const bytes = await compress(written.bytes, encoding, asked.state.caching === 'immutable');
    return { bytes, tag, lastModifiedMs, isDated };
  }

  /** What the disk cache has, else what is made, which is put there. A cache that fails is as good as an empty one. */
  async #takeOrKeep(
    cache: DiskCache,
    { stream, extent, name }: NonNullable<DocumentState['disk']>,
    { format, suffix }: Variant,
    make: () => Promise<Built>,
  ): Promise<Built> {
    const kept = `${name}-w${WRITER}${format === 'jsonld' ? '.jsonld' : ''}${suffix}`;
    const failed = (err: Error & { readonly code?: string }): undefined => {
      this.#options.lines.warn({ stream, ...(err.code !== undefined && { code: err.code }), err }, 'disk cache failed');
    };
    const taken = diskContent(await cache.get(extent, kept).catch(failed));
    if (taken) return taken;
    const built = await make();
    const { lastModifiedMs, isDated, tag, bytes } = built;
    const content = Buffer.concat([Buffer.from(`${lastModifiedMs} ${isDated ? 1 : 0} ${tag}\n`), bytes]);
    // The answer does not wait for it, and does not need it.
    cache.put(extent, kept, content).catch(failed);
    return built;
  }
}

/** A document and a variant that are asked for. */
interface Asked {
  readonly document: StreamDocument;
  /** As of the tick in which the build begins. */
  readonly state: DocumentState;
  readonly variant: Variant;
  readonly diskCache: DiskCache | undefined;
}

/** What is made of a document in a variant, and kept on disk. */
type Built = Pick<Representation, 'tag' | 'lastModifiedMs' | 'isDated' | 'bytes'>;

interface CachedEntry {
  readonly build: Promise<Representation>;
  ready?: Representation;
}

interface CachedDocument {
  readonly url: string;
  readonly version: string;
  readonly group: string | undefined;
  /** By index of the variant; `ready` once it is built. */
  readonly entries: (CachedEntry | undefined)[];
  bytes: number;
}

/** The part of the limit that documents of groups get; the others have the rest. */
const GROUP_SHARE = 1 / 4;

/** The documents that are cached: those that were asked for last, as many as there is room for, and the very last. */
class DocumentMemory {
  readonly #single: LRUCache<string, CachedDocument>;
  readonly #grouped: LRUCache<string, CachedDocument>;
  // It has a place of its own, since the others refuse what is larger than all that they may hold.
  #last: CachedDocument | undefined;

  constructor(limitBytes: number) {
    const sizeCalculation = ({ bytes }: CachedDocument) => bytes;
    const part = (share: number) =>
      new LRUCache<string, CachedDocument>({ maxSize: Math.max(1, Math.floor(limitBytes * share)), sizeCalculation });
    this.#single = part(1 - GROUP_SHARE);
    this.#grouped = part(GROUP_SHARE);
  }

  /** What is cached of a document in a state; it counts as asked for. */
  get(url: string, { version, group }: DocumentState): CachedDocument | undefined {
    const cached = this.#last?.url === url ? this.#last : this.#partOf(group).get(url);
    if (cached?.version !== version) return undefined;
    this.#last = cached;
    return cached;
  }

  add(url: string, { version, group }: DocumentState): CachedDocument {
    const cached = { url, version, group, entries: [], bytes: DOCUMENT_BYTES };
    if (group !== undefined) {
      for (const other of [...this.#grouped.values()]) {
        if (other.group === group && other.version !== version) this.#grouped.delete(other.url);
      }
    }
    this.#last = cached;
    this.#partOf(group).set(url, cached);
    return cached;
  }

  grow(cached: CachedDocument, bytes: number): void {
    const part = this.#partOf(cached.group);
    cached.bytes += bytes;
    if (part.peek(cached.url) !== cached) return;
    // Its size is taken anew only where another value is put in its place.
    part.delete(cached.url);
    part.set(cached.url, cached);
  }

  forget(url: string): void {
    const isOf = (key: string | undefined) => key === url || key?.startsWith(`${url}/`);
    for (const part of [this.#single, this.#grouped]) {
      for (const key of [...part.keys()]) if (isOf(key)) part.delete(key);
    }
    if (isOf(this.#last?.url)) this.#last = undefined;
  }

  #partOf(group: string | undefined): LRUCache<string, CachedDocument> {
    return group === undefined ? this.#single : this.#grouped;
  }
}

const SLICE_MEMBERS = 100;

async function writeDocument(
  { quads, members, joined }: DocumentContent,
  format: Format,
  prefixes: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const write = (text: string) => parts.push(Buffer.from(text));
  if (joined) {
    for (const part of documentChunks(joined)) {
      if (parts.length > 0) await setImmediate();
      write(part);
    }
  } else if (!members) write(writeQuads(quads, format, prefixes));
  else if (format === 'nquads' || format === 'ntriples') {
    const { description, list } = members;
    write(writeQuads(quads, format, prefixes));
    // Members whose text exists are not read for it.
    for (let start = 0; start < list.length; start += SLICE_MEMBERS) {
      if (start > 0) await setImmediate();
      write(writeMembers(description, list.slice(start, start + SLICE_MEMBERS), format));
    }
  } else {
    const writer = new TurtleWriter(format === 'turtle' ? format : 'trig', prefixes);
    const slice = new WorkSlice();
    write(writer.body(quads));
    for (const member of members.list) {
      const ownQuads = memberQuads(members.description, [member]);
      write(writer.body(ownQuads));
      await slice.take(ownQuads.length);
    }
    parts.unshift(Buffer.from(writer.head()));
  }
  return Buffer.concat(parts);
}

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

// Where a gzip header names the system that wrote it: `unknown`, so that every system writes the same bytes.
const GZIP_SYSTEM_OFFSET = 9;
const GZIP_SYSTEM_UNKNOWN = 255;

/** Equal bytes give equal bytes. @param isLasting - whether more time may be spent on it, since it is used for long */
export async function compress(bytes: Buffer, encoding: Encoding, isLasting: boolean): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  if (encoding === 'gzip') {
    const compressed = await gzipped(bytes, { level: isLasting ? 9 : 6 });
    compressed[GZIP_SYSTEM_OFFSET] = GZIP_SYSTEM_UNKNOWN;
    return exact(compressed);
  }
  const compressed = await brotlied(bytes, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: isLasting ? 9 : 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  return exact(compressed);
}

/** A copy that holds on to no more memory than its length: zlib gives a part of a buffer of many KiB. */
function exact(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

// To be raised by whoever changes what documents say or how they are written: what an earlier release kept is made anew.
const WRITER = 4;

const DISK_HEADER = /^(\d+) ([01]) ([\x21\x23-\x7e]+)$/;
const LINE_FEED = 10;

/** On disk stand a line with the date, whether it tells the state, and the tag; then the bytes. */
function diskContent(kept: Buffer | undefined): Built | undefined {
  if (!kept) return undefined;
  const end = kept.indexOf(LINE_FEED);
  const [, date, dated, tag] = DISK_HEADER.exec(kept.toString('latin1', 0, Math.max(0, end))) ?? [];
  // What was not put there by this module is none.
  if (date === undefined || tag === undefined) return undefined;
  return { lastModifiedMs: Number(date), isDated: dated === '1', tag, bytes: kept.subarray(end + 1) };
}
