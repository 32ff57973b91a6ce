import { Writable } from 'node:stream';

/** A line to a reader who can stop to take what is written to it, as a socket is whose peer reads no more. */
export class HeldLine extends Writable {
  /** What was written and taken, write by write. */
  readonly writes: Buffer[] = [];
  #take: (() => void) | undefined;
  #isHeld = false;
  readonly #isLate: boolean;

  /** @param isLate - whether it says only later that it has taken something, as the streams of HTTP/2 do */
  constructor(isLate = false) {
    super({ autoDestroy: true });
    this.#isLate = isLate;
    // As a server does not care what its readers break off.
    this.on('error', () => {});
  }

  /** Takes nothing from now on. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Takes all that was written, and what comes. */
  release(): void {
    this.#isHeld = false;
    this.#take?.();
  }

  /** What its reader has got. */
  get taken(): Buffer {
    return Buffer.concat(this.writes);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const take = () => {
      this.#take = undefined;
      this.writes.push(chunk);
      if (this.#isLate) setImmediate(done);
      else done();
    };
    if (this.#isHeld) this.#take = take;
    else take();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#take = undefined;
    done(error);
  }
}
