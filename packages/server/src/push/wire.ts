/* The bytes of events as they go over each kind of connection, made once for all connections of the kind.
 *   EncodedCommit -> text of the event -> gzip: a deflate block -> HTTP/1.1: a chunk -> Buffer
 *   { "index": 0, "encoding": "gzip", "chunked": true }      // a kind; HTTP/2 and HTTP/1.0 take no chunks
 * A block stands by itself: it can follow anything, on any connection of the kind. */
import {
  type Cursor,
  eventText,
  formatCursor,
  formatSseEvent,
  pushEvents,
  type ReplayFilter,
  type SourceState,
} from '@ldes-live/rdf-stream';
import { deflateBlock, GZIP_HEADER, httpChunk, storedBlock } from '@ldes-live/rdf-stream/push';
import type { StreamUrls } from '../documents/document.ts';
import { type EncodedCommit, membersAfter } from './encoded-commits.ts';

/** What a push stream can be encoded in, the better one first. */
export const PUSH_ENCODINGS = ['gzip', 'identity'] as const;
export type PushEncoding = (typeof PUSH_ENCODINGS)[number];

/** How events go over one kind of connection. */
export interface Wire {
  /** Its place in {@link WIRES}. */
  readonly index: number;
  readonly encoding: PushEncoding;
  /** Framed as chunks of HTTP/1.1; else as they are. */
  readonly chunked: boolean;
}

const WIRES: readonly Wire[] = PUSH_ENCODINGS.flatMap((encoding) =>
  [true, false].map((chunked) => ({ encoding, chunked })),
).map((wire, index) => ({ ...wire, index }));

export function wireOf(encoding: PushEncoding, chunked: boolean): Wire {
  return WIRES.find((wire) => wire.encoding === encoding && wire.chunked === chunked) as Wire;
}

/** What ends the body of a response in chunks. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export function opening({ encoding, chunked }: Wire): Buffer {
  return encoding === 'gzip' ? framed(GZIP_HEADER, chunked) : Buffer.alloc(0);
}

/**
 * The bytes of events that stand by themselves.
 *
 * @param squeeze - whether it is worth compressing; what goes to one reader only is not
 * @see specs/push.md PUSH-15
 */
export function onWire(events: Uint8Array | string, { encoding, chunked }: Wire, squeeze: boolean): Buffer {
  const bytes = typeof events === 'string' ? Buffer.from(events) : events;
  if (encoding === 'identity') return framed(bytes, chunked);
  return framed(squeeze ? deflateBlock(bytes) : storedBlock(bytes), chunked);
}

/** Bytes for each kind of connection, each made when the first of them asks. */
export type BytesByWire = (wire: Wire) => Buffer;

/** Short text that many connections get. */
export function sharedText(text: string): BytesByWire {
  return oncePerWire((wire) => onWire(text, wire, false));
}

/** A block that the group shares, which refers to those before it: the same for all but for chunks. */
export function sharedBlock(block: Uint8Array): BytesByWire {
  return oncePerWire(({ chunked }) => framed(block, chunked));
}

function oncePerWire(make: BytesByWire): BytesByWire {
  const made: Buffer[] = [];
  return (wire) => {
    made[wire.index] ??= make(wire);
    return made[wire.index] as Buffer;
  };
}

