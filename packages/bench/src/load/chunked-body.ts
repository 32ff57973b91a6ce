const [CR, LF] = [0x0d, 0x0a];

/** Takes the framing of HTTP/1.1 chunks off a body that comes in any pieces (RFC 9112, section 7.1). */
export class ChunkedBody {
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  /** The line of the length, as far as it has come; `undefined` within a chunk. */
  #line: string | undefined = '';

  /** The content in some bytes; copied, since it may be looked at later. */
  feed(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.#line === undefined) {
        const length = Math.min(this.#left, bytes.length - at);
        parts.push(Buffer.from(bytes.subarray(at, at + length)));
        at += length;
        this.#left -= length;
        if (this.#left === 0) this.#line = '';
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      // The end of a chunk's content is an empty line, as far as this is concerned.
      if (byte === LF && this.#line !== '') {
        this.#left = Number.parseInt(this.#line, 16);
        this.#line = this.#left > 0 ? undefined : '';
      } else if (byte !== CR && byte !== LF) this.#line += String.fromCharCode(byte);
    }
    return parts;
  }
}
