const LONGEST = 65_535;
const HEAD = 5;

/**
 * Wraps bytes in non-final deflate blocks without compressing them: for what is said to one connection only. It fits
 * wherever a block can begin at a byte: after a gzip header, a stored block or a sync flush.
 *
 * @see RFC 1951 section 3.2.4
 */
export function storedBlock(bytes: Uint8Array): Buffer {
  const count = Math.max(1, Math.ceil(bytes.length / LONGEST));
  const blocks = Buffer.allocUnsafeSlow(bytes.length + count * HEAD);
  for (let index = 0; index < count; index++) {
    const part = bytes.subarray(index * LONGEST, (index + 1) * LONGEST);
    const start = index * (LONGEST + HEAD);
    blocks[start] = 0;
    blocks.writeUInt16LE(part.length, start + 1);
    blocks.writeUInt16LE(~part.length & 0xffff, start + 3);
    blocks.set(part, start + HEAD);
  }
  return blocks;
}