/** Bytes as a chunk where there are chunks. */
function framed(bytes: Uint8Array, chunked: boolean): Buffer {
  return chunked ? httpChunk(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

interface Made {
  event?: Uint8Array;
  readonly byWire: Buffer[];
}

/**
 * What is made of a commit, as long as that is remembered; of some of its members by the array that chooses them, which is
 * of one commit: as long as those who want the same, who are given the same array, are being given it.
 */
const made = new WeakMap<EncodedCommit | readonly number[], Made>();

/** Below this an event for one reader is not compressed: to begin a compression costs more than its bytes, bytes. */
const SQUEEZED_BYTES = 4096;

/**
 * The event of a commit, or of some members of it, as it goes over a kind of connection. Made once for all connections.
 *
 * @param chosen - indices of members, at least one; all when absent
 * @param isForOne - whether one reader alone is given what is chosen
 * @see specs/push.md PUSH-3
 */
export function bytesOf(commit: EncodedCommit, wire: Wire, chosen?: readonly number[], isForOne = false): Buffer {
  const { byWire } = madeOf(commit, chosen);
  const event = eventOf(commit, chosen);
  byWire[wire.index] ??= onWire(event, wire, !isForOne || event.length >= SQUEEZED_BYTES);
  return byWire[wire.index] as Buffer;
}

export function eventOf(commit: EncodedCommit, chosen?: readonly number[]): Uint8Array {
  const made = madeOf(commit, chosen);
  made.event ??= Buffer.from(eventText(commit.pieces, commit.id, chosen));
  return made.event;
}

function madeOf(commit: EncodedCommit, chosen: readonly number[] | undefined): Made {
  const key = chosen && chosen.length < commit.pieces.members.length ? chosen : commit;
  const known = made.get(key);
  if (known) return known;
  const own = { byWire: [] };
  made.set(key, own);
  return own;
}

/**
 * What a reader who catches up is given of a commit, or of a part of a snapshot; `undefined` where nothing is for it.
 *
 * @param after - what comes later only; all when absent
 */
export function replayBytes(
  commit: EncodedCommit,
  wire: Wire,
  filter: ReplayFilter | undefined,
  after = commit.after,
): Buffer | undefined {
  const later = membersAfter(commit, after);
  if (!filter) return bytesOf(commit, wire, later);
  const fitting = filter.choose(commit.subjects);
  const chosen = later ? fitting.filter((member) => later.includes(member)) : fitting;
  return chosen.length > 0 ? bytesOf(commit, wire, chosen, chosen.length < commit.subjects.length) : undefined;
}

/** Consecutive commits that go out in one write, at least one. */
export class Batch {
  readonly commits: readonly EncodedCommit[];
  /** Sequence number of the member before the first. */
  readonly after: number;
  /** Sequence number of the last member. */
  readonly last: number;
  /** The events as they go over a kind of connection. */
  readonly bytes: BytesByWire;
  #events: Uint8Array | undefined;

  constructor(commits: readonly EncodedCommit[]) {
    const [first, ...others] = commits as [EncodedCommit];
    this.commits = commits;
    this.after = first.after;
    this.last = (others.at(-1) ?? first).last;
    this.bytes = oncePerWire((wire) => (others.length === 0 ? bytesOf(first, wire) : onWire(this.events, wire, true)));
  }

  /** The events, one after the other. */
  get events(): Uint8Array {
    const [first, ...others] = this.commits as [EncodedCommit];
    this.#events ??= others.length === 0 ? eventOf(first) : Buffer.concat(this.commits.map((each) => eventOf(each)));
    return this.#events;
  }

  /** The commits after a position within the batch, for who came in between. */
  commitsAfter(position: number): readonly EncodedCommit[] {
    return this.commits.filter(({ after }) => after >= position);
  }
}

/**
 * The event that says that the log does not hold what was asked for, and where to read on. Its id is the head, from where
 * the stream goes on.
 *
 * @see specs/push.md PUSH-7
 */
export function gapEvent(from: Cursor, head: Cursor, { latest, pages }: StreamUrls): string {
  const data = JSON.stringify({ from: formatCursor(from), to: formatCursor(head), latest, pages });
  return formatSseEvent({ event: pushEvents.gap, id: formatCursor(head), data });
}

/** The event that says that the newest state follows, in place of commits. */
export function conflatedEvent(from: string, to: string): string {
  return formatSseEvent({ event: pushEvents.conflated, data: JSON.stringify({ from, to }) });
}

/**
 * The event that says how the sources of a stream are; it moves no reader's last id.
 *
 * @see specs/push.md PUSH-65
 */
export function statusEvent(state: SourceState): string {
  const { kind: source } = state;
  if (state.kind === 'ok') return formatSseEvent({ event: pushEvents.status, data: JSON.stringify({ source }) });
  const [since, completeTo] = [state.sinceMs, state.completeToMs].map((ms) =>
    ms === undefined ? undefined : new Date(ms).toISOString(),
  );
  return formatSseEvent({ event: pushEvents.status, data: JSON.stringify({ source, since, completeTo }) });
}
