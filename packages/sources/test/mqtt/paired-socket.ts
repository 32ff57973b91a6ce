import { Duplex } from 'node:stream';

/** A socket whose other end is a test. */
export class PairedSocket extends Duplex {
  /** What was written to it. */
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    // The other end closes when this one has.
    this.push(null);
    done();
  }
}
