import { deflateBlock, GZIP_HEADER, httpChunk, storedBlock } from '@ldes-live/rdf-stream/push';

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

/** All kinds of connections. */
export const WIRES: readonly Wire[] = PUSH_ENCODINGS.flatMap((encoding) =>
  [true, false].map((chunked) => ({ encoding, chunked })),
).map((wire, index) => ({ ...wire, index }));

/** The kind of a connection. */
export function wireOf(encoding: PushEncoding, chunked: boolean): Wire {
  return WIRES.find((wire) => wire.encoding === encoding && wire.chunked === chunked) as Wire;
}

/** What goes before everything else. */
export function opening({ encoding, chunked }: Wire): Buffer {
  return encoding === 'gzip' ? framed(GZIP_HEADER, chunked) : Buffer.alloc(0);
}

/**
 * The bytes of events that stand by themselves: they can follow anything, on any connection of the kind.
 *
 * @param squeeze - whether it is worth compressing; what goes to one reader only is not
 * @see specs/push.md PUSH-15
 */
export function onWire(events: Uint8Array, { encoding, chunked }: Wire, squeeze: boolean): Buffer {
  if (encoding === 'identity') return framed(events, chunked);
  return framed(squeeze ? deflateBlock(events) : storedBlock(events), chunked);
}

/** Bytes as a chunk where there are chunks. */
function framed(bytes: Uint8Array, chunked: boolean): Buffer {
  return chunked ? httpChunk(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes for connections with chunks and for those without, each made when the first of them asks. */
export function chunkedOrNot(bytes: Uint8Array): (wire: Wire) => Buffer {
  let withChunk: Buffer | undefined;
  let without: Buffer | undefined;
  return ({ chunked }) => {
    if (chunked) {
      withChunk ??= framed(bytes, true);
      return withChunk;
    }
    without ??= framed(bytes, false);
    return without;
  };
}

/** What ends the body of a response. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n');
