const [CR, LF] = [0x0d, 0x0a];
const BLOCK_END = Buffer.from('\n\n');

/**
 * Finds where the blocks of an event stream end, without decoding it: a block is told with where it lies in the bytes, and
 * with what framing of HTTP stands before it. Bytes are copied only where a block comes in pieces.
 *
 * It is made for streams whose blocks are not cut by HTTP chunks, as those that are measured here.
 */
export class EventBlocks {
  #rest: Buffer | undefined;

  /** @param onBlock - `end` is after the empty line; what it is given is good until it returns */
  feed(bytes: Buffer, onBlock: (bytes: Buffer, start: number, end: number) => void): void {
    const whole = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    let start = 0;
    for (;;) {
      const at = whole.indexOf(BLOCK_END, start);
      if (at < 0) break;
      const end = at + BLOCK_END.length;
      onBlock(whole, start, end);
      start = end;
    }
    // The end of an HTTP chunk is no beginning of a block: kept, it would have the next one copied.
    while (start < whole.length && (whole[start] === CR || whole[start] === LF)) start += 1;
    this.#rest = start === whole.length ? undefined : Buffer.from(whole.subarray(start));
  }
}
