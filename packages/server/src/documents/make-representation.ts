import { createHash } from 'node:crypto';
import type { DiskCache } from '@ldes-live/log';
import { formats } from '@ldes-live/rdf-stream';
import { compress } from './compress.ts';
import type { Representation } from './representation.ts';
import { fromShelved, type ShelvedBytes, toShelved } from './shelved-bytes.ts';
import type { DocumentState, StreamDocument } from './stream-document.ts';
import type { Variant } from './variant.ts';
import { writeDocument } from './write-document.ts';

/** What making a representation takes. */
export interface Making {
  readonly document: StreamDocument;
  /** As of the tick in which the making begins. */
  readonly state: DocumentState;
  readonly variant: Variant;
  readonly prefixes: Readonly<Record<string, string>>;
  /** Where bytes of sealed documents are kept. */
  readonly diskCache: DiskCache | undefined;
  /** Gives the same state and format uncompressed. */
  readonly identity: () => Promise<Representation>;
}

/**
 * Makes a representation, or takes it from the disk cache. A cache that fails is as good as an empty one.
 *
 * @see specs/documents.md DOC-10
 */
export async function makeRepresentation(making: Making): Promise<Representation> {
  const { state, variant } = making;
  // Nothing may come before it where there is no disk cache: the document is built in the tick of its state.
  const found = state.shelved && making.diskCache ? await take(making) : undefined;
  const made = found ?? (await (variant.encoding === 'identity' ? write(making) : encode(making)));
  if (!found) keep(making, made);
  const { lastModifiedMs, isDated, bytes, tag } = made;
  return {
    state,
    variant,
    bytes,
    lastModifiedMs,
    isDated,
    // A strong entity tag is of one representation, so those of formats and encodings differ (RFC 9110, section 8.8.3).
    etag: `"${tag}${variant.suffix}"`,
  };
}

async function write({ document, state, variant, prefixes }: Making): Promise<ShelvedBytes> {
  const content = await document.build(variant.format);
  const bytes = await writeDocument(content, variant.format, prefixes);
  const tag = state.tag ?? createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const { lastModifiedMs, previouslyModifiedMs } = content;
  const isDated = previouslyModifiedMs !== undefined && secondOf(previouslyModifiedMs) !== secondOf(lastModifiedMs);
  return { bytes, tag, lastModifiedMs, isDated };
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

async function encode({ identity, state, variant: { encoding, format } }: Making): Promise<ShelvedBytes> {
  const { bytes, etag, lastModifiedMs, isDated } = await identity();
  const tag = etag.slice(1, etag.length - 1 - formats[format].suffix.length);
  if (encoding === 'identity') return { bytes, tag, lastModifiedMs, isDated };
  const compressed = await compress(bytes, encoding, state.caching === 'immutable');
  return { bytes: compressed, tag, lastModifiedMs, isDated };
}

async function take({ diskCache, state, variant }: Making): Promise<ShelvedBytes | undefined> {
  if (!diskCache || !state.shelved) return undefined;
  const kept = await diskCache.get(state.shelved.extent, nameOf(state.shelved.name, variant)).catch(() => undefined);
  return kept && fromShelved(kept);
}

function keep({ diskCache, state, variant }: Making, made: ShelvedBytes): void {
  if (!diskCache || !state.shelved) return;
  // The answer does not wait for it, and does not need it.
  diskCache.put(state.shelved.extent, nameOf(state.shelved.name, variant), toShelved(made)).catch(() => undefined);
}

// To be raised by whoever changes what documents say or how they are written: what an earlier release kept is made anew.
const WRITER = 2;

function nameOf(name: string, { format, suffix }: Variant): string {
  return `${name}-w${WRITER}${format === 'jsonld' ? '.jsonld' : ''}${suffix}`;
}
