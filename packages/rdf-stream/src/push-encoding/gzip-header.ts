/**
 * The header of a gzip member without time and name: what the gzip stream of every connection begins with. Deflate blocks
 * follow it; the trailer is never written, since the stream ends with the connection.
 *
 * @see RFC 1952 section 2.3
 */
export const GZIP_HEADER: Buffer = Buffer.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff);
