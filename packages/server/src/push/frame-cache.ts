import { commitEvent } from '@ldes-live/codec';
import type { Commit, Member, StreamDescription } from '@ldes-live/rdf-stream';

/** A commit, or the rest of one, as it is pushed. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** Sequence number of its last member. */
  readonly last: number;
}

/**
 * The frames of the commits that were asked for last: a commit is encoded once, however many readers are pushed
 * it, and however many come back at the same time and lack it.
 *
 * @see specs/push.md PUSH-3
 */
export class FrameCache {
  readonly #description: StreamDescription;
  readonly #prefixes: Readonly<Record<string, string>>;
  readonly #limitBytes: number;
  readonly #frames = new Map<number, Frame>();
  #bytes = 0;

  /** @param options.limitBytes - how much to keep, bytes; one frame is kept however large it is */
  constructor(options: {
    description: StreamDescription;
    prefixes: Readonly<Record<string, string>>;
    limitBytes: number;
  }) {
    this.#description = options.description;
    this.#prefixes = options.prefixes;
    this.#limitBytes = options.limitBytes;
  }

  /** The frame that begins with a member, if it is kept: then the log need not be read. */
  startingAt(sequence: number): Frame | undefined {
    return this.#frames.get(sequence);
  }

  /** The frame of a commit, or of the rest of one. */
  frameOf(commit: Commit): Frame {
    // Told by its first member: a reader whose cursor lies within a commit gets the rest of it, another frame.
    const first = (commit.members[0] as Member).sequence;
    const kept = this.#frames.get(first);
    if (kept) return kept;
    const bytes = commitEvent(commit, this.#description, this.#prefixes);
    const frame = { bytes, last: commit.cursor.sequence };
    this.#frames.set(first, frame);
    this.#bytes += bytes.length;
    for (const [oldestFirst, oldest] of this.#frames) {
      if (this.#bytes <= this.#limitBytes || oldest === frame) break;
      this.#frames.delete(oldestFirst);
      this.#bytes -= oldest.bytes.length;
    }
    return frame;
  }
}
