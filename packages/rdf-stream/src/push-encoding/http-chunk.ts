/**
 * Frames bytes as one chunk of HTTP/1.1's chunked transfer coding.
 *
 * @param bytes - at least one: an empty chunk would end the response
 * @see RFC 9112 section 7.1
 */
export function httpChunk(bytes: Uint8Array): Buffer {
  const head = `${bytes.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafeSlow(head.length + bytes.length + 2);
  chunk.write(head, 0, 'latin1');
  chunk.set(bytes, head.length);
  chunk.write('\r\n', head.length + bytes.length, 'latin1');
  return chunk;
}
