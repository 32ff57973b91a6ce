import { createPacketDecoder } from './decode-packet.ts';
import type { InboundPacket } from './inbound-packet.ts';

const PUBLISH = 3;
// CONNACK, PUBLISH, SUBACK, PINGRESP and DISCONNECT: whatever else begins a packet, whole or not, no broker answers so.
const EXPECTED_TYPES = [2, PUBLISH, 9, 13, 14];
// Of a message that is too large: its topic, and the identifier by which it is acknowledged.
const LONGEST_START_BYTES = 2 + 65_535 + 2;

/** How the bytes of a broker are read. */
export interface PacketReading {
  /** 4 is MQTT 3.1.1. */
  readonly version: 4 | 5;
  /** The largest packet that is kept whole, bytes. */
  readonly limitPacketBytes: number;
}

/** A packet that has begun. */
interface Frame {
  readonly bytes: Buffer;
  readonly headerBytes: number;
  filledBytes: number;
  /** Of a message that is too large: what is thrown away behind `bytes`. */
  skippedBytes: number;
  /** With all of the packet, also what is not kept. */
  readonly totalBytes: number;
  readonly isOversized: boolean;
}

/**
 * Makes what turns the bytes of a broker into packets, however they are cut. Holds the packet that is not whole yet, up to
 * the limit: of a larger message only its topic and identifier are kept, any other larger packet is `broken`.
 *
 * Nothing comes behind `broken`.
 *
 * @see specs/mqtt.md MQTT-11
 */
export function createPacketReader(reading: PacketReading): (chunk: Uint8Array) => readonly InboundPacket[] {
  const decode = createPacketDecoder(reading.version);
  let header: number[] = [];
  let frame: Frame | undefined;
  let isBroken = false;

  const finish = (done: Frame): InboundPacket => {
    frame = undefined;
    header = [];
    return done.isOversized ? oversizedMessage(done) : decode(done.bytes);
  };

  return (chunk) => {
    const packets: InboundPacket[] = [];
    const tell = (packet: InboundPacket) => {
      packets.push(packet);
      isBroken = packet.kind === 'broken';
    };
    let at = 0;
    while (at < chunk.length && !isBroken) {
      if (!frame) {
        header.push(chunk[at] as number);
        at += 1;
        const begun = beginFrame(header, reading.limitPacketBytes);
        if (typeof begun === 'string') tell({ kind: 'broken', reason: begun });
        else frame = begun;
      } else {
        at += fill(frame, chunk, at);
      }
      if (frame && isWhole(frame)) tell(finish(frame));
    }
    return packets;
  };
}

/** The frame of a fixed header, `undefined` while that is not whole, or what is wrong with it. */
function beginFrame(header: readonly number[], limitPacketBytes: number): Frame | string | undefined {
  const [first = 0, ...lengths] = header;
  if (!EXPECTED_TYPES.includes(first >> 4)) return `a packet of type ${first >> 4}, which nobody asked for`;
  if (lengths.length === 0 || (lengths.at(-1) as number) >= 128) {
    return lengths.length < 4 ? undefined : 'a packet whose length takes more than four bytes';
  }
  const bodyBytes = lengths.reduce((sum, byte, index) => sum + (byte & 127) * 128 ** index, 0);
  const totalBytes = header.length + bodyBytes;
  const isOversized = totalBytes > limitPacketBytes;
  if (isOversized && first >> 4 !== PUBLISH) return `a packet of ${totalBytes} bytes that is no message`;
  const keptBytes = isOversized ? header.length + Math.min(bodyBytes, LONGEST_START_BYTES) : totalBytes;
  const bytes = Buffer.allocUnsafe(keptBytes);
  bytes.set(header);
  const skippedBytes = totalBytes - keptBytes;
  return { bytes, headerBytes: header.length, filledBytes: header.length, skippedBytes, totalBytes, isOversized };
}

function isWhole(frame: Frame): boolean {
  return frame.filledBytes === frame.bytes.length && frame.skippedBytes === 0;
}

/** Takes what belongs to the frame; returns how many bytes that was. */
function fill(frame: Frame, chunk: Uint8Array, at: number): number {
  const missing = frame.bytes.length - frame.filledBytes;
  const taken = Math.min(missing, chunk.length - at);
  frame.bytes.set(chunk.subarray(at, at + taken), frame.filledBytes);
  frame.filledBytes += taken;
  const skipped = Math.min(frame.skippedBytes, chunk.length - at - taken);
  frame.skippedBytes -= skipped;
  return taken + skipped;
}

function oversizedMessage({ bytes, headerBytes, totalBytes }: Frame): InboundPacket {
  const flags = bytes[0] as number;
  const body = bytes.subarray(headerBytes);
  const topicEnd = 2 + (body.length < 2 ? 0 : body.readUInt16BE(0));
  const isAtMostOnce = (flags & 6) === 0;
  if (body.length < topicEnd + 2) return { kind: 'broken', reason: 'a message that ends within its topic' };
  return {
    kind: 'publish',
    topic: body.toString('utf8', 2, topicEnd),
    payload: new Uint8Array(),
    isRepeated: (flags & 8) !== 0,
    isRetained: (flags & 1) !== 0,
    oversizedBytes: totalBytes,
    ...(isAtMostOnce ? {} : { messageId: body.readUInt16BE(topicEnd) }),
  };
}
