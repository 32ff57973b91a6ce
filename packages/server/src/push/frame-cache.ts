import { commitEvent } from '@ldes-live/codec';
import type { Commit, StreamDescription } from '@ldes-live/rdf-stream';

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
  readonly #frames = new Map<string, Uint8Array>();
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

  /** The frame of a commit, or of the rest of one. */
  frameOf(commit: Commit): Uint8Array {
    // A reader whose cursor lies within a commit gets the rest of it, which is another frame.
    const key = `${commit.members[0]?.sequence}-${commit.cursor.sequence}`;
    const kept = this.#frames.get(key);
    if (kept) return kept;
    const frame = commitEvent(commit, this.#description, this.#prefixes);
    this.#frames.set(key, frame);
    this.#bytes += frame.length;
    for (const [oldestKey, oldest] of this.#frames) {
      if (this.#bytes <= this.#limitBytes || oldest === frame) break;
      this.#frames.delete(oldestKey);
      this.#bytes -= oldest.length;
    }
    return frame;
  }
}
